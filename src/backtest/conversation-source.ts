/** Conversations of a store, understood again from their spans, with their truth, as the engine would. One is kept: turns of it come one after the other. */
import { buildConversation } from '../assemble/build-conversation.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import type { Turn } from '../model/turn.ts';
import type { IdKeys } from '../normalize/id-keys.ts';
import type { ConversationReader, TraceRow } from '../store/conversation-reader.ts';
import type { ConversationRow } from '../store/conversation-row.ts';
import type { TraceContent } from '../store/engine-store.ts';
import type { EvaluationScanner } from '../store/evaluation-scan.ts';
import { withFeedback } from '../engine/taken-feedback.ts';
import { Truths, type WrittenTruth } from '../engine/truths.ts';
import { turnsOfTrace } from '../engine/turns-of-trace.ts';

export interface UnderstoodConversation {
  readonly whole: Conversation;
  /** A turn as a conversation of its own. */
  readonly alone: (turn: Turn) => Conversation;
}

type Source = UnderstoodConversation | 'spans-not-kept' | 'not-understood';

export class ConversationSource {
  readonly #reader: ConversationReader & EvaluationScanner;
  readonly #idKeys: IdKeys | undefined;
  readonly #truth: WrittenTruth | undefined;
  #last: { readonly row: number; readonly source: Source } | undefined;

  constructor(parts: {
    readonly reader: ConversationReader & EvaluationScanner;
    readonly idKeys: IdKeys | undefined;
    readonly truth: WrittenTruth | undefined;
  }) {
    this.#reader = parts.reader;
    this.#idKeys = parts.idKeys;
    this.#truth = parts.truth;
  }

  async of(conversation: ConversationRow): Promise<Source> {
    if (this.#last?.row === conversation.row) return this.#last.source;
    const source = await this.#read(conversation);
    this.#last = { row: conversation.row, source };
    return source;
  }

  async #read(conversation: ConversationRow): Promise<Source> {
    const { conversationId: id } = conversation;
    const traces = await this.#reader.traces(conversation);
    if (traces.length === 0) return 'spans-not-kept';
    const put = await this.#reader.truthOf(conversation);
    const said = await this.#reader.feedbackOf(conversation);
    const turns: Turn[] = [];
    for (const trace of traces) {
      const content = await this.#content(trace);
      if (content === undefined) return 'spans-not-kept';
      try {
        turns.push(...turnsOfTrace(content, this.#idKeys));
      } catch {
        // Said as a number, and by the service when it happened there.
        return 'not-understood';
      }
    }
    if (turns.length === 0) return 'not-understood';
    const truths = new Truths({ find: (): Json | undefined => put }, this.#truth);
    return {
      whole: withFeedback(truths.addTo(buildConversation(id, turns)), said, 'conversation'),
      alone: (turn) => withFeedback(truths.addTo(buildConversation(id, [turn])), said, 'turn'),
    };
  }

  async #content(trace: TraceRow): Promise<TraceContent | undefined> {
    try {
      return await this.#reader.content(trace);
    } catch {
      // The row exists, and its bytes do not, or no longer.
      return undefined;
    }
  }
}
