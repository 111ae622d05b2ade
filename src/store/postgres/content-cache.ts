/**
 * Turns that this process has filed lately. Most are scored seconds later: then their bytes need not come back from the database, and the newest need not
 * be understood again.
 */
import type { FiledArrival } from '../cluster-store.ts';
import type { TraceContent } from '../engine-store.ts';

export type CachedArrival = Pick<FiledArrival, 'cause' | 'spans' | 'content' | 'turns'>;

/** As bytes of their spans; understood, they take several times as much memory. */
const UNDERSTOOD_BYTES_MAX = 8 << 20;

export class ContentCache {
  /** By the number of the arrival, oldest first. */
  readonly #arrivals = new Map<number, CachedArrival>();
  readonly #bytesMax: number;
  #bytes = 0;
  /** Numbers of the arrivals whose turns are kept, oldest first. */
  readonly #understood = new Set<number>();
  #understoodBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  put(id: number, { cause, spans, content, turns }: CachedArrival): void {
    this.drop(id);
    this.#arrivals.set(id, { cause, spans, content, turns });
    this.#bytes += bytesOf(content);
    if (turns !== undefined) {
      this.#understood.add(id);
      this.#understoodBytes += bytesOf(content);
    }
    for (const oldest of this.#understood) {
      if (this.#understoodBytes <= UNDERSTOOD_BYTES_MAX) break;
      this.#forgetTurns(oldest);
    }
    for (const oldest of this.#arrivals.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.drop(oldest);
    }
  }

  get(id: number): CachedArrival | undefined {
    return this.#arrivals.get(id);
  }

  /** They are needed once: a trace that changes is understood again as a whole. */
  takeTurns(id: number): CachedArrival['turns'] {
    const turns = this.#arrivals.get(id)?.turns;
    this.#forgetTurns(id);
    return turns;
  }

  drop(id: number): void {
    this.#forgetTurns(id);
    const arrival = this.#arrivals.get(id);
    if (arrival !== undefined) this.#bytes -= bytesOf(arrival.content);
    this.#arrivals.delete(id);
  }

  #forgetTurns(id: number): void {
    const arrival = this.#arrivals.get(id);
    if (arrival === undefined || !this.#understood.delete(id)) return;
    this.#understoodBytes -= bytesOf(arrival.content);
    this.#arrivals.set(id, { ...arrival, turns: undefined });
  }
}

function bytesOf({ traces, logs }: TraceContent): number {
  return traces.length + (logs?.length ?? 0);
}
