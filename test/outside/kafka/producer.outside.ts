/** The promises of the port for producers, against a real broker. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { KafkajsProducer } from '../../../src/kafka/kafkajs/producer.ts';
import { freshName, KafkaCluster } from './broker.ts';
import { readAll as readAllOf } from './reader.ts';

let kafka: KafkaCluster;

beforeAll(async () => {
  kafka = await KafkaCluster.start({ brokers: 1 });
});
afterAll(() => kafka?.close());

async function topicWith(partitions: number, config: Readonly<Record<string, string>> = {}): Promise<string> {
  const topic = freshName('results');
  await kafka.createTopic(topic, partitions, config);
  return topic;
}

function producer(more: object = {}): KafkajsProducer {
  const made = new KafkajsProducer({ connection: { brokers: kafka.brokers }, ...more });
  onTestFinished(() => made.stop());
  return made;
}

const readAll = (topic: string, partitions: number) => readAllOf(kafka, topic, partitions);
const text = (value: string) => ({ key: undefined, value: Buffer.from(value) });

test('records arrive in the order in which they were sent, many callers at once', async () => {
  const topic = await topicWith(1);
  const sender = producer();

  await Promise.all(
    Array.from({ length: 300 }, (_, index) => sender.send(topic, [text(`${index}a`), text(`${index}b`)])),
  );

  const expected = Array.from({ length: 300 }, (_, index) => [`${index}a`, `${index}b`]).flat();
  expect((await readAll(topic, 1)).values()).toEqual(expected);
});

test('keys, headers and a partition of choice arrive; the key decides the partition as it does for Java', async () => {
  const topic = await topicWith(5);
  const sender = producer();
  const java = [
    '--bootstrap-server',
    kafka.brokers.join(','),
    '--topic',
    topic,
    '--reader-property',
    'parse.key=true',
    '--reader-property',
    'key.separator=:',
  ];
  const keys = Array.from({ length: 30 }, (_, index) => `trace-${index}`);

  await sender.send(topic, [
    ...keys.map((key) => ({ key, value: Buffer.from(key) })),
    {
      ...text('chosen'),
      partition: 3,
      headers: [
        { key: 'h', value: Buffer.from('1') },
        { key: 'h', value: undefined },
      ],
    },
  ]);
  await kafka.tool('org.apache.kafka.tools.ConsoleProducer', java, keys.map((key) => `${key}:${key}\n`).join(''));

  const reader = await readAll(topic, 5);
  for (const records of reader.records.values())
    for (const key of keys) {
      const count = records.filter((record) => record.key?.toString() === key).length;
      expect([0, 2]).toContain(count);
    }
  const chosen = reader.records.get(`${topic}/3`)?.find(({ value }) => value?.toString() === 'chosen');
  expect(chosen?.headers.map(({ key, value }) => `${key}=${value}`)).toEqual(['h=1', 'h=']);
});

test.each(['none', 'gzip', 'lz4', 'zstd'] as const)(
  'batches compressed with %s are read by Java',
  async (compression) => {
    const topic = await topicWith(1);

    await producer({ compression }).send(
      topic,
      Array.from({ length: 50 }, (_, index) => text(`line ${index} ${'abc'.repeat(100)}`)),
    );

    const args = [
      '--bootstrap-server',
      kafka.brokers.join(','),
      '--topic',
      topic,
      '--from-beginning',
      '--max-messages',
      '50',
      '--timeout-ms',
      '20000',
    ];
    const said = await kafka.tool('org.apache.kafka.tools.consumer.ConsoleConsumer', args);
    expect(said.split('\n').filter((line) => line.startsWith('line '))).toHaveLength(50);
  },
);

test('a record that is too large is refused with topic and size, and others of the round arrive', async () => {
  const topic = await topicWith(1, { 'max.message.bytes': '100000' });
  const sender = producer();
  const fine = Array.from({ length: 40 }, (_, index) => ({ key: undefined, value: Buffer.alloc(30_000, `${index}`) }));

  const sendings = [sender.send(topic, fine), sender.send(topic, [{ key: undefined, value: Buffer.alloc(200_000) }])];

  await sendings[0];
  await expect(sendings[1]).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`200\\d\\d\\d bytes .*topic ${topic}`)),
    retriable: false,
  });
  expect((await readAll(topic, 1)).count()).toBe(40);
});

test('a topic that does not exist is said to be missing, and can be made meanwhile', async () => {
  const topic = freshName('later');
  const sender = producer({ deliveryTimeoutMs: 500 });
  await expect(sender.send(topic, [text('x')])).rejects.toThrow(`topic ${topic} does not exist. Create it`);

  const patient = producer().send(topic, [text('y')]);
  await kafka.createTopic(topic);
  await patient;

  expect((await readAll(topic, 1)).values()).toEqual(['y']);
});
