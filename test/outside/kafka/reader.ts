/** A consumer that remembers the records and notifications it received, with ways to wait for either. */
import type { ConsumerHandlers, KafkaRecord, TopicPartition } from '../../../src/kafka/kafka-client.ts';
import { type KafkaForTests, freshName } from './broker.ts';
import { sendTo } from './sending.ts';
import { type ConsumerOptions, KafkajsConsumer } from '../../../src/kafka/kafkajs/consumer.ts';

export type Told =
  | { readonly kind: 'assigned'; readonly gained: readonly string[]; readonly kept: readonly string[] }
  | { readonly kind: 'lost'; readonly partitions: readonly string[] };

export const SHORT_TIMES = {
  sessionTimeoutMs: 1_500,
  heartbeatMs: 150,
  rebalanceTimeoutMs: 3_000,
  requestTimeoutMs: 3_000,
  retryMs: 200,
  metadataMaxAgeMs: 1_000,
} as const;

export class Reader {
  readonly consumer: KafkajsConsumer;
  readonly told: Told[] = [];
  readonly problems: (string | undefined)[] = [];
  /** By partition, in order of arrival. */
  readonly records = new Map<string, KafkaRecord[]>();
  readonly begins = new Map<string, Parameters<ConsumerHandlers['onAssigned']>[0]['gained'][number]>();
  #owned = new Set<string>();
  readonly #onRecords: ConsumerHandlers['onRecords'] | undefined;

  constructor(options: ConsumerOptions, onRecords?: ConsumerHandlers['onRecords']) {
    this.consumer = new KafkajsConsumer({ ...SHORT_TIMES, ...options });
    this.#onRecords = onRecords;
  }

  start(): this {
    this.consumer.start({
      onAssigned: ({ gained, kept }) => {
        this.told.push({ kind: 'assigned', gained: gained.map(nameOf), kept: kept.map(nameOf) });
        for (const partition of gained) this.begins.set(nameOf(partition), partition);
        this.#owned = new Set([...gained, ...kept].map(nameOf));
        return Promise.resolve();
      },
      onLost: (partitions) => {
        this.told.push({ kind: 'lost', partitions: partitions.map(nameOf) });
        for (const partition of partitions) this.#owned.delete(nameOf(partition));
      },
      onRecords: async (partition, records) => {
        const name = nameOf(partition);
        this.records.set(name, [...(this.records.get(name) ?? []), ...records]);
        await this.#onRecords?.(partition, records);
      },
      onProblem: (problem) => {
        this.problems.push(problem);
      },
    });
    return this;
  }

  get owned(): readonly string[] {
    return [...this.#owned].sort();
  }

  get problem(): string | undefined {
    return this.problems.at(-1);
  }

  values(): string[] {
    return [...this.records.values()].flat().map(({ value }) => value?.toString() ?? '');
  }

  count(): number {
    return [...this.records.values()].reduce((sum, records) => sum + records.length, 0);
  }

  async stop(): Promise<void> {
    await this.consumer.stop();
  }
}

export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** The present content of the topic: everything before a record that is sent to each partition last. */
export async function readAll(kafka: KafkaForTests, topic: string, partitions: number): Promise<Reader> {
  for (let partition = 0; partition < partitions; partition++) await sendTo(kafka, topic, partition, LAST);
  const reader = new Reader({ connection: { brokers: kafka.brokers }, group: freshName('group'), topics: [topic] });
  reader.start();
  const isLast = ({ value }: KafkaRecord) => value?.toString() === LAST;
  await until(
    'all is read',
    () => [...reader.records.values()].filter((records) => records.some(isLast)).length === partitions,
  );
  await reader.stop();
  for (const [name, records] of reader.records)
    reader.records.set(
      name,
      records.filter((record) => !isLast(record)),
    );
  return reader;
}

const LAST = '<last>';

/** Waits for an event that happens by itself; the message names the missing event. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`it did not come to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
