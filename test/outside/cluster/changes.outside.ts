/**
 * Two instances over one Kafka and one PostgreSQL: either accepts a level on request, and each reloads its
 * configuration while it works.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type AssayProcess, freeListenPorts, startAssay } from '../../simulation/process.ts';
import { parseMetrics } from '../../simulation/scraped-totals.ts';
import { exportRequest, type TrafficConversation, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { clusterServices } from './instance.ts';

const services = clusterServices();

const suite = (version: string) => `suite: care
version: "${version}"
scope: turn
criteria:
  - { name: asked_by_${version}, question: Is there a step?, weight: 1, check: size(steps) > 0 }
`;

test('suites change on both instances under load, and either can be asked to accept a level', async () => {
  const { kafka, postgres } = services();
  await kafka.createTopic('changes-spans', 4);
  const directory = tempDirectory();
  writeFileSync(path.join(directory, 'assay.yaml'), 'suites: [./care.yaml]\n');
  writeFileSync(path.join(directory, 'care.yaml'), suite('first'));
  const store = await postgres.createDatabase();
  const instance = async (name: string) => {
    const assay = await startAssay({
      dataDir: tempDirectory(),
      ports: await freeListenPorts(),
      env: {
        ASSAY_CONFIG: path.join(directory, 'assay.yaml'),
        ASSAY_KAFKA_BROKERS: kafka.brokers.join(','),
        ASSAY_KAFKA_SPANS: 'changes-spans',
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
  const conversations = [...traffic({ seed: 8, conversations: 40, endMarks: 'all' })];
  const before = conversations.slice(0, 20);
  const after = conversations.slice(20);

  await send(instances, before);
  writeFileSync(path.join(directory, 'care.yaml'), suite('second'));
  const reloads = await Promise.all(instances.map((one) => post(one, '/api/v1/reload', {})));
  await send(instances, after);
  const turns = turnsOf(conversations);
  while ((await sumOf(instances, 'assay_verdicts_total{')) < turns) await sleep(200);

  expect(reloads.map(({ status }) => status)).toEqual([200, 200]);
  expect(await sumOf(instances, 'assay_verdicts_total{')).toBe(turns);
  // Later conversations are scored by the new suite, and perhaps some of the earlier ones.
  expect(await sumOf(instances, 'assay_verdicts_total{', 'asked_by_second')).toBeGreaterThanOrEqual(turnsOf(after));
  expect(await sumOf(instances, 'assay_config_last_reload_successful')).toBe(2);
  expect(await sumOf(instances, 'assay_failures_total', 'part="scoring"')).toBe(0);

  const agent = conversations[0] === undefined ? '' : await agentOf(instances[0]);
  for (const one of instances) {
    // The level is learning, not regressed: the instance that answers has read the state that the other wrote.
    const known = async () => post(one, '/api/v1/detection/accept', { agent, suite: 'care', metric: 'tcr' });
    while ((await known()).status === 404) await sleep(200);
    const answer = await known();
    expect(answer.status).toBe(409);
    expect(answer.body).toContain('"state":"learning"');
    expect((await post(one, '/api/v1/detection/accept', { agent, suite: 'cure' })).status).toBe(404);
  }
}, 120_000);

async function send(instances: readonly AssayProcess[], conversations: readonly TrafficConversation[]): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (const [index, { turns, agentVersion }] of conversations.entries()) {
    for (const turn of turns) {
      const body = exportRequest(turn, agentVersion);
      const to = instances[index % instances.length];
      expect((await fetch(`${to?.otlpHttp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    }
  }
}

async function post(assay: AssayProcess, route: string, body: unknown) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${assay.http}${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.text() };
}

async function agentOf(assay: AssayProcess | undefined): Promise<string> {
  const page = await (await fetch(`${assay?.http}/api/conversations?limit=1`)).text();
  return /"agent":"([^"]+)"/.exec(page)?.[1] ?? '';
}

function turnsOf(conversations: readonly TrafficConversation[]): number {
  return conversations.reduce((sum, { turns }) => sum + turns.length, 0);
}

async function sumOf(instances: readonly AssayProcess[], ...parts: readonly string[]): Promise<number> {
  let sum = 0;
  for (const { http } of instances) {
    for (const [series, value] of parseMetrics(await (await fetch(`${http}/metrics`)).text())) {
      if (parts.every((part) => series.includes(part))) sum += value;
    }
  }
  return sum;
}
