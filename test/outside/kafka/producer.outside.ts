/** The promises of the port for producers and publishers, against a real broker. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Brokers } from '../../../src/kafka/kafkajs/brokers.ts';
import { KafkajsProducer } from '../../../src/kafka/kafkajs/producer.ts';
import { KafkajsPublisher } from '../../../src/kafka/kafkajs/publisher.ts';
import { freshName, KafkaCluster } from './broker.ts';
import { readAll as readAllOf, until } from './reader.ts';
import { CommitMarkers, lastProducer } from './transaction-markers.ts';

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

function publisher(name: string, topic: string, more: object = {}): KafkajsPublisher {
  const made = new KafkajsPublisher({ connection: { brokers: kafka.brokers }, name, topic, ...more });
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

test('a publisher remembers how far it has come in the transaction of the records', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(3)];
  const first = publisher(name, topic);
  expect(await first.open()).toBeUndefined();

  await first.publish([text('a'), text('b'), { ...text('c'), key: 'k' }], 3);
  await first.publish([], 4);
  await first.publish([text('d')], 7);
  await first.stop();

  expect(await publisher(name, topic).open()).toBe(7);
  expect((await readAll(topic, 3)).values().sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('two publishers of one name: the older one is refused for good', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1)];
  const older = publisher(name, topic);
  await older.open();
  await older.publish([text('a')], 1);

  const newer = publisher(name, topic);
  expect(await newer.open()).toBe(1);
  await newer.publish([text('b')], 2);

  await expect(older.publish([text('x')], 2)).rejects.toMatchObject({
    message: expect.stringContaining('taken over the name'),
    retriable: false,
  });
  await expect(older.publish([text('x')], 2)).rejects.toMatchObject({ retriable: false });
  await newer.publish([text('c')], 3);
  expect((await readAll(topic, 1)).values()).toEqual(['a', 'b', 'c']);
});

test('an older publisher that is used while the newer one publishes does not disturb it', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1)];
  const older = publisher(name, topic);
  let epochs = 0;
  const ask = Brokers.prototype.send;
  const asks = vi.spyOn(Brokers.prototype, 'send').mockImplementation(async function (this: Brokers, ...request) {
    const answer = (await ask.apply(this, request)) as { readonly errorCode: number };
    if (answer.errorCode === 0) epochs++;
    return answer;
  });
  onTestFinished(() => asks.mockRestore());
  await older.open();
  await older.publish([text('a')], 1);
  await until('the older one has its next epoch', () => epochs === 2);
  asks.mockRestore();
  const newer = publisher(name, topic);
  await newer.open();
  let refusal: unknown;
  const send = Brokers.prototype.request;
  const spy = vi.spyOn(Brokers.prototype, 'request').mockImplementation(async function (this: Brokers, ...request) {
    const answer = await send.apply(this, request);
    if (request[1] === 'Produce') refusal = await older.publish([text('x')], 2).catch((error: unknown) => error);
    return answer;
  });
  onTestFinished(() => spy.mockRestore());

  await newer.publish([text('b')], 2);

  expect(refusal).toMatchObject({ retriable: false });
  spy.mockRestore();
  expect((await readAll(topic, 1)).values()).toEqual(['a', 'b']);
});

test('a record that is too large leaves nothing of its transaction, and the next is published', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1, { 'max.message.bytes': '100000' })];
  const one = publisher(name, topic);
  await one.open();
  await one.publish([text('a')], 1);

  const large = one.publish([text('gone'), { key: undefined, value: Buffer.alloc(300_000) }], 2);
  await expect(large).rejects.toMatchObject({ message: expect.stringMatching(/300\d\d\d bytes/), retriable: false });

  await one.publish([text('b')], 2);
  expect((await readAll(topic, 1)).values()).toEqual(['a', 'b']);
  expect(await publisher(name, topic).open()).toBe(2);
});

test('a late marker that the last transaction is committed shows nothing of the next, which is aborted', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(2, { 'max.message.bytes': '100000' })];
  const one = publisher(name, topic);
  await one.open();
  await one.publish([{ ...text('a'), partition: 1 }], 1);
  const markers = await markersOfLast(topic, 1);
  let sent = 0;
  const send = Brokers.prototype.request;
  const spy = vi.spyOn(Brokers.prototype, 'request').mockImplementation(async function (this: Brokers, ...request) {
    const answer = await send.apply(this, request);
    if (request[1] === 'Produce' && sent++ === 0) await markers.send();
    return answer;
  });
  onTestFinished(() => spy.mockRestore());
  const tooLarge = { key: undefined, value: Buffer.alloc(300_000), partition: 0 };

  await expect(one.publish([{ ...text('gone'), partition: 1 }, tooLarge], 2)).rejects.toThrow(/300\d\d\d bytes/);

  expect(sent).toBeGreaterThan(0);
  await one.publish([{ ...text('b'), partition: 1 }], 2);
  expect((await readAll(topic, 2)).values()).toEqual(['a', 'b']);
});

test('late markers of the last transaction cost tries, and each record is published once', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1)];
  const one = publisher(name, topic);
  await one.open();
  await one.publish([text('0')], 1);
  const markers = await markersOfLast(topic, 0);
  let flooding = true;
  let sent = 0;
  const flood = (async () => {
    for (; flooding; sent++) await markers.send();
  })();

  for (let next = 1; next <= 20; ) {
    try {
      await one.publish([text(`${next}`)], next + 1);
      next++;
    } catch (error) {
      expect(error).toMatchObject({ retriable: true });
    }
  }
  flooding = false;
  await flood;

  expect(sent).toBeGreaterThan(20);
  expect((await readAll(topic, 1)).values()).toEqual(Array.from({ length: 21 }, (_, index) => `${index}`));
});

test('a partition that takes a publisher for replaced is not believed: the coordinator says who has the name', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1)];
  const one = publisher(name, topic);
  await one.open();
  let refused = false;
  const send = Brokers.prototype.request;
  const spy = vi.spyOn(Brokers.prototype, 'request').mockImplementation(async function (this: Brokers, ...request) {
    if (request[1] !== 'Produce' || refused) return await send.apply(this, request);
    refused = true;
    return { topics: [{ topicName: topic, partitions: [{ partition: 0, errorCode: INVALID_PRODUCER_EPOCH }] }] };
  });
  onTestFinished(() => spy.mockRestore());

  await expect(one.publish([text('a')], 1)).rejects.toMatchObject({ retriable: true });

  await one.publish([text('a')], 1);
  expect((await readAll(topic, 1)).values()).toEqual(['a']);
});

const INVALID_PRODUCER_EPOCH = 47;

async function markersOfLast(topic: string, partition: number): Promise<CommitMarkers> {
  const markers = new CommitMarkers(kafka, {
    topic,
    partition,
    producer: await lastProducer(kafka, { topic, partition }),
  });
  onTestFinished(() => markers.close());
  return markers;
}

test('publishing the same progress twice is refused: it would not tell whether records are there', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1)];
  const one = publisher(name, topic);
  await one.open();
  await one.publish([text('a')], 1);

  await expect(one.publish([text('b')], 1)).rejects.toMatchObject({ retriable: false });
  expect((await readAll(topic, 1)).values()).toEqual(['a']);
});

test('a publisher with nothing to say says how far it is again, before brokers forget it', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1)];
  const one = publisher(name, topic, { repeatProgressMs: 100 });
  await one.open();
  await one.publish([text('a')], 5);
  const admin = await kafka.admin();
  const transactions = async () => {
    const topics = await admin.fetchTopicOffsets('__consumer_offsets');
    return topics.reduce((sum, { high }) => sum + Number(high), 0);
  };
  const before = await transactions();

  await until('it has said it again', async () => (await transactions()) >= before + 4);
  // While it goes on it may take the name back: where asking for its next epoch failed, the epoch may have been given.
  await one.stop();

  const newer = publisher(name, topic);
  expect(await newer.open()).toBe(5);
  await newer.publish([text('b')], 6);
});

test('a publisher that says again how far it is never goes back, however slow brokers are', async () => {
  const [name, topic] = [freshName('outbox'), await topicWith(1)];
  const one = publisher(name, topic, { repeatProgressMs: 50 });
  await one.open();
  await one.publish([text('a')], 5);
  let slow = 0;
  const send = Brokers.prototype.send;
  const spy = vi.spyOn(Brokers.prototype, 'send').mockImplementation(async function (this: Brokers, ...request) {
    slow++;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return await send.apply(this, request);
  });
  onTestFinished(() => spy.mockRestore());
  await until('it says again how far it is', () => slow > 0);

  await one.publish([text('b')], 6);
  const after = slow;
  await until('it has said it again', () => slow > after + 2);

  spy.mockRestore();
  expect(await publisher(name, topic).open()).toBe(6);
});
