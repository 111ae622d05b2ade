/** Work that goes on until it is stopped. Repeated calls start it once, and `stop` resolves when it has ended. */
export class Stoppable {
  readonly #run: (signal: AbortSignal) => Promise<void>;
  #running: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  /** `run` must not reject, and ends soon after the signal. */
  constructor(run: (signal: AbortSignal) => Promise<void>) {
    this.#run = run;
  }

  /** False as soon as a stop was asked for. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  start(): void {
    if (this.#running !== undefined) return;
    const stop = new AbortController();
    this.#running = { stop, done: this.#run(stop.signal) };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort();
    await running?.done;
  }
}
