/**
 * From a turn that closed in a log of positions to what the engine takes. A turn that closes again (after a restart, or with late spans) is
 * recognised by the position up to which the store has its trace:
 *
 *   rows at or behind that position   new: their bytes are put together, and the engine takes them
 *   rows before it                    stored already: left out
 */
import type { ClosedTurn } from '../assemble/open-turns.ts';
import { contentOfRows, GroupCache } from '../assemble/trace-content.ts';
import type { TurnFate } from '../model/events/scoring-events.ts';
import type { EngineStore } from '../store/engine-store.ts';
import type { Engine } from './engine.ts';

interface JournalArrivalsParts {
  readonly store: EngineStore;
  readonly engine: Engine;
  /** Bytes of the log by position. */
  readonly read: (position: number, length: number) => Uint8Array;
  /** Runs a stage and notes what it took, for the benchmark. */
  readonly timed?: <T>(stage: string, work: () => T) => T;
}

export class JournalArrivals {
  readonly #parts: JournalArrivalsParts;
  readonly #groups = new GroupCache();

  constructor(parts: JournalArrivalsParts) {
    this.#parts = parts;
  }

  close(closed: ClosedTurn): TurnFate {
    const fate = this.#close(closed);
    this.#parts.store.raiseFloor({ position: closed.position, logTime: closed.closedAt });
    return fate;
  }

  #close({ traceId, cause, closedAt, position, rows: all, spansAreDistinct }: ClosedTurn): TurnFate {
    const { store, engine, read, timed = untimed } = this.#parts;
    const known = store.traces.find(traceId);
    const rows = known === undefined ? all : all.filter((row) => row.position >= known.position);
    const arrival = { traceId, cause, closedAt, position, rows: all.length };
    if (rows.length === 0) return engine.passStored(arrival);
    let taken: ReturnType<typeof contentOfRows>;
    try {
      taken = timed('putting bytes together', () =>
        contentOfRows({ rows, read, groups: this.#groups, spansAreDistinct }),
      );
    } catch (error) {
      return engine.passUnreadable(arrival, error);
    }
    return engine.arrive({ ...arrival, ...taken });
  }
}

function untimed<T>(_stage: string, work: () => T): T {
  return work();
}
