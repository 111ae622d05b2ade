/** Turns that this process has filed lately: most are judged seconds later, and their bytes need not come back from the database. */
import type { Arrival } from '../cluster-store.ts';
import type { TraceContent } from '../engine-store.ts';

export type CachedArrival = Pick<Arrival, 'cause' | 'spans' | 'content'>;

export class ContentCache {
  /** By the number of the arrival, oldest first. */
  readonly #arrivals = new Map<number, CachedArrival>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  put(id: number, { cause, spans, content }: CachedArrival): void {
    this.drop(id);
    this.#arrivals.set(id, { cause, spans, content });
    this.#bytes += bytesOf(content);
    for (const oldest of this.#arrivals.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.drop(oldest);
    }
  }

  get(id: number): CachedArrival | undefined {
    return this.#arrivals.get(id);
  }

  drop(id: number): void {
    const arrival = this.#arrivals.get(id);
    if (arrival !== undefined) this.#bytes -= bytesOf(arrival.content);
    this.#arrivals.delete(id);
  }
}

function bytesOf({ traces, logs }: TraceContent): number {
  return traces.length + (logs?.length ?? 0);
}
