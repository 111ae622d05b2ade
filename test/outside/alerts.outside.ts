/**
 * From a bad release to the person on call and back, with real components: the example agent with the OpenTelemetry
 * SDK, a Collector, Assay, Prometheus with the shipped rules, Alertmanager with its routing. Only times are shorter: a
 * day is a bit over a minute.
 *
 *   a day and more of a healthy version → a release that books the wrong people, half of the time: hard failures → the old one again
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { LINKS } from '../../deploy/links.ts';
import { ruleFile } from '../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS, shortened } from '../../deploy/prometheus/source/settings.ts';
import { freeListenPorts, startAssay } from '../simulation/process.ts';
import { tempDirectory } from '../temp-directory.ts';
import { collectorBinary, startCollector } from './collector.ts';
import { type AlertMessage, startAlertmanager } from './prometheus/alertmanager-process.ts';
import { prometheusBinaries } from './prometheus/prometheus-binaries.ts';
import { startPrometheus } from './prometheus/prometheus-process.ts';

const SETTINGS = shortened(RULE_SETTINGS, 1200);
const EXAMPLE = path.resolve(import.meta.dirname, '../../examples/scheduling-agent/main.ts');
const COLLECTOR_CONFIG = path.resolve(import.meta.dirname, '../../collector-config/agent.yaml');
const AGENT = { suite: 'scheduling', agent: 'scheduling-agent', environment: 'production' };
/** Conversations per second. */
const RATE = 8;
/** Long enough for a baseline of hundreds of conversations that ended a day ago. */
const HEALTHY_SECONDS = SETTINGS.baseline.youngOffset + 50;
const BAD_SECONDS = 40;
const TOLD_WITHIN_MS = 60_000;
const RESOLVED_WITHIN_MS = 120_000;

/** Alerts that follow from hard failures of one kind, and may fire as well. */
const CONSEQUENCES = [
  'AgentHardFailureSpike',
  'AgentTcrRegression',
  'AgentTcrSlipping',
  'AgentTcrNotProductionReady',
  'AgentSuccessRateDrop',
  'AgentCriterionRegression',
  'AgentCandidateVersionWorse',
  'AgentEffortPerSuccessRise',
  'AgentDetectorEfficiencyRegression',
  'AgentDetectorRegression',
  'AgentDetectorPartRegression',
  'AgentDetectorVersionWorse',
];

beforeAll(async () => {
  await collectorBinary();
  await prometheusBinaries('3.x');
  // At its first run on a machine the Collector is built.
}, 3_000_000);

test('a release that makes the agent worse pages whoever is on call, says which and why, and takes it back', {
  timeout: 900_000,
}, async () => {
  const messages: AlertMessage[] = [];
  const { endpoint } = await startStack((message) => messages.push(message));
  const told = () => messages.flatMap(({ receiver, alerts }) => alerts.map((alert) => ({ ...alert, receiver })));
  const page = (status: 'firing' | 'resolved') =>
    told().find(({ status: is, labels }) => is === status && labels.alertname === 'AgentHardFailureSpike');

  // If two minutes are a second, Prometheus reports Assay as missing before its first scrape.
  await sleep(10_000);
  messages.length = 0;

  await runAgent(endpoint, { version: 'v1', seconds: HEALTHY_SECONDS });
  expect(messages).toEqual([]);

  await runAgent(endpoint, { version: 'v2', seconds: BAD_SECONDS, regress: 'wrong-participant' });
  await until(
    () => page('firing') !== undefined,
    TOLD_WITHIN_MS,
    () => told(),
  );
  const firing = page('firing');
  expect(firing?.receiver).toBe('agent-on-call');
  expect(firing?.labels).toMatchObject({ ...AGENT, severity: 'page', area: 'quality' });
  expect(firing?.annotations).toMatchObject({ version: 'v2', criterion: 'correct_participants' });
  expect(firing?.annotations.summary).toMatch(
    /^At least \d+(\.\d+)?% of conversations of scheduling-agent.* fail hard/,
  );
  expect(firing?.annotations.runbook_url).toContain('AgentHardFailureSpike.md');

  const recovering = new AbortController();
  const recovery = runAgent(endpoint, { version: 'v1', seconds: 300, seed: 2, signal: recovering.signal });
  await until(
    () => page('resolved') !== undefined,
    RESOLVED_WITHIN_MS,
    () => told(),
  );
  recovering.abort();
  await recovery;

  for (const { labels } of told()) {
    expect(CONSEQUENCES, JSON.stringify(labels)).toContain(labels.alertname);
    expect(labels).toMatchObject(AGENT);
    if (labels.criterion !== undefined && labels.criterion !== '')
      expect(['correct_participants', 'nothing_else_booked']).toContain(labels.criterion);
    if (labels.agent_version !== undefined && labels.agent_version !== '') expect(labels.agent_version).toBe('v2');
  }
});

/** Everything from the Collector to Alertmanager. */
async function startStack(onMessage: (message: AlertMessage) => void): Promise<{ readonly endpoint: string }> {
  const assay = await startAssay({
    dataDir: tempDirectory(),
    ports: await freeListenPorts(),
    env: {
      ASSAY_TURN_SETTLE: '1s',
      ASSAY_CONVERSATION_IDLE: '3s',
      ASSAY_CONFIG: path.join(path.dirname(EXAMPLE), 'assay.yaml'),
    },
  });
  onTestFinished(async () => {
    await assay.stop();
  });
  const queue = mkdtempSync(path.join(tmpdir(), 'assay-collector-'));
  const collector = await startCollector({
    configFile: COLLECTOR_CONFIG,
    env: { SEND_TO: assay.otlpHttp, COLLECTOR_QUEUE_DIR: queue },
  });
  onTestFinished(async () => {
    await collector.stop();
    rmSync(queue, { recursive: true, force: true });
  });
  const alertmanager = await startAlertmanager(onMessage);
  await startPrometheus({
    line: '3.x',
    targets: [assay.http],
    rules: ruleFile(SETTINGS, LINKS),
    alertmanager: alertmanager.address,
  });
  return { endpoint: collector.otlpHttp };
}

async function runAgent(
  endpoint: string,
  options: {
    readonly version: string;
    readonly seconds: number;
    readonly regress?: string;
    readonly seed?: number;
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const { version, seconds, regress, seed = 1, signal } = options;
  const child = spawn(
    process.execPath,
    [
      EXAMPLE,
      ...['--endpoint', endpoint, '--rate', String(RATE), '--conversations', String(RATE * seconds)],
      ...['--version', version, '--environment', AGENT.environment, '--seed', String(seed)],
      ...(regress === undefined ? [] : ['--regress', regress, '--regress-rate', '0.5']),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const stop = () => child.kill('SIGTERM');
  signal?.addEventListener('abort', stop);
  const [code] = await once(child, 'exit');
  signal?.removeEventListener('abort', stop);
  if (code !== 0 && signal?.aborted !== true) throw new Error(`the example agent ended with ${String(code)}`);
}

async function until(isSo: () => boolean, withinMs: number, seen: () => unknown): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`it did not come; what came: ${JSON.stringify(seen(), null, 1)}`);
    await sleep(200);
  }
}
