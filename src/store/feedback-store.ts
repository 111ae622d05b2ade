/**
 * Feedback of the agent's users. It may be known before its conversation is, and goes when the conversation goes.
 *
 *   sent ── conversation known ───────────▶ kept ── by the API, or another's trace ▶ asked for again (revisits)
 *     ├──── not known yet ────────────────▶ waiting ── its first turn is stored ──▶ kept
 *     │                                        └────── older than what is kept ───▶ deleted by retention
 *     ├──── deleted or forgotten ─────────▶ gone: nothing is written
 *     └──── the conversation has too many ▶ refused
 *   kept ── evaluated or re-evaluated ────▶ counted, in the transaction of the engine that adds to the totals
 *
 * A row is written once and never changed, whichever way it came and however often. A crash before the commit leaves
 * nothing: the client or the log sends it again. A crash afterwards leaves the row and the request to look again.
 */
import type { FeedbackFate } from '../model/events/scoring-events.ts';
import type { ConversationId } from '../model/ids.ts';
import type { Feedback } from '../model/feedback.ts';

export interface FeedbackStore {
  /** In a transaction of its own; the fates in the order of what was given. */
  put(feedback: readonly Feedback[]): Promise<readonly FeedbackFate[]> | readonly FeedbackFate[];
  /** The rows with the same conversations and ids, in the order of what was given; undefined where there is none. */
  stored(feedback: readonly Feedback[]): Promise<readonly StoredFeedback[]> | readonly StoredFeedback[];
}

export type StoredFeedback = Feedback | undefined;

export interface KeptFeedback {
  readonly feedback: Feedback;
  readonly isCounted: boolean;
}

/** For the engine, in its transaction. */
export interface FeedbackBook {
  find(conversation: ConversationId): readonly KeptFeedback[];
  /**
   * Returns `kept` where it is not known yet whether a conversation is there. With `asks`, conversations are asked for
   * again; without it, the caller looks at them.
   */
  put(feedback: readonly Feedback[], options: { readonly asks: boolean }): readonly FeedbackFate[];
  /** All that was found of the conversation is in the totals. */
  counted(conversation: ConversationId): void;
  /** The conversation turned out to be a part of another. */
  move(from: ConversationId, to: ConversationId): void;
}

/** As text, for a column. Its conversation is the row's. */
export function writeFeedback({ conversationId: _, ...feedback }: Feedback): string {
  return JSON.stringify(feedback);
}

export function readFeedback(conversationId: ConversationId, written: string): Feedback {
  // The cast holds because `writeFeedback` wrote the text.
  return { ...(JSON.parse(written) as Omit<Feedback, 'conversationId'>), conversationId };
}
