/**
 * From a turn that a lane has closed to what the store files of it: its bytes, and what they say about the conversation that they belong to. Runs on
 * the main thread, because the scoring thread is the bottleneck.
 */
import { buildTurns } from '../../assemble/build-turns.ts';
import { evidenceOf, linksOf } from '../../assemble/conversation-evidence.ts';
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import { contentOfRows, GroupCache } from '../../assemble/trace-content.ts';
import { isBare, isWhole } from '../../assemble/turns/fragments.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import type { Spool } from '../../kafka/turn-spool.ts';
import { JournalReader } from '../../journal/journal-reader.ts';
import { normalize } from '../../normalize/normalize.ts';
import type { Arrival } from '../../store/cluster-store.ts';
import type { PackedForThread } from '../scorer.ts';
import { namedConversationOf } from '../../engine/conversation-labels.ts';

/** Without the positions of its lane. */
export type MadeArrival = Omit<Arrival, 'positions'>;

type Identity = Pick<Arrival, 'conversationId' | 'has' | 'wants' | 'linked' | 'keysLater' | 'standsAlone'>;

const UNKNOWN: Identity = { conversationId: undefined, has: [], wants: [], linked: [], standsAlone: false };

export class ArrivalMaker {
  readonly #spool: Spool;
  readonly #reader: JournalReader;
  readonly #idKeys: IdKeys | undefined;
  readonly #groups = new GroupCache();

  constructor(options: { readonly spool: Spool; readonly idKeys: readonly string[] }) {
    this.#spool = options.spool;
    this.#reader = new JournalReader(options.spool.directory);
    this.#idKeys = idKeysOf(options.idKeys);
  }

  /** The turn as the scoring thread gets it. */
  pack(turn: ClosedTurn, options: { readonly wantsKeys: boolean }): PackedForThread {
    try {
      const arrival = this.make(turn, options);
      return { turn: { arrival }, transfer: buffersOf(arrival.content) };
    } catch (error) {
      return { turn: { unreadable: error instanceof Error ? error.message : String(error) }, transfer: [] };
    }
  }

  close(): void {
    this.#reader.close();
  }

  /** `wantsKeys`: see `FilingStore`. Throws if the spool has lost the bytes. */
  make(turn: ClosedTurn, { wantsKeys }: { readonly wantsKeys: boolean }): MadeArrival {
    const { traceId, closedAt, cause, rows, spansAreDistinct } = turn;
    this.#reader.completeTo(this.#spool.end);
    const read = (position: number, length: number) => this.#reader.read(position, length);
    const { content, spans } = contentOfRows({ rows, read, groups: this.#groups, spansAreDistinct });
    return { traceId, closedAt, cause, spans, content, ...this.#identify(content, wantsKeys) };
  }

  /** What can't be understood says nothing of itself; who judges it says why. */
  #identify(content: Arrival['content'], wantsKeys: boolean): Identity {
    try {
      const turns = buildTurns(normalize(content, this.#idKeys));
      const standsAlone = turns.every((part) => isWhole(part) && !isBare(part) && !part.ended);
      const conversationId = namedConversationOf(turns);
      // Finding keys decodes all messages, a third of what this costs.
      return conversationId !== undefined && !wantsKeys
        ? { conversationId, has: [], wants: [], linked: linksOf(turns), keysLater: true, standsAlone }
        : { conversationId, ...evidenceOf(turns), standsAlone };
    } catch {
      return UNKNOWN;
    }
  }
}

/** They are the arrival's alone, and move to the thread instead of being copied. */
function buffersOf({ traces, logs }: MadeArrival['content']): ArrayBuffer[] {
  return [traces, logs].flatMap((bytes) => (bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : []));
}
