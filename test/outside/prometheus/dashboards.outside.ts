/**
 * Every query of every dashboard gives data: the example agent sends to the real service, which a real Prometheus scrapes and works out the
 * shipped rules of, with a day of a bit over a minute. A good version runs all the time, and after a day a bad one beside it.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { dashboards } from '../../../deploy/grafana/source/dashboards.ts';
import { VERSION_MARKS } from '../../../deploy/grafana/source/panels.ts';
import { LINKS } from '../../../deploy/links.ts';
import { duration } from '../../../deploy/prometheus/source/promql.ts';
import { ruleFile } from '../../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS, shortened } from '../../../deploy/prometheus/source/settings.ts';
import { CLUSTER_METRICS } from '../../../src/report/cluster-metrics.ts';
import { MARKS, panelsOf, withVariables } from '../../deploy/dashboard-queries.ts';
import { type Asked, startProvider } from '../../ask/provider.ts';
import { freeListenPorts, startAssay } from '../../simulation/process.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { LINES, prometheusBinaries } from './prometheus-binaries.ts';
import { startPrometheus } from './prometheus-process.ts';

const SHORTER_BY = 1200;
const SETTINGS = shortened(RULE_SETTINGS, SHORTER_BY);
const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/scheduling-agent/main.ts');
const BUILD_TIMEOUT_MS = 1_500_000;
const VARIABLES = {
  suite: 'scheduling',
  agent: 'scheduling-agent',
  environment: '.*',
  version: '.*',
  window: duration(SETTINGS.explainWindow),
  __rate_interval: '10s',
};
/** Conversations a second, of each version. */
const RATE = 2;

const queries = [...new Set(panelsOf(dashboards(SETTINGS, LINKS)).flatMap((panel) => panel.queries))];

describe.each(LINES)('Prometheus %s', (line) => {
  test('reads every query', { timeout: BUILD_TIMEOUT_MS }, async () => {
    const { promtool } = await prometheusBinaries(line);
    const file = path.join(tempDirectory(), 'queries.yml');
    const rules = [...queries, ...MARKS].map((query, index) => ({
      record: `query:number${index}`,
      expr: withVariables(query, VARIABLES),
    }));
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }, { lineWidth: 0 }));

    const { stdout } = await promisify(execFile)(promtool, ['check', 'rules', file]);

    expect(stdout).toContain(`${rules.length} rules found`);
  });
});

test('every query has an answer, and dots lead to conversations', { timeout: BUILD_TIMEOUT_MS }, async () => {
  const judge = await startProvider((asked) => ({ say: yesToAll(asked), usage: [900, 60] }));
  const assay = await startAssay({
    dataDir: tempDirectory(),
    ports: await freeListenPorts(),
    env: {
      ASSAY_TURN_SETTLE: '1s',
      ASSAY_CONVERSATION_IDLE: '3s',
      ASSAY_CONFIG: configurationWith(judge.url),
      PLAYED_KEY: 'sk-played',
    },
  });
  onTestFinished(async () => {
    await assay.stop();
  });
  const start = Date.now() / 1000;
  const prometheus = await startPrometheus({
    line: '3.x',
    target: assay.http.replace('http://', ''),
    rules: ruleFile(SETTINGS, LINKS),
  });
  const day = SETTINGS.baseline.youngOffset;
  const overlap = SETTINGS.explainWindow * 1.5;
  const good = runAgent(assay.otlpHttp, ['--version', 'v1', '--conversations', String((day + overlap) * RATE)]);
  await new Promise((resolve) => setTimeout(resolve, day * 1000));
  const bad = runAgent(assay.otlpHttp, [
    ...['--version', 'v2', '--seed', '2', '--conversations', String(overlap * RATE)],
    ...['--regress', 'wrong-participant,silent-crash', '--regress-rate', '0.6'],
  ]);
  await Promise.all([good, bad]);
  // What was scored last is scraped, and worked out.
  await new Promise((resolve) => setTimeout(resolve, 8000));
  const end = Date.now() / 1000;

  const isAnswered = async (query: string) => {
    const answer = (await prometheus.ask('query_range', {
      query: withVariables(query, VARIABLES),
      start: String(start),
      end: String(end),
      step: '1',
    })) as { readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[] };
    return answer.result.some(({ values }) => values.some(([, value]) => Number.isFinite(Number(value))));
  };
  const unanswered: string[] = [];
  for (const query of [...queries, VERSION_MARKS]) if (!(await isAnswered(query))) unanswered.push(query);

  // Those of Kafka and the shared store, which one instance has not.
  const ofCluster = Object.values(CLUSTER_METRICS).map(({ name }) => name);
  expect(unanswered.sort()).toEqual(queries.filter((query) => ofCluster.some((name) => query.includes(name))).sort());

  // The bad version is named by the alert, and the good one by none.
  const worse = 'ALERTS{alertstate="firing", alertname="AgentCandidateVersionWorse"';
  expect(await isAnswered(`${worse}, agent_version="v2"}`)).toBe(true);
  expect(await isAnswered(`${worse}, agent_version="v1"}`)).toBe(false);

  const exemplars = (await prometheus.ask('query_exemplars', {
    query: 'assay_evaluation_score_bucket{suite="scheduling"}',
    start: String(start),
    end: String(end),
  })) as readonly { readonly exemplars: readonly { readonly labels: { readonly conversation_id?: string } }[] }[];
  const ids = exemplars.flatMap((series) => series.exemplars.map(({ labels }) => labels.conversation_id ?? ''));
  expect(ids.length).toBeGreaterThan(0);
  const link = await fetch(`${assay.http}/api/conversations/${encodeURIComponent(ids[0] ?? '')}`);
  expect(link.status).toBe(200);
});

/** A configuration with which the detector has learnt before the bad version comes, and with a judge. */
function configurationWith(provider: string): string {
  const file = path.join(tempDirectory(), 'assay.yaml');
  const detection = { learn_conversations: 40, learn_history: '10s', baseline_gap: '5s', baseline_memory: '1h' };
  const prices = { input_per_million: 1, output_per_million: 4 };
  const played = { provider: 'openai', model: 'played', base_url: `${provider}/v1`, api_key_env: 'PLAYED_KEY', prices };
  const judging = { budget: { per_hour: 100, per_day: 1000 } };
  const suites = ['default', 'scheduling', 'error-recovery', 'judged'];
  writeFileSync(file, stringify({ suites, detection, judges: { default: played }, judging }));
  return file;
}

function yesToAll({ body }: Asked): string {
  const format = body.response_format as { readonly json_schema: { readonly schema: { readonly properties: object } } };
  const names = Object.keys(format.json_schema.schema.properties);
  return JSON.stringify(
    Object.fromEntries(names.map((name) => [name, { quotes: [], reason: 'It did.', answer: true }])),
  );
}

async function runAgent(endpoint: string, words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [EXAMPLE, '--endpoint', endpoint, '--rate', String(RATE), ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the example agent ended with ${String(code)}`);
}
