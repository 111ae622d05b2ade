/**
 * The gateway: receives OTLP and writes it to Kafka, keyed by trace id. A client is answered once all in-sync replicas
 * have its spans, and is told to wait while they do not.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { BatchTable, encodeTable } from '../../../src/otlp/batch-table.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../../simulation/process.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { KafkaCluster } from '../kafka/broker.ts';

let kafka: KafkaCluster;
beforeAll(async () => {
  kafka = await KafkaCluster.start();
});
afterAll(() => kafka?.close());

async function gateway(topic: string): Promise<AssayProcess> {
  const assay = await startAssay({
    dataDir: tempDirectory(),
    ports: await freeListenPorts(),
    env: { ASSAY_KAFKA_BROKERS: kafka.brokers.join(','), ASSAY_KAFKA_SPANS: topic, ASSAY_KAFKA_ROLE: 'gateway' },
  });
  onTestFinished(async () => {
    await assay.stop();
  });
  return assay;
}

function post(assay: AssayProcess, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${assay.otlpHttp}/v1/traces`, { method: 'POST', headers, body });
}

async function readTopic(topic: string, wanted: number) {
  const client = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING });
  const consumer = client.consumer({ groupId: `reader-${topic}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const found: { readonly key: string; readonly partition: number; readonly traceIds: readonly string[] }[] = [];
  let spans = 0;
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      const table = BatchTable.read(encodeTable(indexTraces(message.value ?? Buffer.alloc(0))));
      const traceIds = Array.from({ length: table.rowCount }, (_, row) => String(table.traceId(row)));
      spans += traceIds.length;
      found.push({ key: String(message.key), partition, traceIds });
    },
  });
  for (let waited = 0; waited < 300 && spans < wanted; waited += 1) await sleep(100);
  await sleep(1000);
  await consumer.disconnect();
  return found;
}

test('each trace of a request is a record of its own, keyed by its id, and lies in one partition', async () => {
  await kafka.createTopic('gateway-spans', 4);
  const assay = await gateway('gateway-spans');
  const conversations = [...traffic({ seed: 3, conversations: 20 })];
  const spans = conversations.flatMap(({ turns }) => turns.flat());
  for (let from = 0; from < spans.length; from += 40) {
    const response = await post(assay, exportRequest(spans.slice(from, from + 40), 'v1'));
    expect(response.status).toBe(200);
  }

  const records = await readTopic('gateway-spans', spans.length);

  for (const { key, traceIds } of records) expect(new Set(traceIds)).toEqual(new Set([key]));
  expect(records.flatMap(({ traceIds }) => traceIds).toSorted()).toEqual(
    spans.map(({ traceId }) => traceId).toSorted(),
  );
  for (const [, same] of Map.groupBy(records, ({ key }) => key)) {
    expect(new Set(same.map(({ partition }) => partition)).size).toBe(1);
  }
  expect(new Set(records.map(({ partition }) => partition)).size).toBe(4);
});

test('while the brokers are away clients are told to send again, and afterwards they are taken', async () => {
  await kafka.createTopic('gateway-away', 1);
  const assay = await gateway('gateway-away');
  const [conversation] = [...traffic({ seed: 4, conversations: 1 })];
  const body = exportRequest(conversation?.turns.flat() ?? [], 'v1');
  expect((await post(assay, body)).status).toBe(200);

  await kafka.kill(1);
  const refused = await post(assay, body);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.text()).toContain('kafka');

  await kafka.start(1);
  let status = 503;
  for (let tries = 0; tries < 60 && status !== 200; tries += 1) {
    status = (await post(assay, body)).status;
    if (status !== 200) await sleep(1000);
  }
  expect(status).toBe(200);
});

test('spans that no broker takes are rejected by themselves, with the reason', async () => {
  await kafka.createTopic('gateway-small', 1, { 'max.message.bytes': '20000' });
  const assay = await gateway('gateway-small');
  const span = (name: string, id: string) => ({ traceId: id.repeat(32), spanId: id.repeat(16), name });
  const spans = [span('small', 'a'), span('x'.repeat(50_000), 'b'), span('small too', 'c')];

  const response = await post(assay, JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));

  expect(response.status).toBe(200);
  const answer = (await response.json()) as { partialSuccess?: { rejectedSpans?: string; errorMessage?: string } };
  expect(answer.partialSuccess?.rejectedSpans).toBe('1');
  expect(answer.partialSuccess?.errorMessage).toContain('gateway-small');
  const records = await readTopic('gateway-small', 2);
  // Retried spans are dropped by their span ids.
  expect(new Set(records.map(({ key }) => key.slice(0, 1)))).toEqual(new Set(['a', 'c']));
});
