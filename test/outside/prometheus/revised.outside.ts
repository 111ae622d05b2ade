/**
 * Conversations are evaluated, and then continue: the changes of a revision reach every metric. A real Prometheus
 * scrapes one machine, and two instances over one Kafka and one PostgreSQL. At the end each metric minus its withdrawn
 * twin equals the store.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { type AssayProcess, freeListenPorts, startAssay } from '../../simulation/process.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { sendSpans, startInstance, sumOf } from '../cluster/instance.ts';
import { KafkaCluster } from '../kafka/broker.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { BUILT_WITHIN_MS, prometheusBinaries } from './prometheus-binaries.ts';
import { startPrometheus } from './prometheus-process.ts';
import { figuresOfMetrics, figuresOfStore } from './store-figures.ts';

/** The changes by a second turn: the verdict, the outcome and the score of every conversation. */
const SHORT = {
  suite: 'short',
  scope: 'conversation',
  criteria: [
    { name: 'answered', question: 'Is there an answer?', weight: 0.25, uses: 'answered' },
    { name: 'one_turn', question: 'Did one turn do?', weight: 0.5, check: 'size(turns) == 1' },
    { name: 'two_turns_answered', question: 'Is it long?', weight: 0.25, when: 'size(turns) == 2', check: 'true' },
  ],
};
const CONVERSATIONS = 40;
const TOPIC = 'otlp_spans';
const POLL = { timeout: 60_000, interval: 500 };
const conversations = [...traffic({ seed: 12, conversations: CONVERSATIONS, turnsMin: 2, turnsMax: 2 })];

let kafka: KafkaCluster;
let postgres: PostgresServer;
// Not in the time of a test: the first one on a machine builds it.
beforeAll(() => prometheusBinaries('3.x'), BUILT_WITHIN_MS);
beforeAll(async () => {
  [kafka, postgres] = await Promise.all([KafkaCluster.start(), startPostgres()]);
});
afterAll(async () => {
  await Promise.all([kafka?.close(), postgres?.close()]);
});

test('one machine', { timeout: 180_000 }, async () => {
  const assay = await startAssay({
    dataDir: tempDirectory(),
    ports: await freeListenPorts(),
    env: { ASSAY_TURN_SETTLE: '500ms', ASSAY_CONVERSATION_IDLE: '1s', ASSAY_CONFIG: configuration() },
  });
  onTestFinished(async () => {
    await assay.stop();
  });

  await equalAfterRevisions([assay]);
});

test('two instances', { timeout: 180_000 }, async () => {
  await kafka.createTopic(TOPIC, 4);
  const common = {
    kafka,
    topic: TOPIC,
    store: await postgres.createDatabase(),
    env: { ASSAY_CONFIG: configuration() },
  };
  const instances = await Promise.all(['one', 'two'].map((name) => startInstance({ ...common, name })));

  await equalAfterRevisions(instances);
});

function configuration(): string {
  const directory = tempDirectory();
  const file = path.join(directory, 'assay.yaml');
  writeFileSync(path.join(directory, 'short.yaml'), stringify(SHORT));
  writeFileSync(file, stringify({ suites: ['default', 'error-recovery', './short.yaml'] }));
  return file;
}

async function equalAfterRevisions(instances: readonly AssayProcess[]): Promise<void> {
  const [assay] = instances;
  if (assay === undefined) return expect.unreachable();
  const targets = instances.map(({ http }) => http);
  const prometheus = await startPrometheus({ line: '3.x', targets, rules: 'groups: []' });
  const scored = () => sumOf(instances, 'assay_evaluations_total{', 'suite="short"');
  const send = async (number: number) => {
    for (const { turns, agentVersion } of conversations)
      expect(await sendSpans(assay, exportRequest(turns[number] ?? [], agentVersion))).toBe(200);
  };

  await send(0);
  while ((await scored()) < CONVERSATIONS) await sleep(200);
  const before = await figuresOfStore(assay.http);
  await send(1);
  while ((await scored()) < 2 * CONVERSATIONS) await sleep(200);

  const said = await figuresOfStore(assay.http);
  expect(said).not.toEqual(before);
  expect(said.get('assay_evaluation_score_count short')).toBe(CONVERSATIONS);
  await expect.poll(() => figuresOfMetrics(prometheus), POLL).toEqual(said);
}
