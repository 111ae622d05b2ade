/**
 * Sends records, idempotent and to all in-sync replicas. Records that several callers send at once go together, in the
 * order of the calls.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaError, type KafkaProducer, type RecordToSend } from '../kafka-client.ts';
import type { KafkaConnection } from '../kafka-connection.ts';
import { BatchSender, type PartitionRecords, sizeOf } from './batch-sender.ts';
import { Brokers, type LogLine } from './brokers.ts';
import type { ProducerCodec } from './codecs.ts';
import { choosePartition } from './partition-choice.ts';
import { kafkaError } from './problem-words.ts';
import { ClientProblems } from './problems.ts';
import { newIdentity } from './producer-identity.ts';
import { TopicMap } from './topic-map.ts';

interface ProducerOptions {
  readonly connection: KafkaConnection;
  readonly compression?: ProducerCodec;
  readonly requestTimeoutMs?: number;
  /** How long it is tried before `send` rejects. */
  readonly deliveryTimeoutMs?: number;
  readonly onLog?: LogLine;
}

interface Sending {
  readonly topic: string;
  readonly records: readonly RecordToSend[];
  readonly resolve: () => void;
  readonly reject: (error: KafkaError) => void;
}

interface SharedPartition extends PartitionRecords {
  readonly records: RecordToSend[];
  readonly from: Set<Sending>;
}

const ROUND_BYTES = 8 * 1024 * 1024;
const RETRY_MS = 100;
const STOP_LIMIT_MS = 5_000;

export class KafkajsProducer implements KafkaProducer {
  readonly #brokers: Brokers;
  readonly #topics: TopicMap;
  readonly #codec: ProducerCodec;
  readonly #deliveryTimeoutMs: number;
  readonly #waiting: Sending[] = [];
  #sender: BatchSender | undefined;
  #loop: Promise<void> | undefined;
  #stopped = false;

  constructor(options: ProducerOptions) {
    const { requestTimeoutMs = 15_000, deliveryTimeoutMs = 30_000, compression = 'none' } = options;
    this.#brokers = new Brokers(options.connection, { requestTimeoutMs, onLog: options.onLog });
    // A problem with a topic is reported to the caller that sends there.
    this.#topics = new TopicMap(this.#brokers, [], new ClientProblems(() => undefined));
    this.#codec = compression;
    this.#deliveryTimeoutMs = deliveryTimeoutMs;
  }

  async send(topic: string, records: readonly RecordToSend[]): Promise<void> {
    if (this.#stopped) throw new KafkaError('the producer is stopped', { retriable: false });
    if (records.length === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ topic, records, resolve, reject });
    this.#loop ??= this.#run();
    await promise;
  }

  /** After what is being sent, where the brokers take it soon. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.race([this.#loop, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    this.#brokers.close();
    await this.#loop;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#round(this.#nextRound());
    this.#loop = undefined;
  }

  async #round(round: readonly Sending[]): Promise<void> {
    const deadline = performance.now() + this.#deliveryTimeoutMs;
    const known: Sending[] = [];
    await Promise.all(
      [...Map.groupBy(round, ({ topic }) => topic)].map(async ([topic, sendings]) => {
        try {
          await this.#know(topic, deadline);
          known.push(...sendings);
        } catch (error) {
          for (const sending of sendings) sending.reject(failure(error, topic));
        }
      }),
    );
    const partitions = this.#divide(round.filter((sending) => known.includes(sending)));
    try {
      const sender = await this.#identified(deadline);
      const failures = await sender.send(partitions, deadline);
      for (const [index, { from }] of partitions.entries()) {
        const refusal = failures[index];
        if (refusal !== undefined) for (const sending of from) sending.reject(refusal);
      }
      // Rejected records are not reported again.
      for (const sending of known) sending.resolve();
    } catch (error) {
      for (const sending of known) sending.reject(failure(error, sending.topic));
    }
  }

  #nextRound(): Sending[] {
    let bytes = 0;
    let count = 0;
    for (const { records } of this.#waiting) {
      for (const record of records) bytes += sizeOf(record);
      count++;
      if (bytes > ROUND_BYTES) break;
    }
    return this.#waiting.splice(0, count);
  }

  async #know(topic: string, deadline: number): Promise<void> {
    this.#topics.add(topic);
    while (!this.#topics.partitionCounts().has(topic)) {
      try {
        await this.#topics.refresh();
        const refusal = this.#topics.errorOf(topic);
        if (refusal !== undefined) throw refusal;
      } catch (error) {
        if (!failure(error, topic).retriable || performance.now() > deadline) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  async #identified(deadline: number): Promise<BatchSender> {
    while (this.#sender === undefined || this.#sender.isBroken) {
      try {
        const identity = await newIdentity(this.#brokers, this.#brokers.anyNode());
        this.#sender = new BatchSender({ brokers: this.#brokers, leaders: this.#topics, identity, codec: this.#codec });
      } catch (error) {
        if (!failure(error, '').retriable || performance.now() > deadline) throw error;
        await sleep(RETRY_MS);
      }
    }
    return this.#sender;
  }

  #divide(round: readonly Sending[]): SharedPartition[] {
    const divided = new Map<string, SharedPartition>();
    for (const sending of round) {
      const { topic } = sending;
      try {
        const chosen = sending.records.map((record) => ({
          record,
          partition: choosePartition(topic, record, this.#topics),
        }));
        for (const { record, partition } of chosen) {
          const key = `${topic}/${partition}`;
          const shared = divided.get(key) ?? { topic, partition, records: [], from: new Set() };
          divided.set(key, shared);
          shared.records.push(record);
          shared.from.add(sending);
        }
      } catch (error) {
        sending.reject(failure(error, topic));
      }
    }
    return [...divided.values()];
  }
}

function failure(error: unknown, topic: string): KafkaError {
  return kafkaError(error, { doing: `send records to topic ${topic}`, topic });
}
