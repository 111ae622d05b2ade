/** Sends records like other programs: with kafkajs's own producer. */
import { Kafka, logLevel, type Message, Partitioners, type Producer } from 'kafkajs';
import type { KafkaForTests } from './broker.ts';

const producers = new WeakMap<KafkaForTests, Promise<Producer>>();

async function producerOf(kafka: KafkaForTests): Promise<Producer> {
  let producer = producers.get(kafka);
  if (producer === undefined) {
    producer = connected(kafka);
    producers.set(kafka, producer);
  }
  return await producer;
}

async function connected(kafka: KafkaForTests): Promise<Producer> {
  const client = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING });
  const producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  return producer;
}

/** To partition 0, in order. */
export async function send(
  kafka: KafkaForTests,
  topic: string,
  values: readonly (string | Buffer | Message)[],
): Promise<void> {
  const producer = await producerOf(kafka);
  const messages = values.map((value) => (typeof value === 'string' || Buffer.isBuffer(value) ? { value } : value));
  for (const message of messages) await producer.send({ topic, messages: [{ ...message, partition: 0 }] });
}

export async function sendTo(kafka: KafkaForTests, topic: string, partition: number, value: string): Promise<void> {
  const producer = await producerOf(kafka);
  await producer.send({ topic, messages: [{ value, partition }] });
}

export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
