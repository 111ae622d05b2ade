/** The clock of retention, kept in the store over restarts. */
import { type ClockReading, type ClockState, readClock } from '../retention-clock.ts';
import type { Store } from './store.ts';

/** While nothing is wrong it is written once an hour: an idle service must not wake the disk. */
const WRITE_AFTER_MS = 3_600_000;

export class KeptClock {
  readonly #store: Pick<Store, 'noted' | 'note'>;
  readonly #wall: () => number;
  readonly #elapsed: () => number;
  #state: ClockState;
  #writtenAt = 0;
  #readAt: number;

  /** The wall clock, and a clock that does not jump, in milliseconds. Belongs between transactions. */
  constructor(
    store: Pick<Store, 'noted' | 'note'>,
    { wall, elapsed }: { readonly wall: () => number; readonly elapsed: () => number } = {
      wall: () => Date.now(),
      elapsed: () => performance.now(),
    },
  ) {
    this.#store = store;
    this.#wall = wall;
    this.#elapsed = elapsed;
    this.#readAt = elapsed();
    const trusted = store.noted('retention_trusted');
    const heldWall = store.noted('retention_held_wall');
    const held = heldWall === 0 ? undefined : { wall: heldWall, forMs: store.noted('retention_held_ms') };
    this.#state = trusted === 0 ? this.#anchored() : { trusted, held };
  }

  /** A new store trusts the time of its creation: the clock may jump before the first round of retention. */
  #anchored(): ClockState {
    const trusted = this.#wall();
    this.#keep({ trusted, held: undefined });
    return { trusted, held: undefined };
  }

  /** Belongs inside a transaction. */
  read(): ClockReading {
    const at = this.#elapsed();
    const before = this.#state;
    const reading = readClock(before, { wall: this.#wall(), elapsedMs: at - this.#readAt });
    this.#readAt = at;
    this.#state = reading.state;
    const { trusted, held } = reading.state;
    const isOther = held !== undefined || before.held !== undefined;
    if (isOther || Math.abs(trusted - this.#writtenAt) >= WRITE_AFTER_MS) this.#keep(reading.state);
    return reading;
  }

  #keep({ trusted, held }: ClockState): void {
    this.#writtenAt = trusted;
    this.#store.note('retention_trusted', trusted);
    this.#store.note('retention_held_wall', held?.wall ?? 0);
    this.#store.note('retention_held_ms', held?.forMs ?? 0);
  }
}
