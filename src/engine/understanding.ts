/**
 * From bytes to turns and conversations. A turn that cannot be read (lost by a disk) or understood (a defect of Assay)
 * is reported and left out, because it must not keep all others from being scored.
 */
import { buildConversation } from '../assemble/build-conversation.ts';
import { type MergedContent, mergeContents } from '../assemble/trace-content.ts';
import type { Conversation } from '../model/conversation.ts';
import { type ModelPrices, PriceTable } from '../model/cost.ts';
import type { EngineEvent } from '../model/events/scoring-events.ts';
import type { ConversationId } from '../model/ids.ts';
import type { Turn } from '../model/turn.ts';
import { type IdKeys, idKeysOf } from '../normalize/id-keys.ts';
import { DamagedContent } from '../store/damaged-content.ts';
import type { EngineStore, StoredConversation, StoredTrace, TraceContent } from '../store/engine-store.ts';
import type { Arrival } from './arrival.ts';
import type { RecentTurns } from './recent-turns.ts';
import type { TakenFeedback } from './taken-feedback.ts';
import type { Truths } from './truths.ts';
import { turnsOfTrace } from './turns-of-trace.ts';

interface UnderstandingParts {
  readonly store: Pick<EngineStore, 'traces'>;
  readonly idKeys: readonly string[];
  readonly recent: RecentTurns;
  readonly truths: Truths;
  readonly feedback: TakenFeedback;
  readonly prices: readonly ModelPrices[] | undefined;
  readonly onEvent: (event: EngineEvent) => void;
  readonly timed: <T>(stage: string, work: () => T) => T;
}

interface UnderstoodArrival {
  /** Spans of the trace, with those that the store had. */
  readonly merged: MergedContent;
  /** Turns of the trace; empty if nothing was added. */
  readonly turns: readonly Turn[];
}

export class Understanding {
  readonly #parts: UnderstandingParts;
  readonly #idKeys: IdKeys | undefined;
  readonly #prices: PriceTable;

  constructor(parts: UnderstandingParts) {
    this.#parts = parts;
    this.#idKeys = idKeysOf(parts.idKeys);
    this.#prices = new PriceTable(parts.prices ?? []);
  }

  arrival(arrival: Arrival, known: StoredTrace | undefined): UnderstoodArrival | undefined {
    try {
      const merged = this.#merged(arrival, known);
      if (merged.added === 0 || merged.spans === 0) return { merged, turns: [] };
      if (known === undefined && arrival.turns !== undefined) return { merged, turns: arrival.turns };
      return { merged, turns: this.#parts.timed('normalizing', () => this.#turnsOf(merged.content)) };
    } catch (error) {
      this.report(`trace ${arrival.traceId}`, error);
      return undefined;
    }
  }

  conversation({ id }: StoredConversation, traces: readonly StoredTrace[]): Conversation | undefined {
    const { store, recent, timed } = this.#parts;
    try {
      const turns = timed('normalizing again for the conversation', () =>
        traces.flatMap(
          ({ row, revision }) => recent.find(row, revision)?.turns ?? this.#turnsOf(store.traces.contentOf(row)),
        ),
      );
      return this.#built(id, turns, 'conversation');
    } catch (error) {
      this.report(`conversation ${id}`, error);
      return undefined;
    }
  }

  /** The turn as a conversation of its own. */
  alone({ id }: Pick<StoredConversation, 'id'>, turn: Turn): Conversation {
    return this.#built(id, [turn], 'turn');
  }

  report(what: string, error: unknown): void {
    if (error instanceof DamagedContent) {
      this.#parts.onEvent({ type: 'content-damaged', what, reason: error.message });
      return;
    }
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#parts.onEvent({ type: 'not-understood', what, reason });
  }

  #merged({ content, spans }: Arrival, known: StoredTrace | undefined): MergedContent {
    if (known === undefined) return { content, spans, added: spans };
    const stored = this.#contentOf(known, { elseFrom: spans });
    if (stored === undefined) return { content, spans, added: spans };
    return this.#parts.timed('putting bytes together', () => mergeContents(stored, content));
  }

  /** Undefined where it is damaged and as many spans have been sent again, so that they replace it. */
  #contentOf({ row, spans }: StoredTrace, { elseFrom }: { readonly elseFrom: number }): TraceContent | undefined {
    try {
      return this.#parts.store.traces.contentOf(row);
    } catch (error) {
      if (!(error instanceof DamagedContent) || elseFrom < spans) throw error;
      return undefined;
    }
  }

  #turnsOf(content: TraceContent): readonly Turn[] {
    return turnsOfTrace(content, this.#idKeys);
  }

  #built(id: ConversationId, turns: readonly Turn[], about: 'conversation' | 'turn'): Conversation {
    const { truths, feedback } = this.#parts;
    return feedback.addTo(truths.addTo(buildConversation(id, turns, this.#prices)), about);
  }
}
