/** Closed turns as they cross to the scoring thread: with their bytes, read from the journal or from the spool of a lane. */
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import { type Arrival, ArrivalReader, closedInLog } from '../../engine/arrival.ts';
import { JournalReader } from '../../journal/journal-reader.ts';
import type { SentTurn } from './scoring-protocol.ts';

export interface PackedTurn {
  readonly turn: SentTurn;
  /** Moved to the thread instead of being copied. */
  readonly transfer: ArrayBuffer[];
}

export class TurnPacker {
  readonly #files: JournalReader;
  readonly #arrivals: ArrivalReader;

  constructor(directory: string) {
    this.#files = new JournalReader(directory);
    this.#arrivals = new ArrivalReader((position, length) => this.#files.read(position, length));
  }

  /** `writtenTo`: the files are complete up to this position. */
  pack(turn: ClosedTurn, writtenTo: number): PackedTurn {
    try {
      this.#files.completeTo(writtenTo);
      const arrival = this.#arrivals.arrivalOf(turn);
      return { turn: { arrival }, transfer: buffersOf(arrival.content) };
    } catch (error) {
      const unreadable = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { turn: { unreadable, closed: closedInLog(turn) }, transfer: [] };
    }
  }

  /** The log's files have been rewritten. */
  reopen(): void {
    this.#files.reopen();
  }

  close(): void {
    this.#files.close();
  }
}

/** Buffers of an arrival, which hold nothing else, so they can be transferred. */
function buffersOf({ traces, logs }: Arrival['content']): ArrayBuffer[] {
  return [traces, logs].flatMap((bytes) => (bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : []));
}
