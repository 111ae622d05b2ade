/**
 * Bytes of turns that closed later than the cluster's time, and so cannot be scored yet, because their lanes were read faster than the slowest one.
 * Kept by tenths of a second, so that the sum costs nothing.
 */
const STEP_MS = 100;

export class UnscoredBytes {
  /** Bytes by the end of each step. */
  readonly #steps = new Map<number, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(closedAt: number, bytes: number): void {
    const end = Math.ceil(closedAt / STEP_MS) * STEP_MS;
    this.#steps.set(end, (this.#steps.get(end) ?? 0) + bytes);
    this.#bytes += bytes;
  }

  passed(time: number): void {
    for (const [end, bytes] of this.#steps) {
      if (end > time) continue;
      this.#steps.delete(end);
      this.#bytes -= bytes;
    }
  }
}
