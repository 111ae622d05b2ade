/**
 * Decides where a request is read. Most are small and are read at once, in a millisecond or a few. A large one, sixty
 * megabytes of JSON at the worst, would hold up every other client for a second: it goes to a thread of its own, which
 * is started when the first such request comes.
 *
 * A text that somebody made to keep redaction busy takes a thousand times as long as an ordinary one of its size. So
 * redaction is given up here after a while, and begun again in the thread. Once a request has taken far too long here, for
 * a while only the smallest are read here, and all others in the thread.
 */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../model/start-thread.ts';
import { countRecords } from '../otlp/count-records.ts';
import type { RedactionRules } from '../model/redaction.ts';
import { RequestRedactor } from '../redact/request-redactor.ts';
import { RedactionOverdue } from '../redact/text-redactor.ts';
import type { Format } from './status.ts';
import { type RequestBody, type Understood, understandRequest } from './understand-request.ts';

const KIB = 1024;
/** About five milliseconds' worth. */
const AT_ONCE_BYTES_MAX = { json: 1024 * KIB, protobuf: 8192 * KIB } as const satisfies Record<Format, number>;
/** However small they are, each takes a microsecond, and many times that with redaction. */
const AT_ONCE_RECORDS_MAX = 2_000;
/** Redaction goes over it again. */
const AT_ONCE_REDACTED_BYTES_MAX = { json: 512 * KIB, protobuf: 1024 * KIB } as const satisfies Record<Format, number>;
/** RE2 takes a microsecond or more for each match of the user's own patterns. */
const AT_ONCE_SEARCHED_BYTES_MAX = { json: 256 * KIB, protobuf: 256 * KIB } as const satisfies Record<Format, number>;

/** Far more than an ordinary request of the largest size takes. */
const TOO_SLOW_MS = 25;
const CAREFUL_MS = 5_000;
const AT_ONCE_CAREFUL_BYTES_MAX = 8 * KIB;

export interface ToThread {
  readonly id: number;
  readonly body: RequestBody;
}

export interface FromThread {
  readonly id: number;
  readonly understood: Understood;
}

export class RequestReading {
  readonly #rules: RedactionRules | undefined;
  readonly #redactor: RequestRedactor | undefined;
  readonly #atOnceBytesMax: Readonly<Record<Format, number>>;
  #worker: Worker | undefined;
  #carefulUntil = Number.NEGATIVE_INFINITY;
  #nextId = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<Understood>>();

  constructor(rules: RedactionRules | undefined) {
    this.#rules = rules;
    this.#redactor = rules === undefined ? undefined : new RequestRedactor(rules);
    if (rules === undefined) this.#atOnceBytesMax = AT_ONCE_BYTES_MAX;
    else this.#atOnceBytesMax = rules.custom.length === 0 ? AT_ONCE_REDACTED_BYTES_MAX : AT_ONCE_SEARCHED_BYTES_MAX;
  }

  /** Whether a body is read at once. */
  isAtOnce(format: Format, bytes: Uint8Array): boolean {
    if (bytes.length <= AT_ONCE_CAREFUL_BYTES_MAX) return true;
    if (bytes.length > this.#atOnceBytesMax[format] || performance.now() <= this.#carefulUntil) return false;
    // Records in JSON are long enough for the limit of bytes.
    return format === 'json' || countRecords(bytes, AT_ONCE_RECORDS_MAX) <= AT_ONCE_RECORDS_MAX;
  }

  /** If the thread fails, the promise rejects, and the next large request gets a new thread. */
  readonly understand = (body: RequestBody): Understood | Promise<Understood> => {
    return (this.isAtOnce(body.format, body.bytes) ? this.#readAtOnce(body) : undefined) ?? this.#readAside(body);
  };

  #readAside(body: RequestBody): Promise<Understood> {
    const waiter = Promise.withResolvers<Understood>();
    const id = this.#nextId++;
    this.#waiting.set(id, waiter);
    // A copy, which costs a hundredth of the reading: what is handed over is gone here, and with it whatever else
    // happens to lie in the same memory.
    const bytes = new Uint8Array(body.bytes);
    const { signal, format, recordsMax } = body;
    const message: ToThread = { id, body: { signal, format, recordsMax, bytes } };
    this.#worker ??= this.#start();
    this.#worker.postMessage(message, [bytes.buffer]);
    return waiter.promise;
  }

  /** Undefined if that takes too long here. */
  #readAtOnce(body: RequestBody): Understood | undefined {
    const startedAt = performance.now();
    const redactor = this.#redactor;
    const inTime: Pick<RequestRedactor, 'redact'> | undefined = redactor && {
      redact: (signal, bytes) => redactor.redact(signal, bytes, TOO_SLOW_MS),
    };
    try {
      return understandRequest(body, inTime);
    } catch (error) {
      if (error instanceof RedactionOverdue) return undefined;
      throw error;
    } finally {
      const endedAt = performance.now();
      if (endedAt - startedAt > TOO_SLOW_MS) this.#carefulUntil = endedAt + CAREFUL_MS;
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = startThread({ module: 'understand-thread', from: import.meta.url }, { workerData: this.#rules });
    worker.on('message', ({ id, understood }: FromThread) => {
      this.#waiting.get(id)?.resolve(understood);
      this.#waiting.delete(id);
    });
    worker.on('error', (error: Error) => this.#ended(worker, error));
    worker.on('exit', () => this.#ended(worker, new Error('the thread that reads large requests has ended')));
    // After the listeners: the one for messages would keep the process alive again.
    worker.unref();
    return worker;
  }

  #ended(worker: Worker, cause: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiter of waiting) waiter.reject(cause);
  }
}
