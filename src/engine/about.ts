/** Finds the traces that are about a conversation or a user, by the same rules that read their spans for scoring. */
import type { ForgettableNames } from '../store/engine-store.ts';
import { conversationIdFrom } from '../model/conversation-id.ts';
import { type ConversationId, syntheticConversationId, type TraceId } from '../model/ids.ts';
import { mayCarryFeedback } from '../otlp/feedback-events.ts';
import { WireError } from '../otlp/wire.ts';
import { type CarriedFeedback, feedbackIn, feedbackOfLogs } from '../normalize/feedback.ts';
import { type IdKeys, idKeysOf } from '../normalize/id-keys.ts';
import { normalize } from '../normalize/normalize.ts';

export class AboutMatcher {
  readonly #about: ForgettableNames;
  readonly #idKeys: IdKeys | undefined;
  /** Texts of which at least one is in the bytes of spans that concern them; undefined if that cannot be said. */
  readonly #texts: readonly Buffer[] | undefined;

  constructor(about: ForgettableNames, idKeys: readonly string[]) {
    this.#about = about;
    this.#idKeys = idKeysOf(idKeys);
    this.#texts = textsOf(about);
  }

  /** Traces of an export request, or of what the store has of one trace. */
  tracesIn(traces: Uint8Array): ReadonlySet<TraceId> {
    const found = new Set<TraceId>();
    const bytes = Buffer.from(traces.buffer, traces.byteOffset, traces.byteLength);
    if (this.#texts?.every((text) => !bytes.includes(text)) === true) return found;
    try {
      for (const { traceId, conversationId, userId } of normalize({ traces, logs: undefined }, this.#idKeys))
        if (this.#isMeant(traceId, conversationId, userId)) found.add(traceId);
      this.#addFeedback(found, feedbackIn({ traces, logs: undefined }, this.#idKeys));
    } catch (error) {
      // Bytes that cannot be read name nobody.
      if (!(error instanceof WireError)) throw error;
    }
    return found;
  }

  /** Traces of log records with feedback about it; all others come with spans of their trace, which say it. */
  tracesInLogs(logs: Uint8Array): ReadonlySet<TraceId> {
    const found = new Set<TraceId>();
    const bytes = Buffer.from(logs.buffer, logs.byteOffset, logs.byteLength);
    if (!mayCarryFeedback(logs) || this.#texts?.every((text) => !bytes.includes(text)) === true) return found;
    try {
      this.#addFeedback(found, feedbackOfLogs(logs, this.#idKeys, 'log'));
    } catch (error) {
      // As above.
      if (!(error instanceof WireError)) throw error;
    }
    return found;
  }

  #addFeedback(found: Set<TraceId>, feedback: readonly CarriedFeedback[]): void {
    const { conversation, users } = this.#about;
    for (const { traceId, named, user } of feedback)
      if (
        traceId !== undefined &&
        ((named !== undefined && named === conversation) || users.some((one) => one === user))
      )
        found.add(traceId);
  }

  /**
   * Conversations that spans of these traces name. Other turns of them need not say whose they are, so they are found by
   * the conversation.
   */
  conversationsOf(wanted: ReadonlySet<TraceId>, traces: Uint8Array): ReadonlySet<ConversationId> {
    const found = new Set<ConversationId>();
    const bytes = Buffer.from(traces.buffer, traces.byteOffset, traces.byteLength);
    if ([...wanted].every((traceId) => !bytes.includes(Buffer.from(traceId, 'hex')))) return found;
    try {
      for (const { traceId, conversationId } of normalize({ traces, logs: undefined }, this.#idKeys))
        if (wanted.has(traceId) && conversationId !== undefined && conversationId !== '')
          found.add(conversationIdFrom(conversationId));
    } catch (error) {
      // As above.
      if (!(error instanceof WireError)) throw error;
    }
    return found;
  }

  #isMeant(traceId: TraceId, named: string | undefined, userId: string | undefined): boolean {
    const { conversation, users } = this.#about;
    if (userId !== undefined && users.includes(userId)) return true;
    if (conversation === undefined) return false;
    if (named !== undefined && named !== '') return conversationIdFrom(named) === conversation;
    return syntheticConversationId(traceId) === conversation;
  }
}

const SHORTENED = /^(.*)~[0-9a-f]{32}$/s;
const NUMBER = /^-?\d+$/;
/** JSON may write other characters in another way. */
const PLAIN = /^[\w.@:/+=-]+$/;

/** Most bytes are about somebody else, and searching them is a hundred times cheaper than reading them. */
function textsOf({ conversation, users }: ForgettableNames): readonly Buffer[] | undefined {
  if (users.some((user) => NUMBER.test(user) || !PLAIN.test(user))) return undefined;
  if (conversation === undefined) return users.map((user) => Buffer.from(user));
  const [, traceId] = /^trace:([0-9a-f]{32})$/.exec(conversation) ?? [];
  if (traceId !== undefined) return [Buffer.from(traceId, 'hex')];
  const [, beginning] = SHORTENED.exec(conversation) ?? [];
  const text = (beginning ?? conversation).replace(/^id:/, '');
  return NUMBER.test(text) || !PLAIN.test(text) ? undefined : [Buffer.from(text)];
}
