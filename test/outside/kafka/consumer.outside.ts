/** The promises of the port for a consumer, against real brokers, with members that join, leave, die and pause. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { TopicPartition } from '../../../src/kafka/kafka-client.ts';
import { freshName, KafkaCluster } from './broker.ts';
import { nameOf, Reader, SHORT_TIMES, until } from './reader.ts';
import { gate, send, sendTo } from './sending.ts';

let kafka: KafkaCluster;

beforeAll(async () => {
  kafka = await KafkaCluster.start({ brokers: 1 });
});
afterAll(() => kafka?.close());

function reader(
  group: string,
  topics: readonly string[],
  more: object = {},
  onRecords?: ConstructorParameters<typeof Reader>[1],
) {
  const made = new Reader({ connection: { brokers: kafka.brokers }, group, topics, ...more }, onRecords);
  onTestFinished(() => made.stop());
  return made;
}

async function topicWith(partitions: number, config: Readonly<Record<string, string>> = {}): Promise<string> {
  const topic = freshName('spans');
  await kafka.createTopic(topic, partitions, config);
  return topic;
}

test('the partitions of one number, of all topics, are with one member, and shares are even', async () => {
  const [spans, logs] = [await topicWith(7), await topicWith(5)];
  const group = freshName('group');
  const readers = [reader(group, [spans, logs]), reader(group, [spans, logs]), reader(group, [spans, logs])];

  for (const one of readers) one.start();
  await until(
    'all have lanes',
    () => readers.every(({ owned }) => owned.length > 0) && readers.flatMap(({ owned }) => owned).length === 12,
  );

  const lanes = readers.map(({ owned }) => new Set(owned.map((name) => name.split('/')[1])));
  expect(lanes.map(({ size }) => size).sort()).toEqual([2, 2, 3]);
  expect(new Set(lanes.flatMap((of) => [...of])).size).toBe(7);
  for (const { owned } of readers)
    for (const name of owned.filter((one) => one.startsWith(logs))) expect(owned).toContain(name.replace(logs, spans));
});

test('who keeps a partition reads on without a record twice while others come and go', async () => {
  const topic = await topicWith(6);
  const group = freshName('group');
  const first = reader(group, [topic]).start();
  await until('the first has all', () => first.owned.length === 6);
  let sent = 0;
  const sending = setInterval(() => {
    for (let partition = 0; partition < 6; partition++) void sendTo(kafka, topic, partition, `${partition}:${sent}`);
    sent++;
  }, 20);
  onTestFinished(() => clearInterval(sending));

  for (let round = 0; round < 3; round++) {
    const second = reader(group, [topic]).start();
    await until('they share', () => first.owned.length === 3 && second.owned.length === 3);
    await second.stop();
    await until('the first has all again', () => first.owned.length === 6);
  }
  clearInterval(sending);

  const keptAlways = [0, 1, 2, 3, 4, 5].filter(
    (partition) => !first.told.some((one) => one.kind === 'lost' && one.partitions.includes(`${topic}/${partition}`)),
  );
  expect(keptAlways).toHaveLength(3);
  for (const partition of keptAlways) {
    await until('it has read all', () => first.records.get(`${topic}/${partition}`)?.length === sent);
    expect(first.records.get(`${topic}/${partition}`)?.map(({ offset }) => offset)).toEqual(
      Array.from({ length: sent }, (_, offset) => offset),
    );
  }
});

test('what a generation keeps was never lost, and what is lost is told before others are given it', async () => {
  const topic = await topicWith(4);
  const group = freshName('group');
  const first = reader(group, [topic]).start();
  await until('the first has all', () => first.owned.length === 4);
  const second = reader(group, [topic]).start();
  await until('they share', () => first.owned.length === 2 && second.owned.length === 2);

  const last = first.told.at(-1);
  expect(last).toEqual({ kind: 'assigned', gained: [], kept: first.owned });
  expect(first.told.at(-2)).toEqual({ kind: 'lost', partitions: second.owned });
});

test('one that leaves is replaced at once, not when its session ends', async () => {
  const topic = await topicWith(2);
  const group = freshName('group');
  const times = { sessionTimeoutMs: 60_000, heartbeatMs: 100 };
  const properties = [reader(group, [topic], times).start(), reader(group, [topic], times).start()];
  const [first, second] = properties as [Reader, Reader];
  await until('they share', () => first.owned.length === 1 && second.owned.length === 1);

  await first.stop();
  await until('the other has both', () => second.owned.length === 2, 10_000);

  first.start();
  await until('it can come back', () => first.owned.length === 1);
});

test('offsets are committed with their metadata, and the next owner begins there', async () => {
  const topic = await topicWith(1);
  await send(kafka, topic, ['a', 'b', 'c']);
  const group = freshName('group');
  const first = reader(group, [topic]).start();
  await until('it has read', () => first.count() === 3);

  await first.consumer.commit([{ topic, partition: 0, offset: 2, metadata: '{"time":17}' }]);
  await first.stop();
  const second = reader(group, [topic]).start();
  await until('it has read', () => second.count() === 1);

  expect(second.begins.get(`${topic}/0`)).toEqual({
    topic,
    partition: 0,
    offset: 2,
    metadata: '{"time":17}',
    logStart: 0,
    logEnd: 3,
  });
  expect(second.values()).toEqual(['c']);
});

test('where nothing was committed it begins at the start, or at the end if so configured', async () => {
  const topic = await topicWith(1);
  await send(kafka, topic, ['old']);
  const early = reader(freshName('group'), [topic]).start();
  const late = reader(freshName('group'), [topic], { startFrom: 'latest' }).start();
  await until('both have it', () => early.owned.length === 1 && late.owned.length === 1);
  await until('it begins', () => late.begins.get(`${topic}/0`)?.offset === 1);

  await send(kafka, topic, ['new']);
  await until('both have read', () => early.count() === 2 && late.count() === 1);

  expect(early.values()).toEqual(['old', 'new']);
  expect(late.values()).toEqual(['new']);
});

test('a commit for a partition that others have is refused', async () => {
  const topic = await topicWith(2);
  await send(kafka, topic, ['a', 'b', 'c', 'd']);
  const group = freshName('group');
  const first = reader(group, [topic]).start();
  await until('the first has both', () => first.owned.length === 2);
  const second = reader(group, [topic]).start();
  await until('they share', () => first.owned.length === 1 && second.owned.length === 1);
  const gone = Number(second.owned[0]?.split('/')[1]);

  const committing = first.consumer.commit([{ topic, partition: gone, offset: 1, metadata: '' }]);

  await expect(committing).rejects.toThrow(/no longer ours/);
});

test('heartbeats go on while records are in work, for longer than the session', async () => {
  const topic = await topicWith(1);
  await send(kafka, topic, ['slow', 'next']);
  const { opened, open } = gate();
  const slow = reader(freshName('group'), [topic], { partitionBytesMax: 1 }, () => opened);
  slow.start();
  await until('it works', () => slow.count() > 0);

  await new Promise((resolve) => setTimeout(resolve, SHORT_TIMES.sessionTimeoutMs * 3));
  open();
  await slow.consumer.commit([{ topic, partition: 0, offset: 1, metadata: '' }]);

  expect(slow.told).toEqual([{ kind: 'assigned', gained: [`${topic}/0`], kept: [] }]);
});

test('a slow partition neither holds up others nor is read far ahead', async () => {
  const topic = await topicWith(2);
  const large = 'x'.repeat(10_000);
  for (let index = 0; index < 40; index++) await sendTo(kafka, topic, 0, large);
  const { opened, open } = gate();
  const work = (partition: TopicPartition) => (partition.partition === 0 ? opened : Promise.resolve());
  const one = reader(freshName('group'), [topic], { partitionBytesMax: 20_000 }, work);
  one.start();
  await until('the slow one works', () => (one.records.get(`${topic}/0`)?.length ?? 0) > 0);

  for (let index = 0; index < 100; index++) await sendTo(kafka, topic, 1, `${index}`);
  await until('the other is read to its end', () => one.records.get(`${topic}/1`)?.length === 100);

  expect(one.records.get(`${topic}/0`)?.length).toBeLessThanOrEqual(2);
  open();
  await until('and then the slow one', () => one.records.get(`${topic}/0`)?.length === 40);
  expect(one.records.get(`${topic}/0`)?.map(({ offset }) => offset)).toEqual(
    Array.from({ length: 40 }, (_, offset) => offset),
  );
});

test('a paused partition gets nothing until it is resumed', async () => {
  const topic = await topicWith(2);
  const one = reader(freshName('group'), [topic]).start();
  await until('it has both', () => one.owned.length === 2);
  await sendTo(kafka, topic, 0, 'before');
  await until('it reads', () => one.count() === 1);

  one.consumer.pause([{ topic, partition: 0 }]);
  for (let index = 0; index < 5; index++) await sendTo(kafka, topic, 0, 'during');
  await sendTo(kafka, topic, 1, 'other');
  await until('the other is read', () => one.records.get(`${topic}/1`)?.length === 1);
  await sendTo(kafka, topic, 1, 'other');
  await until('the other is read', () => one.records.get(`${topic}/1`)?.length === 2);
  expect(one.records.get(`${topic}/0`)).toHaveLength(1);

  one.consumer.resume([{ topic, partition: 0 }]);
  await until('all of it is read', () => one.records.get(`${topic}/0`)?.length === 6);
});

test('records that the handler refuses come again, and the problem is told', async () => {
  const topic = await topicWith(1);
  await send(kafka, topic, ['a', 'b']);
  let refusals = 2;
  const one = reader(freshName('group'), [topic], {}, () => {
    if (refusals-- > 0) return Promise.reject(new Error('the store is away'));
    return Promise.resolve();
  });
  one.start();

  await until('they came three times', () => one.count() === 6);

  expect(one.values()).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  expect(one.problems.some((problem) => problem?.includes('the store is away'))).toBe(true);
  await until('the problem is over', () => one.problem === undefined);
});

test('the ends say what was acknowledged before the question', async () => {
  const topic = await topicWith(2);
  const one = reader(freshName('group'), [topic]).start();
  await until('it has both', () => one.owned.length === 2);

  for (let index = 1; index <= 20; index++) {
    await sendTo(kafka, topic, 1, 'x');
    const ends = await one.consumer.ends([
      { topic, partition: 0 },
      { topic, partition: 1 },
    ]);
    expect(ends.map(({ end }) => end)).toEqual([0, index]);
  }
});

test('records far larger than the fetch limits arrive', async () => {
  const topic = await topicWith(1, { 'max.message.bytes': '30000000' });
  const value = Buffer.alloc(20_000_000, 'large');
  await send(kafka, topic, ['small', value, 'small']);
  const one = reader(freshName('group'), [topic], { fetchBytesMax: 100_000, partitionBytesMax: 10_000 }).start();

  await until('they arrive', () => one.count() === 3);

  expect(one.records.get(`${topic}/0`)?.map((record) => record.value?.length)).toEqual([5, 20_000_000, 5]);
});

test('keys, empty values, headers and timestamps arrive as they were sent', async () => {
  const topic = await topicWith(1);
  const before = Date.now();
  await send(kafka, topic, [
    { key: 'k', value: null, headers: { a: ['1', '2'], __proto__x: 'y' } },
    { key: null, value: '' },
  ]);
  const one = reader(freshName('group'), [topic]).start();

  await until('they arrive', () => one.count() === 2);

  const [first, second] = one.records.get(`${topic}/0`) ?? [];
  expect(first).toMatchObject({ offset: 0, value: undefined });
  expect(first?.key?.toString()).toBe('k');
  expect(first?.headers.map(({ key, value }) => `${key}=${value}`)).toEqual(['a=1', 'a=2', '__proto__x=y']);
  expect(first?.timestamp).toBeGreaterThanOrEqual(before);
  expect(second).toMatchObject({ key: undefined, headers: [] });
  expect(second?.value).toHaveLength(0);
});

test('where the topic keeps the broker’s time, records have that', async () => {
  const topic = await topicWith(1, { 'message.timestamp.type': 'LogAppendTime' });
  await send(kafka, topic, [{ value: 'x', timestamp: '1000' }]);
  const one = reader(freshName('group'), [topic]).start();

  await until('it arrives', () => one.count() === 1);

  expect(one.records.get(`${topic}/0`)?.[0]?.timestamp).toBeGreaterThan(1_600_000_000_000);
});

test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'])('batches that Java compressed with %s are read', async (codec) => {
  const topic = await topicWith(1);
  const values = Array.from({ length: 500 }, (_, index) => `${index} ${'lorem ipsum '.repeat(index % 50)}`);
  const java = 'org.apache.kafka.tools.ConsoleProducer';
  const args = [
    '--bootstrap-server',
    kafka.brokers.join(','),
    '--topic',
    topic,
    '--compression-codec',
    codec,
    '--batch-size',
    '100000',
  ];
  await kafka.tool(java, args, `${values.join('\n')}\n`);
  const one = reader(freshName('group'), [topic]).start();

  await until('they are read', () => one.count() === values.length);

  expect(one.values()).toEqual(values);
});

test('a batch that grows beyond the limit is passed over, with its bytes and the reason', async () => {
  const topic = await topicWith(1);
  const java = 'org.apache.kafka.tools.ConsoleProducer';
  const args = [
    '--bootstrap-server',
    kafka.brokers.join(','),
    '--topic',
    topic,
    '--compression-codec',
    'zstd',
    '--max-memory-bytes',
    '33554432',
    '--producer-property',
    'max.request.size=20000000',
    '--producer-property',
    'batch.size=1',
  ];
  await kafka.tool(java, args, `small\n${'0'.repeat(8_000_000)}\nlast\n`);
  const one = reader(freshName('group'), [topic], { decompressedBytesMax: 1_000_000 }).start();

  await until('they are read', () => one.count() === 3);

  const [small, bomb, last] = one.records.get(`${topic}/0`) ?? [];
  expect([small?.value?.toString(), last?.value?.toString()]).toEqual(['small', 'last']);
  expect(bomb).toMatchObject({ offset: 1, key: undefined });
  expect(bomb?.unreadable).toMatch(/cannot be read/);
  expect(bomb?.value?.length).toBeLessThan(100_000);
});

test('who has read all is told so, though the end lies behind the mark of a transaction, which is no record', async () => {
  const topic = await topicWith(1);
  const { producer } = await sendInTransactions(topic);
  onTestFinished(() => producer.disconnect());
  const one = reader(freshName('group'), [topic]).start();
  await until('it has read', () => one.count() === 3);
  const ends = async () => (await one.consumer.ends([{ topic, partition: 0 }]))[0];

  let end = await ends();
  while (end?.isRead !== true) end = await ends();

  const last = one.records.get(nameOf({ topic, partition: 0 }))?.at(-1);
  expect(end.end).toBe((last?.offset ?? 0) + 2);
});

test('records of transactions that were aborted, or are open, are not seen', async () => {
  const topic = await topicWith(1);
  const { producer } = await sendInTransactions(topic);
  onTestFinished(() => producer.disconnect());
  const one = reader(freshName('group'), [topic]).start();
  await until('it has read', () => one.count() === 3);

  const [end] = await one.consumer.ends([{ topic, partition: 0 }]);

  expect(one.values()).toEqual(['plain', 'committed', 'committed too']);
  expect(end?.end).toBeLessThan(10);
});

async function sendInTransactions(topic: string) {
  const { Kafka, logLevel } = await import('kafkajs');
  const client = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING });
  await send(kafka, topic, ['plain']);
  const producer = client.producer({ transactionalId: freshName('tx'), idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const inTransaction = async (value: string, end: 'commit' | 'abort' | 'leave') => {
    const transaction = await producer.transaction();
    await transaction.send({
      topic,
      messages: [{ value }, ...(value === 'committed' ? [{ value: 'committed too' }] : [])],
    });
    if (end === 'commit') await transaction.commit();
    if (end === 'abort') await transaction.abort();
  };
  await inTransaction('aborted', 'abort');
  await inTransaction('committed', 'commit');
  await inTransaction('open', 'leave');
  return { producer };
}

test('where retention was faster than reading, it goes on at what is left and says how many are gone', async () => {
  const topic = await topicWith(1);
  await send(kafka, topic, ['a', 'b', 'c', 'd']);
  const group = freshName('group');
  const first = reader(group, [topic]).start();
  await until('it has read', () => first.count() === 4);
  await first.consumer.commit([{ topic, partition: 0, offset: 1, metadata: 'm' }]);
  await first.stop();

  await kafka.deleteRecordsBefore(topic, 0, 3);
  const second = reader(group, [topic]).start();
  await until('it has read', () => second.count() === 1);

  expect(second.values()).toEqual(['d']);
  expect(second.problems[0]).toContain(`2 records of ${topic}/0 were deleted before they were read (offsets 1 to 2)`);
  expect(second.problem).toBeUndefined();
});

test('retention that passes a reader which is behind is noticed while it reads', async () => {
  const topic = await topicWith(2);
  await sendTo(kafka, topic, 0, 'a');
  const one = reader(freshName('group'), [topic]).start();
  await until('it has read', () => one.values().includes('a'));
  one.consumer.pause([{ topic, partition: 0 }]);
  // A broker is asked for all partitions at once, one request after the other: once the other partition has been read,
  // no request of before the pause is on its way.
  await sendTo(kafka, topic, 1, 'beside');
  await until('no request of before the pause is left', () => one.values().includes('beside'));
  for (const value of ['b', 'c', 'd', 'e']) await sendTo(kafka, topic, 0, value);
  await kafka.deleteRecordsBefore(topic, 0, 4);

  one.consumer.resume([{ topic, partition: 0 }]);
  await until('it has read on', () => one.values().includes('e'));

  expect(one.values().filter((value) => value !== 'beside')).toEqual(['a', 'e']);
  expect(one.problems.some((problem) => problem?.includes('3 records of'))).toBe(true);
});

test('a topic that is made later is read then, and the problem says what to do until then', async () => {
  const [spans, later] = [await topicWith(2), freshName('later')];
  const one = reader(freshName('group'), [spans, later]).start();
  await until('it reads what is there', () => one.owned.length === 2);
  await until(
    'it says what is missing',
    () => one.problem?.includes(`topic ${later} does not exist. Create it`) === true,
  );

  await kafka.createTopic(later, 3);
  await until('it reads that, too', () => one.owned.length === 5);

  await until('the problem is over', () => one.problem === undefined);
  expect(one.told.filter(({ kind }) => kind === 'lost')).toEqual([]);
});

test('partitions that are added are read', async () => {
  const topic = await topicWith(1);
  const group = freshName('group');
  const readers = [reader(group, [topic]).start(), reader(group, [topic]).start()];
  await until('one has it', () => readers.flatMap(({ owned }) => owned).length === 1);

  await (await kafka.admin()).createPartitions({ topicPartitions: [{ topic, count: 4 }] });

  await until('they share four', () => readers.every(({ owned }) => owned.length === 2));
});

test('a topic that is made anew under the same name is given again, from its start', async () => {
  const topic = await topicWith(1);
  await send(kafka, topic, ['a', 'b', 'c']);
  const one = reader(freshName('group'), [topic]).start();
  await until('it has read', () => one.count() === 3);

  await (await kafka.admin()).deleteTopics({ topics: [topic] });
  await until('it says that the topic is gone', () => one.problem?.includes('does not exist') === true);
  await kafka.createTopic(topic, 1);
  await send(kafka, topic, ['new']);
  await until('it has read the new one', () => one.values().includes('new'));

  expect(one.begins.get(`${topic}/0`)).toMatchObject({ offset: 0, metadata: '' });
  await until('no problem is left', () => one.problem === undefined);
});

interface OtherProcess {
  readonly child: ChildProcess;
  readonly said: string[];
}

function readerInOtherProcess(group: string, topic: string): OtherProcess {
  const script = path.join(import.meta.dirname, 'reader-process.ts');
  const child = spawn(process.execPath, [script, kafka.brokers.join(','), group, topic], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
  });
  const said: string[] = [];
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines);
  });
  return { child, said };
}

test('one that is killed is replaced when its session ends, and the next reads from what was committed', async () => {
  const topic = await topicWith(2);
  const group = freshName('group');
  const other = readerInOtherProcess(group, topic);
  await until('it has both', () => other.said.some((line) => line.startsWith('assigned 2')));
  const here = reader(group, [topic]).start();
  await until('they share', () => here.owned.length === 1);
  await sendTo(kafka, topic, 0, 'zero');
  await sendTo(kafka, topic, 1, 'one');
  await until('both read', () => here.count() === 1 && other.said.some((line) => line.startsWith('record')));

  other.child.kill('SIGKILL');
  await until('it has both', () => here.owned.length === 2);

  await until('it has read both', () => here.count() === 2);
  expect(here.told.at(-1)).toMatchObject({
    kind: 'assigned',
    kept: [expect.any(String)],
    gained: [expect.any(String)],
  });
});

test('one that sleeps for longer than its session wakes with nothing, is told so, and is given a share', async () => {
  const topic = await topicWith(2);
  const group = freshName('group');
  const other = readerInOtherProcess(group, topic);
  await until('it has both', () => other.said.some((line) => line.startsWith('assigned 2')));
  other.child.kill('SIGSTOP');
  const here = reader(group, [topic]).start();
  await until('the other is replaced', () => here.owned.length === 2);
  const before = other.said.length;

  other.child.kill('SIGCONT');
  await until('it has a share again', () => here.owned.length === 1);

  await until('it was told', () => other.said.slice(before).some((line) => line.startsWith('assigned 1 kept 0')));
  const since = other.said.slice(before);
  expect(since.find((line) => line.startsWith('lost'))).toBe('lost 2');
});

test('a member alone whose session ended is told that it lost everything, and is given it anew', async () => {
  const topic = await topicWith(2);
  const other = readerInOtherProcess(freshName('group'), topic);
  await until('it has both', () => other.said.some((line) => line.startsWith('assigned 2')));

  other.child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, SHORT_TIMES.sessionTimeoutMs * 2));
  const before = other.said.length;
  other.child.kill('SIGCONT');

  await until('it is given both', () => other.said.slice(before).includes('assigned 2 kept 0'));
  expect(other.said.slice(before).find((line) => !line.startsWith('problem'))).toBe('lost 2');
});

test('nothing is left running after stop, even where no broker ever answered', async () => {
  const one = new Reader({ connection: { brokers: ['localhost:1'] }, group: 'g', topics: ['t'] }).start();
  await until('it says so', () => one.problem !== undefined);

  await one.stop();
  await one.stop();

  expect(one.problem).toMatch(/localhost:1.*nothing listens there/);
  expect(nameOf({ topic: 't', partition: 1 })).toBe('t/1');
});
