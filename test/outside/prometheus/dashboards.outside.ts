/**
 * Every query of every dashboard returns data. The example agent sends to the real service; a real Prometheus scrapes
 * it and evaluates the shipped rules, with a day of a bit over a minute. A good version runs all the time, and after a
 * day a bad one beside it.
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
import { isOfCluster, MARKS, panelsOf, withVariables } from '../../deploy/dashboard-queries.ts';
import { freeListenPorts, startAssay } from '../../simulation/process.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { answersOf, askedBy, selectingNothing, selectorsOfRules, seriesSince, untilAnswered } from './panel-answers.ts';
import { type PlayedJudge, startPlayedJudge } from './played-judge.ts';
import { BUILT_WITHIN_MS, LINES, prometheusBinaries } from './prometheus-binaries.ts';
import { startPrometheus } from './prometheus-process.ts';

const SHORTER_BY = 1200;
const SETTINGS = shortened(RULE_SETTINGS, SHORTER_BY);
const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/scheduling-agent/main.ts');
const VARIABLES = {
  suite: 'scheduling',
  agent: 'scheduling-agent',
  environment: '.*',
  version: '.*',
  window: duration(SETTINGS.explainWindow),
  __rate_interval: '10s',
};
/** Conversations per second of each version: a fall opens only against a baseline of 200. */
const RATE = 4;

const panels = panelsOf(dashboards(SETTINGS, LINKS));
const fill = (query: string) => withVariables(query, VARIABLES);

describe.each(LINES)('Prometheus %s', (line) => {
  test('reads every query', { timeout: BUILT_WITHIN_MS }, async () => {
    const { promtool } = await prometheusBinaries(line);
    const file = path.join(tempDirectory(), 'queries.yml');
    const queries = [...panels.flatMap((panel) => panel.queries.map(({ expr }) => expr)), ...MARKS];
    const rules = queries.map((query, index) => ({ record: `query:number${index}`, expr: fill(query) }));
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }, { lineWidth: 0 }));

    const { stdout } = await promisify(execFile)(promtool, ['check', 'rules', file]);

    expect(stdout).toContain(`${rules.length} rules found`);
  });
});

