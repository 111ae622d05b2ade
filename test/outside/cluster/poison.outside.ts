/**
 * Unreadable records, of eleven kinds, at the head of every partition. The records behind them are scored as if they were
 * not there, at the same log time, and they are in the topic of dead letters with the reason.
 */
import { Kafka, logLevel, type Message } from 'kafkajs';
import { TopicScan } from '../../../src/kafka/kafkajs/topic-scan.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBooks } from '../../simulation/cluster-books.ts';
import { connectTo } from '../../simulation/cluster-database.ts';
import { type Produced, TrafficProducer } from '../../simulation/cluster-producer.ts';
import { untilAtRest } from '../../simulation/cluster-rest.ts';
import { Rig, TIMES } from '../../simulation/cluster-rig.ts';
import { clusterTraffic, type ScheduledConversation } from '../../simulation/cluster-traffic.ts';
import { straightTo } from '../../simulation/cluster-transports.ts';

const PARTITIONS = 4;
const CONVERSATIONS = 150;
const DEAD_LETTERS = 'dead-letters';

const POISON: Readonly<Record<string, Buffer>> = {
  'a line of text': Buffer.from('2026-11-21 12:00:00 ERROR calendar did not answer'),
  'protobuf that was cut short': protobufCutShort(),
  'a number that never ends': Buffer.alloc(40, 0xff),
  'JSON that was cut short': Buffer.from('{"resourceSpans":[{"resource":{"attributes":['),
  'JSON of another shape': Buffer.from('{"resourceSpans":"all of them","resourceLogs":"all of them"}'),
  'JSON of another kind': Buffer.from('{"not":"otlp"}'),
  'JSON nested without end': Buffer.from(`{"resourceSpans":${'['.repeat(50_000)}`),
  'spans of Zipkin': Buffer.from('[{"traceId":"5af7183fb1d4cf5f","id":"6b221d5bc9e6496c","name":"get"}]'),
  'a request of metrics': Buffer.from(
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"requests","sum":{"dataPoints":[{"asInt":"3"}]}}]}]}]}',
  ),
  'an id that is none': Buffer.from(
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"x"}]}]}],"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"x"}]}]}]}',
  ),
  'gzip that is broken': Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), Buffer.alloc(64, 0x5a)]),
};

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({
    networks: 0,
    brokers: 1,
    partitions: PARTITIONS,
    suites: ['default'],
    onSurprise: (what) => process.stderr.write(`${what}\n`),
  });
});
afterAll(() => rig?.close({ keep: false }));

test('poison of eleven kinds at the head of every partition delays nothing', async () => {
  const database = await rig.postgres.createDatabase();
  await rig.kafka.createTopic(DEAD_LETTERS, 1);
  const sent = await poisonAll();
  const produced = await produce();

  const group = 'poison';
  const env = { ASSAY_KAFKA_DEAD_LETTERS: DEAD_LETTERS };
  const instances = [
    await rig.instance({ name: 'one', network: undefined, group, database, env }),
    await rig.instance({ name: 'two', network: undefined, group, database, env }),
  ];
  for (const instance of instances) instance.start();
  const topics = Object.values(rig.topics);
  const rest = { brokers: rig.kafka.brokers, topics, group, database, patienceMs: 60_000, say: () => {} };
  expect(await untilAtRest(rest)).toBe(undefined);
  await Promise.all(instances.map((instance) => instance.stop()));

  const books = await readBooks(database);
  expect([...produced.ids].filter((id) => !books.conversations.has(id))).toEqual([]);
  const turns = new Set([...books.evaluations.keys()].map((key) => key.split(' ').slice(0, 2).join(' ')));
  expect(turns.size).toBe(produced.spans.size);
  expect(await closingTimes(database)).toEqual(await expectedClosingTimes());
  const letters = await readTopic(DEAD_LETTERS);
  expect(letters.map(placeOf).sort()).toEqual(sent);
  for (const letter of letters) expect(String(letter.headers?.['assay.reason']).length).toBeGreaterThan(10);
});

/** Returns their positions and their content. */
async function poisonAll(): Promise<string[]> {
  const producer = kafka().producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const sent: string[] = [];
  for (const topic of Object.values(rig.topics)) {
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const kinds = Object.entries(POISON);
      await producer.send({
        topic,
        acks: -1,
        messages: kinds.map(([kind, value]) => ({ partition, key: kind, value })),
      });
      for (const [index, [kind]] of kinds.entries()) sent.push(`${topic} ${partition} ${index} ${kind}`);
    }
  }
  await producer.disconnect();
  return sent.sort();
}

/** One record for each turn, so that the time at which it closes is known: settle time after the record's. */
async function produce(): Promise<Produced> {
  const traffic = clusterTraffic({ ...TIMES, seed: 5, rate: 100, conversations: CONVERSATIONS, calm: true });
  function* plain(): Generator<ScheduledConversation> {
    for (const conversation of traffic) if (conversation.kind === 'plain') yield conversation;
  }
  const producer = new TrafficProducer({
    transport: straightTo(rig.kafka.brokers, rig.topics),
    traffic: plain(),
  });
  producer.start();
  return await producer.ended();
}

async function expectedClosingTimes(): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for (const { key, timestamp } of await readTopic(rig.topics.spans)) {
    const traceId = String(key);
    if (traceId in POISON || times.has(traceId)) continue;
    times.set(traceId, Number(timestamp) + TIMES.settleMs);
  }
  return times;
}

async function closingTimes(database: string): Promise<ReadonlyMap<string, number>> {
  const client = await connectTo(database);
  const { rows } = await client.query<{ trace_id: string; closed_at: string }>(
    'SELECT trace_id::text, min(closed_at) AS closed_at FROM arrivals GROUP BY trace_id',
  );
  await client.end();
  return new Map(rows.map(({ trace_id, closed_at }) => [trace_id.replaceAll('-', ''), Number(closed_at)]));
}

function placeOf({ headers, key }: Message): string {
  const header = (name: string) => String(headers?.[`assay.${name}`]);
  return `${header('topic')} ${header('partition')} ${header('offset')} ${String(key)}`;
}

/** The present content of a topic. */
async function readTopic(topic: string): Promise<(Message & { readonly timestamp: string })[]> {
  const scan = new TopicScan({ connection: { brokers: rig.kafka.brokers }, topic, group: `reader-${topic}` });
  const found: (Message & { readonly timestamp: string })[] = [];
  const partitions = await scan.open();
  const from = partitions.map(({ partition, logStart, logEnd }) => ({ partition, offset: logStart, logEnd }));
  for await (const { record } of scan.read(from)) {
    const headers = Object.fromEntries(record.headers.map(({ key, value }) => [key, value]));
    found.push({ key: record.key ?? null, value: record.value ?? null, timestamp: String(record.timestamp), headers });
  }
  scan.close();
  return found;
}

function kafka(): Kafka {
  return new Kafka({ brokers: [...rig.kafka.brokers], logLevel: logLevel.NOTHING });
}

function protobufCutShort(): Buffer {
  for (const { records } of clusterTraffic({ ...TIMES, seed: 5, rate: 1, conversations: 50, calm: true })) {
    for (const { value } of records) if (value[0] !== 0x7b) return value.subarray(0, value.length - 7);
  }
  throw new Error('the traffic has no record in protobuf');
}
