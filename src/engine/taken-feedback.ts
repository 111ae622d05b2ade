/**
 * Feedback of the agent's users on its way through the engine. Spans and log records bring it with the arrival that they
 * are in, whatever becomes of that arrival: an own trace for a click is no turn, and a click may come long after its
 * turn. It is written like feedback from the API, which also has the conversation looked at again
 * (`store/feedback-store.ts` has the states).
 *
 * Each feedback is counted when its conversation is evaluated or looked at again, because only then the agent is known.
 */
import { withFeedbackOf } from '../assemble/build-conversation.ts';
import type { Conversation } from '../model/conversation.ts';
import type { EngineEvent } from '../model/events/scoring-events.ts';
import { countingFeedback, type Feedback, type Polarity, polarityOfAll } from '../model/feedback.ts';
import { type ConversationId, syntheticConversationId } from '../model/ids.ts';
import { type CarriedFeedback, feedbackIn } from '../normalize/feedback.ts';
import { type IdKeys, idKeysOf } from '../normalize/id-keys.ts';
import type { ConversationLabels } from '../store/conversation-columns.ts';
import type { EngineStore, StoredConversation } from '../store/engine-store.ts';
import type { Arrival } from './arrival.ts';

interface Parts {
  readonly store: Pick<EngineStore, 'feedback' | 'conversations' | 'traces' | 'forgotten'>;
  readonly idKeys: readonly string[];
  readonly onEvent: (event: EngineEvent) => void;
}

export class TakenFeedback {
  readonly #parts: Parts;
  readonly #idKeys: IdKeys | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#idKeys = idKeysOf(parts.idKeys);
  }

  in({ content }: Arrival): readonly CarriedFeedback[] {
    return feedbackIn(content, this.#idKeys);
  }

  isForgotten(carried: readonly CarriedFeedback[]): boolean {
    const { forgotten } = this.#parts.store;
    return (
      forgotten.hasAny &&
      carried.some(({ named, user }) => forgotten.has({ conversation: named, users: user === undefined ? [] : [user] }))
    );
  }

  /** `of` is the conversation of the arrival's trace; undefined where the trace is not stored. */
  take(carried: readonly CarriedFeedback[], of: StoredConversation | undefined): void {
    const { store, onEvent } = this.#parts;
    for (const one of carried) {
      const feedback = placed(one, of);
      const [fate = 'gone'] = feedback === undefined ? [] : store.feedback.put([feedback]);
      onEvent({ type: 'feedback-arrived', way: one.way, fate: feedback === undefined ? 'unplaced' : fate });
    }
  }

  /** Counts what has not been counted, and keeps the polarity with the conversation. */
  fold({ row, id, labels, feedback }: StoredConversation, count: CountFeedback): void {
    const { store } = this.#parts;
    const kept = store.feedback.find(id);
    if (kept.length === 0) return;
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
