/**
 * Sends the records of a traffic when they are due, and retries until each is acknowledged. A retried record may be
 * there twice, as with any producer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SentConversation } from './first-evaluations.ts';
import type { ScheduledConversation, TimedRecord } from './cluster-traffic.ts';

/** The destination of the records. */
export interface Transport {
  connect(): Promise<void>;
  /** Rejects if not all of them are acknowledged. */
  send(records: readonly TimedRecord[]): Promise<void>;
  disconnect(): Promise<void>;
}

export interface Produced {
  readonly conversations: number;
  /** The ids of conversations that carry one. */
  readonly ids: ReadonlySet<string>;
  /** By trace, the number of different spans. */
  readonly spans: ReadonlyMap<string, number>;
  /** Conversations whose end is marked. */
  readonly ending: readonly SentConversation[];
  readonly records: number;
  readonly resent: number;
}

export interface TrafficProducerOptions {
  readonly transport: Transport;
  readonly traffic: Iterator<ScheduledConversation>;
  readonly onProgress?: (line: string) => void;
}

const TICK_MS = 50;
const BATCH_MAX = 2000;
const REMEMBERED_MAX = 1000;

interface Due {
  readonly at: number;
  readonly record: TimedRecord;
}

export class TrafficProducer {
  readonly #options: TrafficProducerOptions;
  readonly #ids = new Set<string>();
  readonly #spans = new Map<string, number>();
  readonly #ending: SentConversation[] = [];
  readonly #waiting = new Schedule();
  readonly #recent: TimedRecord[] = [];
  #next: ScheduledConversation | undefined;
  #conversations = 0;
  #records = 0;
  #resent = 0;
  #isEnding = false;
  #running: Promise<void> | undefined;

  constructor(options: TrafficProducerOptions) {
    this.#options = options;
  }

  get records(): number {
    return this.#records;
  }

  get conversations(): number {
    return this.#conversations;
  }

  start(): void {
    this.#running = this.#run();
    // The caller that awaits the end gets the error.
    this.#running.catch(() => {});
  }

  /** Begins no more conversations; those already begun continue to their end. */
  end(): void {
    this.#isEnding = true;
  }

  async ended(): Promise<Produced> {
    await this.#running;
    await this.#options.transport.disconnect();
    return {
      conversations: this.#conversations,
      ids: this.#ids,
      spans: this.#spans,
      ending: this.#ending,
      records: this.#records,
      resent: this.#resent,
    };
  }

  /** Behaves like a producer that has lost its memory: sends already sent records again. */
  async sendAgain(): Promise<number> {
    const records = [...this.#recent];
    await this.#send(records);
    return records.length;
  }

  async #run(): Promise<void> {
    await this.#retrying(() => this.#options.transport.connect());
    const startedAt = performance.now();
    this.#next = this.#take();
    for (;;) {
      const now = performance.now() - startedAt;
      this.#begin(now);
      const due = this.#waiting.takeUntil(now, BATCH_MAX);
      if (due.length > 0) await this.#send(due.map(({ record }) => record));
      if (due.length < BATCH_MAX) {
        if (this.#next === undefined && this.#waiting.size === 0) return;
        await sleep(TICK_MS);
      }
    }
  }

  /** Begins the conversations that are due. */
  #begin(now: number): void {
    for (let next = this.#next; next !== undefined; next = this.#next) {
      if (this.#isEnding) {
        this.#next = undefined;
        return;
      }
      const [first] = next.records;
      if (first !== undefined && first.at > now) return;
      this.#conversations += 1;
      if (next.id !== undefined) this.#ids.add(next.id);
      const { id, ends, spans } = next;
      if (id !== undefined && ends !== undefined) this.#ending.push({ id, ends, spans });
      for (const [traceId, count] of next.spans) this.#spans.set(traceId, count);
      for (const record of next.records) {
        this.#waiting.add({ at: record.at, record });
        if (record.againAt !== undefined) this.#waiting.add({ at: record.againAt, record });
      }
      this.#next = this.#take();
    }
  }

  #take(): ScheduledConversation | undefined {
    const next = this.#options.traffic.next();
    return next.done === true ? undefined : next.value;
  }

  async #send(records: readonly TimedRecord[]): Promise<void> {
    await this.#retrying(() => this.#options.transport.send(records));
    this.#records += records.length;
    this.#recent.push(...records);
    if (this.#recent.length > REMEMBERED_MAX) this.#recent.splice(0, this.#recent.length - REMEMBERED_MAX);
  }

  async #retrying<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        this.#resent += 1;
        this.#options.onProgress?.(`producer: ${error instanceof Error ? error.message : String(error)}; again`);
        await sleep(500);
      }
    }
  }
}

/** Records by their time: a binary heap, earliest first. */
class Schedule {
  readonly #heap: Due[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(due: Due): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(due);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Due;
      if (above.at <= due.at) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = due;
  }

  takeUntil(time: number, max: number): Due[] {
    const taken: Due[] = [];
    for (let first = this.#heap[0]; first !== undefined && first.at <= time; first = this.#heap[0]) {
      if (taken.length >= max) break;
      taken.push(first);
      this.#removeFirst();
    }
    return taken;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const [left, right] = [heap[child] as Due, heap[child + 1]];
      if (right !== undefined && right.at < left.at) child += 1;
      const smaller = heap[child] as Due;
      if (smaller.at >= last.at) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = last;
  }
}
