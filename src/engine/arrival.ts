/** A closed turn on its way to the engine: its bytes, its log time, why it closed. The same from every log. */
import type { CloseCause } from '../model/causes.ts';
import type { ClosedTurn } from '../assemble/open-turns.ts';
import { contentOfRows, GroupCache } from '../assemble/trace-content.ts';
import type { Turn } from '../model/turn.ts';
import type { TraceContent } from '../store/engine-store.ts';

/** Without its bytes. */
export interface ClosedInLog {
  readonly traceId: ClosedTurn['traceId'];
  readonly cause: CloseCause;
  readonly closedAt: number;
  /** Position behind it in a log of positions, which the store keeps with the trace; 0 in other logs. */
  readonly position: number;
  /** Spans and log records that it consists of, to be counted. */
  readonly rows: number;
}

/** A closed turn, or what came of it after its close. */
export interface Arrival extends ClosedInLog {
  /** Distinct spans. */
  readonly spans: number;
  readonly content: TraceContent;
  /** Turns of the content, if it was understood before by the same rules. */
  readonly turns?: readonly Turn[] | undefined;
}

/** Reads the bytes of closed turns from where their log has them. */
export class ArrivalReader {
  readonly #read: (position: number, length: number) => Uint8Array;
  readonly #groups = new GroupCache();

  constructor(read: (position: number, length: number) => Uint8Array) {
    this.#read = read;
  }

  /** Throws if the log has lost the bytes. */
  arrivalOf(turn: ClosedTurn): Arrival {
    const { rows, spansAreDistinct } = turn;
    const taken = contentOfRows({ rows, read: this.#read, groups: this.#groups, spansAreDistinct });
    return { ...closedInLog(turn), ...taken };
  }
}

export function closedInLog({ traceId, cause, closedAt, position, rows }: ClosedTurn): ClosedInLog {
  return { traceId, cause, closedAt, position, rows: rows.length };
}
