/**
 * Holds what the agent has exported of one run so far, and whether that is all. A trace is complete when its root has
 * ended and no parent that a span names is missing; what is expected of a run is complete when all its traces are and
 * nothing new came for a while.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KnownSpans } from '../../assemble/known-spans.ts';
import type { TraceId } from '../../model/ids.ts';
import { BatchTable } from '../../otlp/batch-table.ts';
import type { RecordedBatch } from '../../engine/recorded/recorded-batch.ts';

/** Far more than any turn may have that is scored whole. */
const BYTES_MAX = 256 << 20;

export type InboxArrival = 'complete' | 'incomplete' | 'nothing';

interface ArrivalLimits {
  /** Silence after which the spans of a run are taken as complete. */
  readonly settleMs: number;
  /** Longest wait, silence or not. */
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

interface KnownTrace {
  readonly spans: KnownSpans;
  rootEnded: boolean;
}

export class RunInbox {
  readonly #given: ReadonlySet<string>;
  readonly #traces = new Map<TraceId, KnownTrace>();
  readonly #batches: RecordedBatch[] = [];
  #bytes = 0;
  #leftOut = 0;
  #newAt = Number.NEGATIVE_INFINITY;
  #changed = Promise.withResolvers<void>();

  /** `givenParents`: spans that the agent was given as parents. They are never exported, so they are not missed. */
  constructor(givenParents: readonly string[]) {
    this.#given = new Set(givenParents);
  }

  get batches(): readonly RecordedBatch[] {
    return this.#batches;
  }

  /** Spans and log records that were too much to be kept. */
  get leftOut(): number {
    return this.#leftOut;
  }

  add(batch: RecordedBatch): void {
    if (this.#bytes + batch.bytes.length > BYTES_MAX) {
      this.#leftOut += batch.rows;
      return;
    }
    this.#bytes += batch.bytes.length;
    this.#batches.push(batch);
    const isNew = batch.signal === 'traces' ? this.#connect(BatchTable.read(batch.table)) : true;
    if (!isNew) return;
    this.#newAt = performance.now();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves when what is expected is complete, or when it has been waited for long enough. */
  async arrived({ settleMs, withinMs, signal }: ArrivalLimits): Promise<InboxArrival> {
    const askedAt = performance.now();
    const deadline = askedAt + withinMs;
    for (;;) {
      const now = performance.now();
      const settlesAt = Math.max(this.#newAt, askedAt) + settleMs;
      if (this.#isComplete && now >= settlesAt) return 'complete';
      if (now >= deadline || signal.aborted) return this.#traces.size === 0 ? 'nothing' : this.#arrival;
      const until = Math.min(deadline, this.#isComplete ? settlesAt : deadline);
      const woken = new AbortController();
      const timer = sleep(until - now, undefined, { signal: AbortSignal.any([signal, woken.signal]) });
      // The timer fails when it is not needed any more.
      await Promise.race([this.#changed.promise, timer]).catch(() => undefined);
      woken.abort();
    }
  }

  get #arrival(): InboxArrival {
    return this.#isComplete ? 'complete' : 'incomplete';
  }

  get #isComplete(): boolean {
    return this.#traces.size > 0 && [...this.#traces.values()].every((one) => one.rootEnded && one.spans.missing === 0);
  }

  #connect(table: BatchTable): boolean {
    let isNew = false;
    for (let row = 0; row < table.rowCount; row += 1) {
      const traceId = table.traceId(row);
      if (traceId === undefined || table.isOwn(row)) continue;
      const trace = this.#traces.get(traceId) ?? { spans: new KnownSpans(), rootEnded: false };
      this.#traces.set(traceId, trace);
      const [high, low] = [table.spanIdHigh(row), table.spanIdLow(row)];
      if (trace.spans.hasArrived(high, low)) continue;
      isNew = true;
      trace.spans.arrive(high, low);
      const parent = table.parentSpanId(row);
      if (parent === undefined || table.parentIsRemote(row) || this.#given.has(parent)) trace.rootEnded = true;
      else trace.spans.nameParent(table.parentIdHigh(row), table.parentIdLow(row));
    }
    return isNew;
  }
}
