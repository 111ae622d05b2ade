/** A network between client and broker that is silently cut for a while. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { KafkajsProducer } from '../../../src/kafka/kafkajs/producer.ts';
import { randomFrom } from '../../random.ts';
import { TcpProxy } from '../tcp-proxy.ts';
import { freshName, KafkaCluster } from './broker.ts';
import { Reader, readAll, SHORT_TIMES, until } from './reader.ts';
import { sendTo } from './sending.ts';

let kafka: KafkaCluster;
let network: TcpProxy;
let onRequest: ((chunk: Buffer) => void) | undefined;

beforeAll(async () => {
  kafka = await KafkaCluster.start({
    networks: ['weak'],
    through: async ({ port }) => {
      network = await TcpProxy.start({ host: 'localhost', port }, { onRequest: (chunk) => onRequest?.(chunk) });
      return network.port;
    },
  });
});
afterAll(async () => {
  await kafka?.close();
  await network?.close();
});

const text = (value: string) => ({ key: undefined, value: Buffer.from(value) });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function topicWith(partitions: number): Promise<string> {
  const topic = freshName('net');
  await kafka.createTopic(topic, partitions);
  return topic;
}

test('a member that is cut off for longer than its session gives up what it has by itself, and comes back', async () => {
  const topic = await topicWith(2);
  const group = freshName('group');
  const cutOff = new Reader({ connection: { brokers: kafka.through('weak') }, group, topics: [topic] }).start();
  const other = new Reader({ connection: { brokers: kafka.brokers }, group, topics: [topic] }).start();
  onTestFinished(async () => {
    network.heal();
    await cutOff.stop();
    await other.stop();
  });
  await until('they share', () => cutOff.owned.length === 1 && other.owned.length === 1);
  const had = Number(cutOff.owned[0]?.split('/')[1]);

  network.cut();
  const committing = cutOff.consumer.commit([{ topic, partition: had, offset: 0, metadata: '' }]);
  const refused = expect(committing).rejects.toThrow(/no longer ours/);
  await until('the other has all', () => other.owned.length === 2);
  await until('it has given up', () => cutOff.owned.length === 0);
  await refused;
  for (const partition of [0, 1]) await sendTo(kafka, topic, partition, 'meanwhile');
  await until('the other reads', () => other.count() === 2);
  network.heal();

  await until('they share again', () => cutOff.owned.length === 1 && other.owned.length === 1);
  await until('the problem is over', () => cutOff.problem === undefined);
});

test('a network that is cut for less than the session costs nobody a partition', async () => {
  const topic = await topicWith(1);
  const options = { connection: { brokers: kafka.through('weak') }, group: freshName('group'), topics: [topic] };
  const reader = new Reader({ ...options, sessionTimeoutMs: 20_000 }).start();
  onTestFinished(() => reader.stop());
  await until('it has it', () => reader.owned.length === 1);

  network.cut();
  await sendTo(kafka, topic, 0, 'meanwhile');
  await pause(SHORT_TIMES.requestTimeoutMs * 2);
  network.heal();

  await until('it reads on', () => reader.count() === 1);
  expect(reader.told).toHaveLength(1);
});

test('what a producer said is sent is there, however its network fails', async () => {
  const topic = await topicWith(2);
  const options = { connection: { brokers: kafka.through('weak') }, requestTimeoutMs: 700, deliveryTimeoutMs: 1_500 };
  const producer = new KafkajsProducer(options);
  onTestFinished(() => producer.stop());
  const random = randomFrom(3);
  const acknowledged: string[] = [];
  let sending = true;
  const pump = async (caller: number) => {
    for (let index = 0; sending; index++) {
      const value = `${caller}:${index}`;
      try {
        await producer.send(topic, [{ ...text(value), partition: index % 2 }]);
        acknowledged.push(value);
      } catch {
        // Its fate is unknown, because it was not acknowledged.
      }
      await pause(2);
    }
  };
  const pumping = [0, 1, 2].map(pump);

  for (let cut = 0; cut < 8; cut++) {
    await pause(100 + random() * 300);
    network.cut();
    await pause(random() * 3_000);
    network.heal();
  }
  await pause(1_000);
  sending = false;
  await Promise.all(pumping);

  const there = new Set((await readAll(kafka, topic, 2)).values());
  expect(acknowledged.length).toBeGreaterThan(50);
  expect(acknowledged.filter((value) => !there.has(value))).toEqual([]);
});
