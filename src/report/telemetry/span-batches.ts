/**
 * Spans that wait to be sent: at most `SPANS_MAX`, of which a request takes `BATCH_MAX`. While there is no room, new spans are dropped and counted.
 */
import type { WrittenSpan } from '../../otlp/otlp-json.ts';

const SPANS_MAX = 2048;
const BATCH_MAX = 512;

export class SpanBatches {
  #pending: WrittenSpan[] = [];
  #dropped = 0;

  /** Whether a whole batch is there. */
  get isFull(): boolean {
    return this.#pending.length >= BATCH_MAX;
  }

  keep(span: WrittenSpan): void {
    if (this.#pending.length < SPANS_MAX) this.#pending.push(span);
    else this.#dropped += 1;
  }

  /** The oldest, which are then no longer here. */
  take(): readonly WrittenSpan[] {
    const batch = this.#pending.slice(0, BATCH_MAX);
    this.#pending = this.#pending.slice(BATCH_MAX);
    return batch;
  }

  /** Spans dropped since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
