/**
 * Log time: the time during which the log was open, in milliseconds.
 *
 * It starts as the wall clock of the first start, never goes back, does not jump when somebody sets the machine's
 * clock, and stands still while the process is down: a restart must not make every open turn look idle.
 */
export class LogClock {
  readonly #elapsedMs: () => number;
  readonly #base: number;
  #last: number;

  constructor(start: { readonly logTime: number }, elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs;
    this.#base = start.logTime - elapsedMs();
    this.#last = start.logTime;
  }

  now(): number {
    this.#last = Math.max(this.#last, Math.floor(this.#base + this.#elapsedMs()));
    return this.#last;
  }
}
