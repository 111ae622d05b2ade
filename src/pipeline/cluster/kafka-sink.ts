/**
 * Where the receivers of a gateway put what they receive: into the topics of Kafka, keyed by trace id. A client is answered once all
 * in-sync replicas have its spans.
 *
 * Requests that come while one is being sent go together in the next: the more come, the fewer round trips each costs.
 */
import { KafkaError, type KafkaProducer, type RecordToSend } from '../../kafka/kafka-client.ts';
import { splitByTrace, type TracePart } from '../../receive/split-by-trace.ts';
import type { Admission, BatchSink, ReceivedBatch } from '../../receive/sink.ts';
import type { Rejection } from '../../receive/status.ts';

export interface KafkaSinkOptions {
  readonly producer: KafkaProducer;
  /** Undefined: records of this signal are let go, since nobody would read them. */
  readonly topics: { readonly traces: string | undefined; readonly logs: string | undefined };
  readonly recordBytesMax: number;
}

interface Waiting {
  readonly topic: string;
  readonly parts: readonly TracePart[];
  readonly bytes: number;
  readonly admitted: PromiseWithResolvers<Admission>;
}

const SENT_TOGETHER_BYTES = 4 << 20;
const RETRY_AFTER_SECONDS = 1;

export class KafkaSink implements BatchSink {
  readonly #options: KafkaSinkOptions;
  #waiting: Waiting[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: KafkaSinkOptions) {
    this.#options = options;
  }

  accept(batch: ReceivedBatch): Promise<Admission> {
    const topic = this.#options.topics[batch.signal];
    if (topic === undefined) return Promise.resolve({ admitted: true });
    const parts = splitByTrace(batch, { bytesMax: this.#options.recordBytesMax });
    const admitted = Promise.withResolvers<Admission>();
    this.#waiting.push({ topic, parts, bytes: batch.bytes.length, admitted });
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return admitted.promise;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const together = this.#takeTogether();
      for (const [topic, requests] of Map.groupBy(together, (request) => request.topic)) {
        await this.#send(topic, requests);
      }
    }
  }

  #takeTogether(): readonly Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((request, index) => {
      bytes += request.bytes;
      return index > 0 && bytes > SENT_TOGETHER_BYTES;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #send(topic: string, requests: readonly Waiting[]): Promise<void> {
    const { producer } = this.#options;
    try {
      await producer.send(
        topic,
        requests.flatMap(({ parts }) => parts.map(toRecord)),
      );
      for (const { admitted } of requests) admitted.resolve({ admitted: true });
    } catch (error) {
      // Something in it will never be taken, and must not take the rest with it.
      const isForGood = error instanceof KafkaError && !error.retriable;
      for (const request of requests) {
        if (!isForGood) request.admitted.resolve(notAdmitted(error));
        else request.admitted.resolve(await this.#sendOneByOne(topic, request.parts));
      }
    }
  }

  async #sendOneByOne(topic: string, parts: readonly TracePart[]): Promise<Admission> {
    let rejected: Rejection | undefined;
    for (const part of parts) {
      try {
        await this.#options.producer.send(topic, [toRecord(part)]);
      } catch (error) {
        if (!(error instanceof KafkaError) || error.retriable) return notAdmitted(error);
        rejected = { records: (rejected?.records ?? 0) + part.rows, message: `kafka: ${error.message}` };
      }
    }
    return { admitted: true, rejected };
  }
}

function toRecord({ traceId, bytes }: TracePart): RecordToSend {
  return { key: traceId, value: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

function notAdmitted(error: unknown): Admission {
  const reason = error instanceof Error ? error.message : String(error);
  return { admitted: false, reason: `kafka: ${reason}`, retryAfterSeconds: RETRY_AFTER_SECONDS };
}
