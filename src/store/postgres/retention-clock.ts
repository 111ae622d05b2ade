/**
 * The clock of retention for many instances: the database's time, so that an instance whose own clock is wrong reads
 * what the others read. Each instance counts by a clock of its own that does not jump for how long a new time has stood,
 * and keeps that in the database, where an instance that starts goes on from it.
 */
import { type ClockReading, type ClockState, readClock } from '../retention-clock.ts';
import type { Link } from './link.ts';

interface Kept {
  readonly wall: number;
  readonly trusted: number | null;
  readonly heldWall: number | null;
  readonly heldMs: number;
}

/**
 * Trusts the time at which the store is opened first. Otherwise a clock that jumps before the first round of retention
 * would have nothing to be compared with.
 */
export async function anchorRetentionClock(link: Link): Promise<void> {
  await link.use((session) => session.once(ANCHOR));
}

export class SharedRetentionClock {
  readonly #link: Link;
  #last: { readonly state: ClockState; readonly readAt: number } | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  async read(wall?: number): Promise<ClockReading> {
    return this.#link.use(async (session) => {
      const [kept] = await session.once<Kept>(READ);
      if (kept === undefined) throw new Error('store: the row of the retention clock is missing');
      const readAt = performance.now();
      const elapsedMs = readAt - (this.#last?.readAt ?? readAt);
      const reading = readClock(this.#last?.state ?? stateOf(kept), { wall: wall ?? kept.wall, elapsedMs });
      const { state } = reading;
      this.#last = { state, readAt };
      if (state.held === undefined) await session.once(TRUST, [Math.round(state.trusted)]);
      else await session.once(HOLD, [state.held.wall, Math.round(state.held.forMs)]);
      return reading;
    });
  }
}

function stateOf({ trusted, heldWall, heldMs }: Kept): ClockState | undefined {
  if (trusted === null) return undefined;
  return { trusted, held: heldWall === null ? undefined : { wall: heldWall, forMs: heldMs } };
}

const READ = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS wall, trusted, held_wall AS "heldWall",
  held_ms AS "heldMs" FROM retention_clock`;
const ANCHOR =
  'UPDATE retention_clock SET trusted = (extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE trusted IS NULL';
const TRUST = 'UPDATE retention_clock SET trusted = $1, held_wall = NULL, held_ms = 0';
/** Keeps the count of the instance that has been there for longest. */
const HOLD = 'UPDATE retention_clock SET held_wall = $1, held_ms = greatest(held_ms, $2)';
