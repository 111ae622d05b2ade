/** Lets a fixed number of tasks run at a time. The others wait in line, in order, and give up after a while. */
export class Turnstile {
  readonly #max: number;
  readonly #waitMsMax: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({ max, waitMsMax }: { readonly max: number; readonly waitMsMax: number }) {
    this.#max = max;
    this.#waitMsMax = waitMsMax;
  }

  /** Undefined if its turn did not come in time; the task was not started then. */
  async run<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#running < this.#max) this.#running += 1;
    else if ((await this.#turn()) === 'never') return undefined;
    try {
      return await task();
    } finally {
      // A leaving caller hands on its place, so that no other gets in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #turn(): Promise<'mine' | 'never'> {
    const { promise, resolve } = Promise.withResolvers<'mine' | 'never'>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(called), 1);
      resolve('never');
    }, this.#waitMsMax);
    const called = () => {
      clearTimeout(timer);
      resolve('mine');
    };
    this.#waiting.push(called);
    return promise;
  }
}
