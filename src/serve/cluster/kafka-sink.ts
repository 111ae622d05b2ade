/**
 * Sink of a gateway: writes what its receivers take into the topics of Kafka, keyed by trace id. A client is answered
 * once all in-sync replicas have its spans. The producer sends records of several clients together.
 */
import { KafkaError, type KafkaProducer, type RecordToSend } from '../../kafka/kafka-client.ts';
import { splitByTrace, type TracePart } from '../../receive/split-by-trace.ts';
import type { Admission, BatchSink, ReceivedBatch, RejectedRecords } from '../../receive/sink.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';

interface KafkaSinkOptions {
  readonly producer: KafkaProducer;
  /** Undefined: records of this signal are dropped, because nobody would read them. */
  readonly topics: { readonly traces: string | undefined; readonly logs: string | undefined };
  readonly recordBytesMax: number;
}

export class KafkaSink implements BatchSink {
  readonly #options: KafkaSinkOptions;

  constructor(options: KafkaSinkOptions) {
    this.#options = options;
  }

  async accept(batch: ReceivedBatch): Promise<Admission> {
    const { producer, topics, recordBytesMax } = this.#options;
    const topic = topics[batch.signal];
    if (topic === undefined) return { admitted: true };
    const parts = splitByTrace(batch, { bytesMax: recordBytesMax });
    try {
      await producer.send(topic, parts.map(toRecord));
      return { admitted: true };
    } catch (error) {
      // Something in it will never be taken, and must not take the rest with it.
      if (error instanceof KafkaError && !error.retriable) return this.#sendOneByOne(topic, parts);
      return notAdmitted(error);
    }
  }

  async #sendOneByOne(topic: string, parts: readonly TracePart[]): Promise<Admission> {
    let rejected: RejectedRecords | undefined;
    for (const part of parts) {
      try {
        await this.#options.producer.send(topic, [toRecord(part)]);
      } catch (error) {
        if (!(error instanceof KafkaError) || error.retriable) return notAdmitted(error);
        rejected = {
          reason: 'too_large',
          records: (rejected?.records ?? 0) + part.rows,
          message: `kafka: ${error.message}`,
        };
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
