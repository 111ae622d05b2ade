/** SDK → Collector → Kafka, with the shipped configuration: Assay can read what a real Collector writes. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CompressionCodecs, CompressionTypes, Kafka, logLevel, Partitioners } from 'kafkajs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { decompress } from '../../src/kafka/kafkajs/codecs.ts';
import { readRecord } from '../../src/receive/kafka/read-record.ts';
import {
  type Collector,
  collectorBinary,
  type CollectorOptions,
  objectionOfCollector,
  startCollector,
} from './collector.ts';
import { freshName, type KafkaForTests } from './kafka/broker.ts';
import { startKafka } from './services.ts';

const SHIPPED = path.resolve(import.meta.dirname, '../../collector-config/kafka.yaml');
const PARTITIONS = 4;
const BYTES_MAX = 32 << 20;

let kafka: KafkaForTests;

beforeAll(async () => {
  await collectorBinary();
  kafka = await startKafka();
  for (const [type, codec] of [
    [CompressionTypes.Snappy, 'snappy'],
    [CompressionTypes.LZ4, 'lz4'],
    [CompressionTypes.ZSTD, 'zstd'],
  ] as const) {
    CompressionCodecs[type] = () => ({
      compress: () => Promise.reject(new Error('this test only reads')),
      decompress: (bytes: Buffer) => decompress(codec, bytes, BYTES_MAX),
    });
  }
  // At its first run on a machine the Collector is built.
}, 1_500_000);
afterAll(() => kafka?.close());

test('it would object to a setting that it does not know', async () => {
  const changes = ['exporters::kafka::partition_traces_by_trace_id: true'];

  expect(await objectionOfCollector({ configFile: SHIPPED, changes, env: {} })).toContain(
    'partition_traces_by_trace_id',
  );
});

const forms = [
  ...['none', 'gzip', 'snappy', 'lz4', 'zstd'].map((compression) => ({ encoding: 'otlp_proto', compression })),
  ...['none', 'gzip', 'snappy', 'lz4', 'zstd'].map((compression) => ({ encoding: 'otlp_json', compression })),
];

test.for(forms)('a trace has one key, and its logs have the same: $encoding, $compression', async (form) => {
  const { collector, spans, logs } = await collectorWithTopics([
    `exporters::kafka::traces::encoding: ${form.encoding}`,
    `exporters::kafka::logs::encoding: ${form.encoding}`,
    `exporters::kafka::producer::compression: ${form.compression}`,
  ]);
  const traceIds = Array.from({ length: 12 }, () => randomBytes(16).toString('hex'));

  // All traces in one request: the Collector splits them.
  await send(collector, 'traces', tracesRequest(traceIds, 3));
  await send(collector, 'logs', logsRequest(traceIds));

  const spanRecords = await recordsOf(spans, traceIds.length);
  const logRecords = await recordsOf(logs, traceIds.length);
  expect(spanRecords.map(({ key }) => key).sort()).toEqual([...traceIds].sort());
  for (const record of spanRecords) {
    expect(readAs('traces', record.value), record.key).toEqual({ rows: 3, rejected: 0 });
  }
  for (const record of logRecords) expect(readAs('logs', record.value), record.key).toEqual({ rows: 1, rejected: 0 });
  expect(partitionsByKey(logRecords)).toEqual(partitionsByKey(spanRecords));
  expect(new Set(spanRecords.map(({ partition }) => partition)).size).toBeGreaterThan(1);
});

test('it chooses the partition that Kafka clients in Java and JavaScript choose', async () => {
  const { collector, spans } = await collectorWithTopics();
  const traceIds = Array.from({ length: 20 }, () => randomBytes(16).toString('hex'));

  await send(collector, 'traces', tracesRequest(traceIds, 1));

  const choose = Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from({ length: PARTITIONS }, (_, partitionId) => ({
    partitionId,
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  }));
  const chosen = traceIds.map((key): [string, number] => [
    key,
    choose({ topic: spans, partitionMetadata, message: { key, value: null } }),
  ]);
  expect(partitionsByKey(await recordsOf(spans, traceIds.length))).toEqual(new Map(chosen));
});

test('a turn of ten megabytes arrives', async () => {
  const { collector, spans } = await collectorWithTopics();
  const traceId = randomBytes(16).toString('hex');

  // Incompressible text: limits apply before compression in the Collector and after it in the broker.
  await send(collector, 'traces', tracesRequest([traceId], 1, randomBytes(5_000_000).toString('hex')));

  const [record] = await recordsOf(spans, 1);
  expect(record?.value.length).toBeGreaterThan(10_000_000);
  expect(readAs('traces', record?.value ?? Buffer.alloc(0))).toEqual({ rows: 1, rejected: 0 });
});

test('what was accepted while Kafka was away outlives the Collector', async () => {
  const topics = await createTopics();
  const queue = mkdtempSync(path.join(tmpdir(), 'assay-collector-'));
  onTestFinished(() => rmSync(queue, { recursive: true, force: true }));
  const nobody = 'localhost:1';
  const cutOff = await startedCollector({ topics, queue, brokers: nobody });
  const traceIds = Array.from({ length: 5 }, () => randomBytes(16).toString('hex'));
  for (const traceId of traceIds) await send(cutOff, 'traces', tracesRequest([traceId], 2));
  await cutOff.kill();

  await startedCollector({ topics, queue, brokers: kafka.brokers.join(',') });

  const records = await recordsOf(topics.spans, traceIds.length);
  expect(records.map(({ key }) => key).sort()).toEqual([...traceIds].sort());
});

interface Topics {
  readonly spans: string;
  readonly logs: string;
}

async function createTopics(): Promise<Topics> {
  const topics = { spans: freshName('spans'), logs: freshName('logs') };
  const config = { 'max.message.bytes': '16777216' };
  for (const topic of [topics.spans, topics.logs]) await kafka.createTopic(topic, PARTITIONS, config);
  return topics;
}

async function collectorWithTopics(changes: readonly string[] = []) {
  const topics = await createTopics();
  const queue = mkdtempSync(path.join(tmpdir(), 'assay-collector-'));
  onTestFinished(() => rmSync(queue, { recursive: true, force: true }));
  const collector = await startedCollector({ topics, queue, brokers: kafka.brokers.join(','), changes });
  return { ...topics, collector };
}

async function startedCollector({
  topics,
  queue,
  brokers,
  changes = [],
}: {
  readonly topics: Topics;
  readonly queue: string;
  readonly brokers: string;
  readonly changes?: readonly string[];
}): Promise<Collector> {
  const options: CollectorOptions = {
    configFile: SHIPPED,
    changes: [
      ...changes,
      `exporters::kafka::traces::topic: ${topics.spans}`,
      `exporters::kafka::logs::topic: ${topics.logs}`,
    ],
    env: { KAFKA_BROKERS: brokers, COLLECTOR_QUEUE_DIR: queue },
  };
  const collector = await startCollector(options);
  onTestFinished(() => collector.kill());
  return collector;
}

async function send(collector: Collector, signal: 'traces' | 'logs', request: unknown): Promise<void> {
  const response = await fetch(`${collector.otlpHttp}/v1/${signal}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
}

const RESOURCE = { attributes: [{ key: 'service.name', value: { stringValue: 'agent' } }] };

function tracesRequest(traceIds: readonly string[], spansOfEach: number, text = 'hello') {
  const spans = traceIds.flatMap((traceId) =>
    Array.from({ length: spansOfEach }, () => ({
      traceId,
      spanId: randomBytes(8).toString('hex'),
      name: 'chat',
      startTimeUnixNano: '1700000000000000000',
      endTimeUnixNano: '1700000001000000000',
      attributes: [{ key: 'gen_ai.input.messages', value: { stringValue: text } }],
    })),
  );
  return { resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ scope: { name: 'test' }, spans }] }] };
}

function logsRequest(traceIds: readonly string[]) {
  const logRecords = traceIds.map((traceId) => ({
    traceId,
    spanId: randomBytes(8).toString('hex'),
    timeUnixNano: '1700000000000000000',
    body: { stringValue: 'hello' },
  }));
  return { resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ scope: { name: 'test' }, logRecords }] }] };
}

interface ReadRecord {
  readonly key: string;
  readonly value: Buffer;
  readonly partition: number;
}

/** The first records of a topic, from its beginning. */
async function recordsOf(topic: string, count: number): Promise<readonly ReadRecord[]> {
  const client = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING });
  const consumer = client.consumer({ groupId: freshName('reader'), maxWaitTimeInMs: 100, maxBytes: BYTES_MAX });
  const records: ReadRecord[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachMessage: ({ partition, message }) => {
        records.push({ key: String(message.key), value: message.value ?? Buffer.alloc(0), partition });
        if (records.length === count) resolve();
        return Promise.resolve();
      },
    });
    await promise;
  } finally {
    await consumer.disconnect();
  }
  return records;
}

function partitionsByKey(records: readonly ReadRecord[]): ReadonlyMap<string, number> {
  return new Map(records.map(({ key, partition }) => [key, partition]));
}

/** Reads like an instance of Assay. */
function readAs(signal: 'traces' | 'logs', value: Buffer): { readonly rows: number; readonly rejected: number } {
  const read = readRecord(value, { signal, bytesMax: BYTES_MAX, redactor: undefined });
  if (!('batch' in read)) throw new Error(`not read: ${JSON.stringify(read)}`);
  return { rows: read.batch.rows, rejected: read.rejected };
}
