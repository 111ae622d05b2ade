/**
 * Log time, in milliseconds: the wall clock of the start, carried on by a clock that does not jump when somebody sets the
 * machine's. It never goes back.
 *
 * A start continues from the last time that the log or the store knows, because at the wall clock every open turn would
 * look idle. So log time is behind by the time that the process was down, and that nothing came before. It comes back:
 *
 *   behind, turns are open     a tenth faster than the wall clock, until it is there
 *   behind, nothing is open    at once, from a minute on (`catchUp`); less does not matter, and nothing closes early
 *   ahead                      a tenth slower, until the wall clock is there
 *
 * A difference of more than a month is more likely a wrong clock than a pause, and a step forward cannot be taken back.
 * It is believed when the process has run for a day.
 */
const STEERED_BY = 0.1;
const STEP_FROM_MS = 60_000;
const FAR_MS = 31 * 86_400_000;
const BELIEVED_AFTER_MS = 86_400_000;

export class LogClock {
  readonly #elapsedMs: () => number;
  readonly #startedAt: number;
  readonly #wallAtStart: number;
  /** Log time at the start, or what it would have been. */
  #base: number;
  #last: number;

  constructor(
    start: { readonly logTime: number | undefined; readonly wall: number },
    elapsedMs: () => number = () => performance.now(),
  ) {
    this.#elapsedMs = elapsedMs;
    this.#startedAt = elapsedMs();
    this.#wallAtStart = start.wall;
    this.#base = start.logTime ?? start.wall;
    this.#last = this.#base;
  }

  now(): number {
    const passed = this.#passed;
    const wall = this.#wallAtStart + passed;
    const time =
      this.#base < this.#wallAtStart
        ? Math.min(wall, this.#base + passed * (1 + STEERED_BY))
        : Math.max(wall, this.#base + passed * (1 - STEERED_BY));
    this.#last = Math.max(this.#last, Math.floor(time));
    return this.#last;
  }

  /** How far it is behind the wall clock; 0 where it is ahead. */
  get behindMs(): number {
    return Math.max(0, this.#wallAtStart + this.#passed - this.now());
  }

  /** Returns to the wall clock at once. Only called if no turn is open that would look idle. */
  catchUp(): void {
    const behind = this.behindMs;
    const isBelieved = behind <= FAR_MS || this.#passed >= BELIEVED_AFTER_MS;
    if (behind >= STEP_FROM_MS && isBelieved) this.#base = this.#wallAtStart;
  }

  get #passed(): number {
    return this.#elapsedMs() - this.#startedAt;
  }
}
