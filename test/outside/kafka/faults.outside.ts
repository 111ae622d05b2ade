/**
 * Three brokers, of which one is killed, stopped or frozen: nothing is lost, nothing is duplicated, and everything
 * continues by itself.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Brokers } from '../../../src/kafka/kafkajs/brokers.ts';
import { KafkajsProducer } from '../../../src/kafka/kafkajs/producer.ts';
import { KafkajsPublisher } from '../../../src/kafka/kafkajs/publisher.ts';
import { randomFrom } from '../../random.ts';
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
      expect(reader.told.slice(toldBefore[index])).toEqual([]);
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

test('a publisher that is killed at any moment leaves each record once', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(2)];
  const random = randomFrom(7);
  const script = path.join(import.meta.dirname, 'publisher-process.ts');
  for (let kill = 0; kill < 8; kill++) {
    const child = spawn(process.execPath, [script, kafka.brokers.join(','), name, topic], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    for (let transactions = 1 + Math.floor(random() * 4); transactions >= 0; transactions--)
      await new Promise((resolve) => child.stdout.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, random() * 60));
    child.kill('SIGKILL');
    await ended;
  }

  const last = new KafkajsPublisher({ connection: { brokers: kafka.brokers }, name, topic });
  onTestFinished(() => last.stop());
  const progress = (await last.open()) ?? 0;

  const numbers = (await readAll(kafka, topic, 2))
    .values()
    .map(Number)
    .sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: progress }, (_, index) => index));
  expect(progress).toBeGreaterThanOrEqual(8 * 3);
});

test('a publisher goes on while brokers are killed, and each record is there once', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(2)];
  const publisher = new KafkajsPublisher({
    connection: { brokers: kafka.brokers },
    name,
    topic,
    requestTimeoutMs: 2_000,
    deliveryTimeoutMs: 5_000,
  });
  onTestFinished(() => publisher.stop());
  let progress = (await publisher.open()) ?? 0;
  let publishing = true;
  const refusals: unknown[] = [];
  const pump = async () => {
    while (publishing) {
      const records = [0, 1, 2].map((step) => text(`${progress + step}`));
      try {
        await publisher.publish(records, progress + records.length);
        progress += records.length;
      } catch (error) {
        if (error instanceof Error && 'retriable' in error && error.retriable === true) continue;
        // It would repeat this forever, and at once.
        refusals.push(error);
        return;
      }
    }
  };
  const pumping = pump();
  for (const id of [1, 2, 3]) {
    await kafka.kill(id);
    await kafka.start(id);
  }
  const before = progress;
  await until('it goes on, or is refused', () => progress > before + 10 || refusals.length > 0);
  publishing = false;
  await pumping;

  expect(refusals).toEqual([]);
  const numbers = (await readAll(kafka, topic, 2))
    .values()
    .map(Number)
    .sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: progress }, (_, index) => index));
});

test('a publisher that never hears of its new epoch goes on when the coordinator is another', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1)];
  const publisher = new KafkajsPublisher({ connection: { brokers: kafka.brokers }, name, topic });
  onTestFinished(() => publisher.stop());
  await publisher.open();
  let coordinator: number | undefined;
  const send = Brokers.prototype.send;
  const spy = vi.spyOn(Brokers.prototype, 'send').mockImplementation(async function (this: Brokers, ...request) {
    const answer = await send.apply(this, request);
    if (coordinator !== undefined || (answer as { readonly errorCode: number }).errorCode !== 0) return answer;
    coordinator = request[0];
    await kafka.kill(coordinator);
    throw new Error('the answer is lost');
  });
  onTestFinished(() => spy.mockRestore());

  await publisher.publish([text('a')], 1);
  await publisher.publish([text('b')], 2);

  if (coordinator === undefined) throw new Error('it asked for no epoch');
  await kafka.start(coordinator);
  expect((await readAll(kafka, topic, 1)).values()).toEqual(['a', 'b']);
});
