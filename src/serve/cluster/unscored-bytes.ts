/**
 * How much has closed that the cluster's time has not passed yet, and so can't be judged: lanes that were read faster than the slowest.
 * In bytes, and by tenths of a second, so that it costs nothing to know.
 */
const STEP_MS = 100;

export class AheadOfTime {
  /** By the end of each step. */
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
