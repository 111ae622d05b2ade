/** Lets a fixed number of tasks run at a time; the others wait in line, in order. */
export class Turnstile {
  readonly #max: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      // A leaving caller hands on its place, so that no other gets in between.
      await promise;
    } else {
      this.#running += 1;
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
