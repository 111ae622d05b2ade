/** Two instances over one Kafka and one PostgreSQL, and a judge: one instance asks, whoever has evaluated, and each evaluation comes to its end. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startProvider, YES } from '../../ask/provider.ts';
import { parseMetrics } from '../../simulation/scraped-totals.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../../simulation/process.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import type { KafkaForTests } from '../kafka/broker.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { startKafka } from '../services.ts';

let kafka: KafkaForTests;
let postgres: PostgresServer;
beforeAll(async () => {
  [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
});
afterAll(async () => {
  await Promise.all([kafka?.close(), postgres?.close()]);
});

const SUITE = `suite: manners
version: "1"
scope: conversation
criteria:
  - { name: answered, question: Was there an answer?, weight: 0.5, check: size(steps) > 0 }
  - { name: kind, question: Was it kind?, weight: 0.5, judge: { by: default } }
`;

test('each evaluation of a cluster hears from its judge, whom one instance asks', async () => {
  await kafka.createTopic('judged-spans', 4);
  const provider = await startProvider(() => ({ say: YES }));
  const store = await postgres.createDatabase();
  const instance = async (name: string) => {
    const dataDir = tempDirectory();
    const config = path.join(dataDir, 'assay.yaml');
    writeFileSync(path.join(dataDir, 'manners.yaml'), SUITE);
    writeFileSync(
      config,
      `suites: [./manners.yaml]\njudges: { default: { provider: openai, model: m, base_url: "${provider.url}" } }\n`,
    );
    const assay = await startAssay({
      dataDir,
      ports: await freeListenPorts(),
      env: {
        ASSAY_CONFIG: config,
        ASSAY_KAFKA_BROKERS: kafka.brokers.join(','),
        ASSAY_KAFKA_SPANS: 'judged-spans',
        ASSAY_KAFKA_CLOCK_MARGIN: '1s',
        ASSAY_STORE_URL: store,
        ASSAY_INSTANCE: name,
        ASSAY_TURN_SETTLE: '500ms',
        ASSAY_CONVERSATION_IDLE: '1s',
      },
    });
    onTestFinished(async () => {
      await assay.stop();
    });
    return assay;
  };
  const instances = [await instance('one'), await instance('two')];
  const [first] = instances;
  const conversations = [...traffic({ seed: 8, conversations: 12, endMarks: 'all' })];
  for (const { turns, agentVersion } of conversations) {
    for (const turn of turns) {
      const headers = { 'content-type': 'application/json' };
      const body = exportRequest(turn, agentVersion);
      const answer = await fetch(`${first?.otlpHttp}/v1/traces`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
    }
  }

  while ((await sumOf(instances, 'assay_evaluations_total{', 'suite="manners"')) < conversations.length)
    await sleep(200);

  const passed = await sumOf(instances, 'assay_verdicts_total{', 'criterion="kind"', 'verdict="pass"');
  expect(passed).toBe(conversations.length);
  const asked = await Promise.all(instances.map((one) => sumOf([one], 'assay_judge_calls_total{', 'result="said"')));
  expect(asked.toSorted((a, b) => a - b)).toEqual([0, provider.asked.length]);
  // What looked the same was asked once.
  expect(provider.asked.length).toBe(new Set(provider.asked.map(({ material }) => material)).size);
}, 120_000);

async function sumOf(instances: readonly AssayProcess[], name: string, ...parts: readonly string[]): Promise<number> {
  let sum = 0;
  for (const { http } of instances) {
    const metrics = parseMetrics(await (await fetch(`${http}/metrics`)).text());
    for (const [series, value] of metrics) {
      if (series.startsWith(name) && parts.every((part) => series.includes(part))) sum += value;
    }
  }
  return sum;
}
