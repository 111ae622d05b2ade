/**
 * Feedback of the agent's users on its way through the engine. Spans and log records bring it with the arrival that they
 * are in, whatever becomes of that arrival: an own trace for a click is no turn, and a click may come long after its
 * turn (`store/feedback-store.ts` has the states).
 *
 * About the conversation of its own trace, it is counted and looked at with the arrival, so that the same log gives the
 * same evaluations however its arrivals are spread over transactions. Another conversation is asked for again, as by
 * feedback from the API, and is counted then.
 */
import { withFeedbackOf } from '../assemble/build-conversation.ts';
import type { Conversation } from '../model/conversation.ts';
import type { EngineEvent, TurnFate } from '../model/events/scoring-events.ts';
import { countingFeedback, type Feedback, type Polarity, polarityOfAll } from '../model/feedback.ts';
import { type ConversationId, syntheticConversationId } from '../model/ids.ts';
import { type CarriedFeedback, feedbackIn } from '../normalize/feedback.ts';
import { type IdKeys, idKeysOf } from '../normalize/id-keys.ts';
import type { ConversationLabels } from '../store/conversation-columns.ts';
import type { EngineStore, StoredConversation, StoredTrace } from '../store/engine-store.ts';
import type { Arrival } from './arrival.ts';

/** Fates of an arrival after which its feedback is still to be taken; a deleted conversation takes none. */
const LEAVES_FEEDBACK = {
  stored: false,
  revised: false,
  'stored-already': false,
  duplicate: true,
  'too-late': true,
  pruned: false,
  forgotten: false,
  'over-limit': true,
  'logs-without-spans': true,
  'no-agent-steps': true,
  'not-understood': true,
} satisfies Record<TurnFate, boolean>;

const NONE: readonly CarriedFeedback[] = [];

interface Parts {
  readonly store: Pick<EngineStore, 'feedback' | 'conversations' | 'traces' | 'forgotten'>;
  readonly idKeys: readonly string[];
  readonly onEvent: (event: EngineEvent) => void;
}

export class TakenFeedback {
  readonly #parts: Parts;
  readonly #idKeys: IdKeys | undefined;
  /** Feedback of the arrival that is being taken. */
  #carried = NONE;
  /** The conversation of the arrival, if that has feedback which is new. */
  #told: Told | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#idKeys = idKeysOf(parts.idKeys);
  }

  /** Reads the feedback in the arrival, which is taken afterwards. True where any of it is about what was forgotten. */
  isForgotten({ content }: Arrival): boolean {
    const { forgotten } = this.#parts.store;
    this.#carried = feedbackIn(content, this.#idKeys);
    return (
      forgotten.hasAny &&
      this.#carried.some(({ named, user }) =>
        forgotten.has({ conversation: named, users: user === undefined ? [] : [user] }),
      )
    );
  }

  /** After the arrival was taken, whatever its fate. Returns its conversation if that has feedback which is new. */
  takeRest(fate: TurnFate, known: StoredTrace | undefined): Told | undefined {
    if (LEAVES_FEEDBACK[fate] && this.#carried.length > 0)
      this.take(known && this.#parts.store.conversations.at(known.conversation), { isOnlyFeedback: true });
    const told = this.#told;
    this.#carried = NONE;
    this.#told = undefined;
    return told;
  }

  /** Takes the feedback that was read; `of` is the conversation of its trace, undefined where that is not stored. */
  take(of: StoredConversation | undefined, { isOnlyFeedback = false } = {}): void {
    const { store, onEvent } = this.#parts;
    const carried = this.#carried;
    this.#carried = NONE;
    for (const one of carried) {
      const feedback = placed(one, of);
      const isAboutIt = of !== undefined && feedback?.conversationId === of.id;
      const [fate = 'gone'] = feedback === undefined ? [] : store.feedback.put([feedback], { asks: !isAboutIt });
      // Feedback about a trace's turn is scored with the arrival, unless only the feedback was taken.
      if (isAboutIt && fate === 'kept') this.#told = { row: of.row, isScored: of.revision > 0 || isOnlyFeedback };
      onEvent({ type: 'feedback-arrived', way: one.way, fate: feedback === undefined ? 'unplaced' : fate });
    }
  }

  /** Counts what has not been counted, and keeps the polarity with the conversation. */
  fold({ row, id, labels, feedback }: StoredConversation, count: CountFeedback): void {
    const { store } = this.#parts;
    const kept = store.feedback.find(id);
    // The last of it may have been forgotten with its user.
    if (kept.length === 0 && feedback === undefined) return;
    const uncounted = kept.filter(({ isCounted }) => !isCounted);
    for (const { feedback: one } of uncounted) count(labels, one.polarity);
    if (uncounted.length > 0) store.feedback.counted(id);
    const polarity = polarityOfAll(kept.map((one) => one.feedback));
    if (polarity !== feedback) store.conversations.change(row, { feedback: polarity });
  }

  addTo(conversation: Conversation, about: 'conversation' | 'turn'): Conversation {
    return withFeedback(
      conversation,
      this.#parts.store.feedback.find(conversation.id).map(({ feedback }) => feedback),
      about,
    );
  }
}

interface Told {
  readonly row: number;
  /** True if an earlier evaluation exists, which the feedback may change. */
  readonly isScored: boolean;
}

type CountFeedback = (labels: ConversationLabels, polarity: Polarity) => void;

/** A turn has the feedback about it, and that about no answer. */
export function withFeedback(
  conversation: Conversation,
  all: readonly Feedback[],
  about: 'conversation' | 'turn',
): Conversation {
  if (all.length === 0) return conversation;
  const counting = countingFeedback(all);
  if (about === 'conversation') return withFeedbackOf(conversation, counting);
  const traces = new Set(conversation.turns.flatMap(({ steps }) => steps.map(({ traceId }) => traceId)));
  const ofTurn = counting.filter(({ traceId }) => traceId === undefined || traces.has(traceId));
  return ofTurn.length === 0 ? conversation : withFeedbackOf(conversation, ofTurn);
}

/** A trace that is no turn, as one of a click alone, is no answer that it could speak of. */
function placed(
  { named, traceId, spanId, ...carried }: CarriedFeedback,
  of: StoredConversation | undefined,
): Feedback | undefined {
  const conversationId: ConversationId | undefined =
    named ?? of?.id ?? (traceId === undefined ? undefined : syntheticConversationId(traceId));
  if (conversationId === undefined) return undefined;
  const isOfTurn = of !== undefined && of.id === conversationId;
  return {
    ...carried,
    conversationId,
    ...(isOfTurn && traceId !== undefined ? { traceId } : {}),
    ...(isOfTurn && spanId !== undefined ? { spanId } : {}),
  };
}
