import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { KafkajsProducer } from '../../../src/kafka/kafkajs/producer.ts';
import { freshName, KafkaCluster } from './broker.ts';
import { Reader, readAll, until } from './reader.ts';

let kafka: KafkaCluster;

beforeAll(async () => {
  kafka = await KafkaCluster.start({
    brokers: 3,
    properties: { 'min.insync.replicas': '2', 'replica.lag.time.max.ms': '2000' },
  });
});
afterAll(() => kafka?.close());
afterEach(() => kafka.ready());

const text = (value: string) => ({ key: undefined, value: Buffer.from(value) });

async function topicWith(partitions: number): Promise<string> {
  const topic = freshName('faults');
  await kafka.createTopic(topic, partitions);
  return topic;
}

type Fault = (id: number) => Promise<void>;
const FAULTS: readonly (readonly [string, Fault])[] = [
  [
    'killed',
    async (id) => {
      await kafka.kill(id);
      await kafka.start(id);
    },
  ],
  [
    'stopped',
    async (id) => {
      await kafka.stop(id);
      await kafka.start(id);
    },
  ],
  [
    'frozen',
    async (id) => {
      kafka.freeze(id);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      kafka.thaw(id);
    },
  ],
];

test.each(FAULTS)(
  'while brokers are %s one after the other, what is sent is read once and in order, and nobody loses a partition',
  async (_, fault) => {
    const topic = await topicWith(4);
    const group = freshName('group');
    const connection = { brokers: kafka.brokers };
    const readers = [1, 2].map(() =>
      new Reader({ connection, group, topics: [topic], sessionTimeoutMs: 30_000 }).start(),
    );
    onTestFinished(async () => {
      for (const reader of readers) await reader.stop();
    });
    const producer = new KafkajsProducer({ connection, requestTimeoutMs: 2_000, deliveryTimeoutMs: 60_000 });
    onTestFinished(() => producer.stop());
    await until('they share', () => readers.every(({ owned }) => owned.length === 2));

    const toldBefore = readers.map(({ told }) => told.length);
    let sent = 0;
    let sending = true;
    const failures: unknown[] = [];
    const pump = async () => {
      for (; sending; sent++) {
        const records = [0, 1, 2, 3].map((partition) => ({ ...text(`${sent}`), partition }));
        await producer.send(topic, records).catch((error: unknown) => failures.push(error));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const pumping = pump();
    for (const id of [1, 2, 3]) await fault(id);
    const before = sent;
    await until('it goes on', () => sent > before + 20);
    sending = false;
    await pumping;

    expect(failures).toEqual([]);
    const expected = Array.from({ length: sent }, (__, index) => `${index}`);
    for (const [index, reader] of readers.entries()) {
      await until('the problem is over', () => reader.problem === undefined);
      for (const name of reader.owned) {
        const last = () => reader.records.get(name)?.at(-1)?.value?.toString();
        await until(`${name} is read to ${sent - 1}`, () => last() === `${sent - 1}`);
        expect(reader.records.get(name)?.map(({ value }) => value?.toString())).toEqual(expected);
      }
      // The group's new coordinator is found after the old one dies; members need not rejoin.
      expect(reader.told.slice(toldBefore[index]), JSON.stringify(reader.problems)).toEqual([]);
    }
    const all = await readAll(kafka, topic, 4);
    for (const partition of [0, 1, 2, 3])
      expect(all.records.get(`${topic}/${partition}`)?.map(({ value }) => value?.toString())).toEqual(expected);
  },
);

test('brokers that are all down at the start are waited for, and said to be down', async () => {
  const topic = await topicWith(2);
  for (const id of [1, 2, 3]) await kafka.kill(id);
  const reader = new Reader({
    connection: { brokers: kafka.brokers },
    group: freshName('group'),
    topics: [topic],
  }).start();
  onTestFinished(() => reader.stop());
  await until('it says so', () => reader.problem !== undefined);
  expect(reader.problem).toMatch(/nothing listens there .*The broker is down/);

  await Promise.all([1, 2, 3].map((id) => kafka.start(id)));

  await until('it has the partitions', () => reader.owned.length === 2);
  await until('the problem is over', () => reader.problem === undefined);
});
