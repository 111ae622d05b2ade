/**
 * Sends records so that each is in the log once: brokers know us by a producer id and number our batches of each
 * partition, so a batch that is sent again because its answer was lost is recognised.
 *
 * That holds for the same batch under the same number only. So only one batch of a partition is in flight at a time,
 * and it is not rebuilt between attempts. If a batch is given up and its fate is unknown, the producer id is not used
 * again: the next batch would have the same number, and be taken for a duplicate.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaError, type RecordToSend } from '../kafka-client.ts';
import type { Brokers } from './brokers.ts';
import { codecNumber, type ProducerCodec } from './codecs.ts';
import { protocolError } from './internals.ts';
import { byTopic } from './offsets.ts';
import { kafkaError } from './problem-words.ts';
import type { ProducerIdentity } from './producer-identity.ts';

/** All records for one partition, to be there in this order. */
export interface PartitionRecords {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly RecordToSend[];
}

interface Leaders {
  refresh(): Promise<unknown>;
  leaderOf(partition: { readonly topic: string; readonly partition: number }): number | undefined;
}

interface ProduceAnswer {
  readonly topics: readonly {
    readonly topicName: string;
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[];
  }[];
}

interface Queue extends PartitionRecords {
  readonly batches: (readonly RecordToSend[])[];
}

/** Below what topics take by default (`max.message.bytes`); a record that is larger is a batch of its own. */
const BATCH_BYTES = 900_000;
const RETRY_MS = 100;

export class BatchSender {
  readonly #brokers: Brokers;
  readonly #leaders: Leaders;
  readonly #identity: ProducerIdentity;
  readonly #codec: ProducerCodec;
  readonly #sequences = new Map<string, number>();
  #broken = false;

  constructor(options: {
    readonly brokers: Brokers;
    readonly leaders: Leaders;
    readonly identity: ProducerIdentity;
    readonly codec: ProducerCodec;
  }) {
    this.#brokers = options.brokers;
    this.#leaders = options.leaders;
    this.#identity = options.identity;
    this.#codec = options.codec;
  }

  /** A batch was given up whose fate is not known: this one must not be used any longer. */
  get isBroken(): boolean {
    return this.#broken;
  }

  /**
   * Results in the same order: undefined for a batch that is in the log. Partitions must differ. One call at a time.
   */
  async send(partitions: readonly PartitionRecords[], deadline: number): Promise<readonly (KafkaError | undefined)[]> {
    const queues: Queue[] = partitions.map((one) => ({ ...one, batches: batchesOf(one.records) }));
    const failed = new Map<Queue, KafkaError>();
    for (;;) {
      const left = queues.filter((queue) => queue.batches.length > 0 && !failed.has(queue));
      if (left.length === 0) return queues.map((queue) => failed.get(queue));
      const unsent = await this.#round(left, failed);
      if (unsent.length === 0) continue;
      if (performance.now() > deadline) {
        // The batches may be in the log, or get there yet.
        this.#broken = true;
        for (const { queue, error } of unsent) failed.set(queue, error);
        continue;
      }
      await this.#leaders.refresh().catch(() => undefined);
      await sleep(RETRY_MS);
    }
  }

