/** Bytes of turns that lanes closed, read from the spool and packed for the scoring thread. */
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import { contentOfRows, GroupCache } from '../../assemble/trace-content.ts';
import { JournalReader } from '../../journal/journal-reader.ts';
import type { Spool } from '../../kafka/turn-spool.ts';
import type { TraceContent } from '../../store/engine-store.ts';
import type { LaneTurn } from '../scoring-protocol.ts';
import type { PackedForThread } from '../scorer.ts';

export class LaneBytes {
  readonly #spool: Spool;
  readonly #reader: JournalReader;
  readonly #groups = new GroupCache();

  constructor(spool: Spool) {
    this.#spool = spool;
    this.#reader = new JournalReader(spool.directory);
  }

  /** The turn as the scoring thread gets it. */
  pack(turn: ClosedTurn): PackedForThread {
    try {
      const arrival = this.read(turn);
      return { turn: { arrival }, transfer: buffersOf(arrival.content) };
    } catch (error) {
      return { turn: { unreadable: error instanceof Error ? error.message : String(error) }, transfer: [] };
    }
  }

  /** Throws if the spool has lost the bytes. */
  read({ traceId, closedAt, cause, rows, spansAreDistinct }: ClosedTurn): LaneTurn {
    this.#reader.completeTo(this.#spool.end);
    const read = (position: number, length: number) => this.#reader.read(position, length);
    return { traceId, closedAt, cause, ...contentOfRows({ rows, read, groups: this.#groups, spansAreDistinct }) };
  }

  close(): void {
    this.#reader.close();
  }
}

/** They are the turn's alone, and move to the thread instead of being copied. */
function buffersOf({ traces, logs }: TraceContent): ArrayBuffer[] {
  return [traces, logs].flatMap((bytes) => (bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : []));
}