test('every query has an answer, and dots lead to conversations', { timeout: BUILT_WITHIN_MS }, async () => {
  const judge = await startPlayedJudge();
  const assay = await startAssay({
    dataDir: tempDirectory(),
    ports: await freeListenPorts(),
    env: {
      ASSAY_TURN_SETTLE: '1s',
      ASSAY_CONVERSATION_IDLE: '3s',
      ASSAY_CONFIG: configurationWith(judge),
      ...judge.env,
    },
  });
  onTestFinished(async () => {
    await assay.stop();
  });
  const start = Date.now() / 1000;
  const prometheus = await startPrometheus({
    line: '3.x',
    targets: [assay.http],
    rules: ruleFile(SETTINGS, LINKS),
  });
  // It has no traffic for a while.
  await untilAnswered(prometheus, 'count_over_time(assay_build_info[10s]) >= 8');
  const day = SETTINGS.baseline.youngOffset;
  const overlap = SETTINGS.explainWindow * 1.5;
  const good = runAgent(assay.otlpHttp, ['--version', 'v1', '--conversations', String((day + overlap) * RATE)]);
  await new Promise((resolve) => setTimeout(resolve, day * 1000));
  await readSome(assay.http);
  const bad = runAgent(assay.otlpHttp, [
    ...['--version', 'v2', '--seed', '2', '--conversations', String(overlap * RATE)],
    ...['--regress', 'wrong-participant,silent-crash', '--regress-rate', '0.6'],
  ]);
  await Promise.all([good, bad]);
  await untilAnswered(prometheus, 'assay_miss_rate_estimate');
  // Again no traffic, in any window of a panel.
  await untilAnswered(prometheus, 'sum(increase(assay_evaluations_total[20s])) == 0');

  // Queries that need Kafka or a shared store are tested in cluster-dashboards.outside.ts.
  const marks = { name: 'version marks', board: '', title: '', promql: fill(VERSION_MARKS), labels: [] };
  const asked = [...askedBy(panels, fill).filter(({ promql }) => !isOfCluster(promql)), marks];
  const { unanswered, broken } = await answersOf(prometheus, asked, start);
  expect(unanswered.map(({ name }) => name)).toEqual([]);
  expect(broken).toEqual([]);
  // This service has no certificate that could expire, and a segment has series only while it is in doubt.
  const isElsewhere = (name: string) =>
    isOfCluster(name) || name.startsWith('assay_tls_') || name.includes('metric=~"segment"');
  // Nothing was withdrawn, no check threw, and detectors of all but the mean score are calm: their series begin with the
  // first. Series with all of their other labels are asked for in their place.
  const begun = (name: string) =>
    name
      .replace('_withdrawn', '')
      .replace('verdict="error"', 'verdict="pass"')
      .replace(/metric=~?"(?:hard_failure|cost_per_success\|steps_per_success)"/, 'metric="tcr"');
  const selectors = selectorsOfRules()
    .filter((name) => !isElsewhere(name))
    .map(begun);
  expect(await selectingNothing(prometheus, selectors, start)).toEqual([]);

  // The alert names the bad version, and no alert names the good one.
  const worse = 'ALERTS{alertstate="firing", alertname="AgentCandidateVersionWorse"';
  expect(await seriesSince(prometheus, `${worse}, agent_version="v2"}`, start)).not.toEqual([]);
  expect(await seriesSince(prometheus, `${worse}, agent_version="v1"}`, start)).toEqual([]);

  const exemplars = (await prometheus.ask('query_exemplars', {
    query: 'assay_evaluation_score_bucket{suite="scheduling"}',
    start: String(start),
    end: String(Date.now() / 1000),
  })) as readonly { readonly exemplars: readonly { readonly labels: { readonly conversation_id?: string } }[] }[];
  const ids = exemplars.flatMap((series) => series.exemplars.map(({ labels }) => labels.conversation_id ?? ''));
  expect(ids.length).toBeGreaterThan(0);
  const link = await fetch(`${assay.http}/api/conversations/${encodeURIComponent(ids[0] ?? '')}`);
  expect(link.status).toBe(200);
});

/** A person reads some conversations in the order of their lots, finds every third one bad, and calls that mended. */
async function readSome(http: string): Promise<void> {
  const agent = encodeURIComponent(VARIABLES.agent);
  const queue = await fetch(`${http}/api/v1/readings/queue?agent=${agent}&by=ana&limit=30`);
  // The cast holds because the shape is the API's own.
  const { items } = (await queue.json()) as { readonly items: readonly { readonly conversation_id: string }[] };
  const body = items.map(({ conversation_id }, at) => ({
    ...{ conversation_id, by: 'ana' },
    ...(at % 3 === 0 ? { answer: 'bad', kind: 'too late' } : { answer: 'good' }),
  }));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${http}/v1/readings`, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect([body.length, answer.status]).toEqual([30, 200]);
  const mended = JSON.stringify({ agent: VARIABLES.agent, kind: 'too late', state: 'mended', by: 'ana' });
  expect((await fetch(`${http}/v1/failures`, { method: 'PUT', headers, body: mended })).status).toBe(200);
}

/** A configuration with which the detector has learnt before the bad version comes, and with a judge. */
function configurationWith(judge: PlayedJudge): string {
  const file = path.join(tempDirectory(), 'assay.yaml');
  const detection = { learn_history: '10s' };
  const suites = ['default', 'scheduling', 'error-recovery', 'judged'];
  writeFileSync(file, stringify({ suites, detection, ...judge.config }));
  return file;
}

async function runAgent(endpoint: string, words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [EXAMPLE, '--endpoint', endpoint, '--rate', String(RATE), ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the example agent ended with ${String(code)}`);
}