  /** Sends the next batch of each partition; gives those that are to be tried again. */
  async #round(queues: readonly Queue[], failed: Map<Queue, KafkaError>) {
    const unsent: { readonly queue: Queue; readonly error: KafkaError }[] = [];
    const byLeader = Map.groupBy(queues, (queue) => this.#leaders.leaderOf(queue));
    await Promise.all(
      [...byLeader].map(async ([leader, led]) => {
        const doing = `send records to topic ${led.map(({ topic }) => topic).join(', ')}`;
        if (leader === undefined) {
          const refusal = protocolError(LEADER_NOT_AVAILABLE);
          for (const queue of led) unsent.push({ queue, error: kafkaError(refusal, { doing, topic: queue.topic }) });
          return;
        }
        let answers: ReadonlyMap<string, number>;
        try {
          answers = await this.#produce(leader, led);
        } catch (error) {
          for (const queue of led) {
            const known = kafkaError(error, { doing, topic: queue.topic });
            if (known.retriable) unsent.push({ queue, error: known });
            else failed.set(queue, known);
          }
          return;
        }
        for (const queue of led) {
          const outcome = this.#learn(queue, answers.get(keyOf(queue)) ?? UNKNOWN);
          if (outcome === undefined) continue;
          if (outcome.retriable && !this.#broken) unsent.push({ queue, error: outcome });
          else failed.set(queue, outcome);
        }
      }),
    );
    return unsent;
  }

  async #produce(leader: number, queues: readonly Queue[]): Promise<ReadonlyMap<string, number>> {
    const topicData = byTopic(queues, (queue) => ({
      partition: queue.partition,
      firstSequence: this.#sequences.get(keyOf(queue)) ?? 0,
      messages: (queue.batches[0] ?? []).map(messageOf),
    }));
    const answer = (await this.#brokers.request(leader, 'Produce', {
      acks: -1,
      timeout: 10_000,
      compression: codecNumber(this.#codec),
      ...this.#identity,
      topicData,
    })) as ProduceAnswer;
    return new Map(
      answer.topics.flatMap(({ topicName, partitions }) =>
        partitions.map(({ partition, errorCode }) => [keyOf({ topic: topicName, partition }), errorCode] as const),
      ),
    );
  }

  /** Undefined where the batch is in the log, or was divided. */
  #learn(queue: Queue, errorCode: number): KafkaError | undefined {
    const batch = queue.batches[0] ?? [];
    const refusal = errorCode === 0 ? undefined : protocolError(errorCode);
    // The log has it, and so much after it that the broker no longer remembers where.
    if (refusal === undefined || refusal.type === 'DUPLICATE_SEQUENCE_NUMBER') {
      const key = keyOf(queue);
      this.#sequences.set(key, sequenceAfter(this.#sequences.get(key) ?? 0, batch.length));
      queue.batches.shift();
      return undefined;
    }
    const { topic } = queue;
    if (refusal.type === 'MESSAGE_TOO_LARGE' || refusal.type === 'RECORD_LIST_TOO_LARGE') {
      if (batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        queue.batches.splice(0, 1, batch.slice(0, middle), batch.slice(middle));
        return undefined;
      }
      const size = batch[0] === undefined ? 0 : sizeOf(batch[0]);
      return new KafkaError(
        `a record of ${size} bytes is larger than topic ${topic} takes. Raise its max.message.bytes`,
        {
          retriable: false,
          isTooLarge: true,
          cause: refusal,
        },
      );
    }
    const error = kafkaError(refusal, { doing: `send records to topic ${topic}`, topic });
    // The broker's numbers of our batches differ from ours, and it does not say which it has.
    if (NUMBERS_DISAGREE.includes(refusal.type)) {
      this.#broken = true;
      return new KafkaError(error.message, { retriable: true, cause: refusal });
    }
    return error;
  }
}

const UNKNOWN = -1;
const LEADER_NOT_AVAILABLE = 5;
const NUMBERS_DISAGREE = [
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
];

/** Numbers begin again behind the largest of 32 bits. */
function sequenceAfter(sequence: number, records: number): number {
  return (sequence + records) % 2 ** 31;
}

function batchesOf(records: readonly RecordToSend[]): RecordToSend[][] {
  const batches: RecordToSend[][] = [];
  let bytes = 0;
  for (const record of records) {
    const size = sizeOf(record);
    const last = batches.at(-1);
    if (last !== undefined && bytes + size <= BATCH_BYTES) {
      last.push(record);
      bytes += size;
    } else {
      batches.push([record]);
      bytes = size;
    }
  }
  return batches;
}

export function sizeOf({ key, value, headers }: RecordToSend): number {
  let size = 20 + value.length + (key === undefined ? 0 : Buffer.byteLength(key));
  for (const header of headers ?? []) size += 4 + Buffer.byteLength(header.key) + (header.value?.length ?? 0);
  return size;
}

/** kafkajs writes headers from an object, those of one name together; it cannot write one without a value. */
function messageOf({ key, value, headers }: RecordToSend) {
  const byName = new Map<string, Buffer[]>();
  for (const header of headers ?? []) {
    const values = byName.get(header.key) ?? [];
    values.push(header.value ?? Buffer.alloc(0));
    byName.set(header.key, values);
  }
  return { key: key === undefined ? null : Buffer.from(key), value, headers: Object.fromEntries(byName) };
}

function keyOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`;
}
