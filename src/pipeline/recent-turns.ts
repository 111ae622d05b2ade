/**
 * The turns understood last. A conversation that ends is scored right after its last turn was, and often from the same
 * spans: without this they would be read and understood a second time.
 */
import type { Turn } from '../model/turn.ts';

interface Recent {
  readonly revision: number;
  readonly turns: readonly Turn[];
  readonly bytes: number;
}

/** Steps keep the bytes that they were read from. */
const BYTES_MAX = 8 << 20;

export class RecentTurns {
  /** By row of the trace, oldest first. */
  readonly #traces = new Map<number, Recent>();
  #bytes = 0;

  keep(trace: number, recent: Recent): void {
    this.drop(trace);
    if (recent.bytes > BYTES_MAX / 4) return;
    this.#traces.set(trace, recent);
    this.#bytes += recent.bytes;
    for (const oldest of this.#traces.keys()) {
      if (this.#bytes <= BYTES_MAX) break;
      this.drop(oldest);
    }
  }

  find(trace: number, revision: number): readonly Turn[] | undefined {
    const recent = this.#traces.get(trace);
    return recent?.revision === revision ? recent.turns : undefined;
  }

  /** Its conversation has been scored. */
  drop(trace: number): void {
    this.#bytes -= this.#traces.get(trace)?.bytes ?? 0;
    this.#traces.delete(trace);
  }
}
