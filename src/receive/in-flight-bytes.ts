/**
 * How many bytes of requests are on their way through, and the limit on it. Overflow policy: `reject`, and the client
 * sends again. Counted is what has arrived, not what was announced, so that clients that announce much and send nothing
 * keep nobody out.
 */
export class InFlightBytes {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  get isFull(): boolean {
    return this.#used >= this.#max;
  }

  reserve(): Reservation {
    let held = 0;
    const change = (bytes: number) => {
      this.#used += bytes - held;
      held = bytes;
    };
    return {
      tryGrow: (bytes) => {
        if (this.#used + bytes > this.#max) return false;
        change(held + bytes);
        return true;
      },
      change,
      release: () => change(0),
    };
  }
}

/** The bytes of one request. */
export interface Reservation {
  /** False where the limit does not allow it; nothing is taken then. */
  tryGrow(bytes: number): boolean;
  /** Now it is so many bytes, whatever the limit says: they are there already. */
  change(bytes: number): void;
  /** May be called twice. */
  release(): void;
}
