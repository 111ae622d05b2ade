import { readFileSync, writeFileSync } from 'node:fs';
import { withdrawnName } from '../../src/report/metrics/net-increase.ts';
import path from 'node:path';
import { expect, test } from 'vitest';
import { metricsPage } from '../../scripts/metrics-page.ts';
import type { DetectionReport } from '../../src/model/detection.ts';
import type { MetricDefinition } from '../../src/model/metric.ts';
import { CALIBRATION_METRICS } from '../../src/report/metrics/calibration-metrics.ts';
import { ESTIMATE_METRICS } from '../../src/report/metrics/estimate-metrics.ts';
import { CLUSTER_METRICS } from '../../src/report/events/cluster.ts';
import { Exposition } from '../../src/report/metrics/exposition.ts';
import { rendered } from '../report/rendered.ts';
import { DETECTION_METRICS } from '../../src/report/events/detection.ts';
import { EventReporter, type Gauges, HEALTH_METRICS } from '../../src/report/events/event-reporter.ts';
import { TLS_METRICS } from '../../src/report/events/tls.ts';
import { QUALITY_METRICS, WITHDRAWN_METRICS } from '../../src/report/metrics/quality-metrics.ts';
import { SHADOW_METRICS } from '../../src/report/metrics/shadow-metrics.ts';
import { detectionReport, regression } from '../report/regressions.ts';
import { exposedIn } from '../report/exposed.ts';
import { exportRequest, type TrafficSpan } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { type RunningService, runService } from './running-service.ts';

const PAGE = path.resolve(import.meta.dirname, '../../docs/reference/METRICS.md');
const QUALITY: readonly MetricDefinition[] = [...Object.values(QUALITY_METRICS), ...WITHDRAWN_METRICS];
const SHADOW = Object.values<MetricDefinition>(SHADOW_METRICS);
const ESTIMATES = Object.values<MetricDefinition>(ESTIMATE_METRICS);
/** Gauges of rounds, which show nothing before there are labels and readings. */
const ROUNDS = [...Object.values<MetricDefinition>(CALIBRATION_METRICS), ...ESTIMATES];
const NOT_HERE = [QUALITY_METRICS.judged, QUALITY_METRICS.findings];
const ELSEWHERE: readonly MetricDefinition[] = [
  ...NOT_HERE,
  ...WITHDRAWN_METRICS.filter((twin) => NOT_HERE.some(({ name }) => withdrawnName(name) === twin.name)),
  // Only once a user gave feedback.
  QUALITY_METRICS.feedback,
  // Only once conversations are there, and the next round has come.
  ...ESTIMATES,
  // Only with TLS.
  TLS_METRICS.expiry,
];
const HEALTH = HEALTH_METRICS;
const DETECTION = Object.values<MetricDefinition>(DETECTION_METRICS);
const CLUSTER = Object.values<MetricDefinition>(CLUSTER_METRICS);

const SUITES = {
  'turns.yaml': `suite: turns
version: "1"
scope: turn
match: { agent: helper }
criteria:
  - { name: few, question: Were there few steps?, weight: 1, check: size(steps) < 3 }
`,
  'candidate.yaml': `suite: turns
version: "2"
scope: turn
match: { agent: helper }
criteria:
  - { name: few, question: Were there few steps?, weight: 1, check: size(steps) < 2 }
`,
  'assay.yaml': 'shadow_suites: [./candidate.yaml]',
};

function span(
  trace: string,
  id: string,
  parent: string | undefined,
  attributes: Record<string, string | number>,
): TrafficSpan {
  return {
    traceId: trace.padEnd(32, '0'),
    spanId: id.padEnd(16, '0'),
    ...(parent === undefined ? {} : { parentSpanId: parent.padEnd(16, '0') }),
    name: id,
    kind: 1,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    status: { code: 0 },
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value },
    })),
  };
}

/** A turn with tokens and a cost, by a sub-agent. */
function turnOf(agent: string, trace: string) {
  const root = span(trace, `${trace}aa`, undefined, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent,
  });
  const used = { 'gen_ai.usage.input_tokens': '100', 'gen_ai.usage.output_tokens': '20', 'gen_ai.usage.cost': 0.01 };
  const call = span(trace, `${trace}bb`, `${trace}aa`, {
    ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.agent.name': 'billing' },
    ...used,
  });
  const late = span(trace, `${trace}cc`, `${trace}aa`, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'x',
  });
  return { root, call, late };
}

async function send(running: RunningService, spans: readonly TrafficSpan[]): Promise<void> {
  const response = await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest(spans, 'v1'),
  });
  expect(response.status).toBe(200);
}

async function scrape(running: RunningService, format: 'text' | 'openmetrics'): Promise<string> {
  const accept = format === 'text' ? 'text/plain' : 'application/openmetrics-text; version=1.0.0';
  return (await fetch(`${running.http}/metrics`, { headers: { accept } })).text();
}

function byName([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : 1;
}

/** Traffic for every series: a turn, late spans for it, and a conversation that no suite matches. */
async function runThroughEverything(segment: readonly string[]): Promise<RunningService> {
  const directory = tempDirectory();
  for (const [name, text] of Object.entries(SUITES)) writeFileSync(path.join(directory, name), text);
  const running = await runService({ suites: ['./turns.yaml'], dataDir: directory, metrics: { segment } });
  const { root, call, late } = turnOf('helper', 'a1');
  await send(running, [root, call]);
  await send(running, Object.values(turnOf('stranger', 'b2')));
  const has = async (text: RegExp) => text.test(await scrape(running, 'text'));
  while (!(await has(/^assay_evaluation_score_count\{.*\} 1$/m)))
    await new Promise((resolve) => setTimeout(resolve, 50));
  await send(running, [late]);
  while (
    !(await has(/^assay_evaluations_revised_total\{.*\} 1$/m)) ||
    !(await has(/^assay_conversations_unscored_total\{.*\} 1$/m))
  )
    await new Promise((resolve) => setTimeout(resolve, 50));
  return running;
}

test.each<[what: string, segment: readonly string[]]>([
  ['with segments', ['tier']],
  ['without segments', []],
])('what a running service exposes is what the contract says, %s', async (_what, segment) => {
  const running = await runThroughEverything(segment);

  for (const format of ['text', 'openmetrics'] as const) {
    const all = [...exposedIn(await scrape(running, format))].toSorted(byName);
    // These have their own tests: no test traffic makes a regression in a moment, and there are no judges, golden
    // traces or hundreds of turns here.
    const elsewhere = [...DETECTION, ...ELSEWHERE];
    const exposed = all.filter(([name]) => !elsewhere.some((one) => one.name === name));
    expect(all.length - exposed.length).toBe(elsewhere.length);

    expect(exposed.map(([name, { type, help, labels }]) => ({ name, type, help, labels }))).toEqual(
      [...QUALITY, ...SHADOW, ...HEALTH]
        .filter((metric) => !ELSEWHERE.includes(metric))
        .toSorted((a, b) => byName([a.name], [b.name]))
        .map(({ name, type, help, labels }) => ({
          name,
          type,
          // As the formats require.
          help: format === 'text' ? help : help.replaceAll('"', '\\"'),
          labels: [labels.filter((label) => label !== 'segment' || segment.length > 0).join(',')],
        })),
    );
    expect(exposed.filter(([, { samples }]) => samples === 0)).toEqual([]);
  }
});

const GAUGES: Gauges = {
  log: () => ({
    openTurns: 1,
    openSpans: 1,
    bytes: 1,
    lagSeconds: 1,
    lanes: { count: 1, lags: [{ topic: 't', partition: 0, records: 1, seconds: 1 }] },
  }),
  turnsWaiting: () => 1,
  series: () => 1,
  withheld: () => ({ effort: [], criteria: [], buckets: [] }),
  labelSets: () => 1,
  criterionWeights: () => [],
  criterionVariation: () => [],
  version: 'test',
  writeRoutes: [],
  readRoutes: [],
  clusterTime: () => 0,
  certificateExpiresAt: () => 1_800_000_000,
  isOpenToAll: () => false,
};

function reporterOf(
  cluster: { readonly reads: boolean; readonly topics: readonly string[] } | undefined,
): EventReporter {
  return new EventReporter({ log: { report: () => {} }, redaction: undefined, judges: undefined, cluster });
}

test('the metrics of many instances are exposed as the contract says', async () => {
  const reporter = reporterOf({ reads: true, topics: ['t'] });
  reporter.report({ type: 'records-read', topic: 't', signal: 'traces', records: 1, rows: 1, bytes: 1 });

  const { body } = await rendered(new Exposition(reporter.sources(GAUGES)));

  const exposed = exposedIn(body);
  expect([...exposed.keys()].toSorted()).toEqual([...CLUSTER, ...HEALTH].map(({ name }) => name).toSorted());
  for (const { name, type, help, labels } of CLUSTER) {
    expect(exposed.get(name)).toMatchObject({ type, help, labels: [labels.join(',')] });
  }
});

test('one machine has no metrics of Kafka, and what has no judge none of judges', async () => {
  const { body } = await rendered(new Exposition(reporterOf(undefined).sources(GAUGES)));

  expect([...exposedIn(body).keys()].toSorted()).toEqual(HEALTH.map(({ name }) => name).toSorted());
});

test('a gateway does not say that it can read Kafka and use the store, for it never tries', async () => {
  const { body } = await rendered(new Exposition(reporterOf({ reads: false, topics: [] }).sources(GAUGES)));

  const exposed = exposedIn(body);
  expect(exposed.get('assay_problem')?.samples).toBe(0);
});

test('what detection says is exposed as the contract says, and nothing where another instance has it', async () => {
  const reporter = reporterOf(undefined);
  reporter.detection.begin({ webhook: 'chat' });
  let report: DetectionReport | undefined;
  const exposition = new Exposition(reporter.detection.sources(() => report));
  const before = exposedIn((await rendered(exposition)).body);
  reporter.report({ type: 'detector-changed', transition: regression() });
  report = detectionReport();

  const { body } = await rendered(exposition);

  const exposed = exposedIn(body);
  expect([...exposed.keys()].toSorted()).toEqual(DETECTION.map(({ name }) => name).toSorted());
  for (const { name, type, help, labels } of DETECTION) {
    const found = exposed.get(name);
    expect(found).toMatchObject({ type, help });
    expect(found?.samples).toBeGreaterThan(0);
    expect(new Set(found?.labels.flatMap((set) => set.split(',')))).toEqual(
      new Set(labels.length === 0 ? [''] : labels),
    );
  }
  expect(before.get('assay_detector_state')?.samples).toBe(0);
  expect(body).toContain('assay_detector_state{suite="s",agent="a",environment="e",metric="tcr",state="regressed"} 1');
  expect(body).not.toContain('NaN');
});

test('docs/reference/METRICS.md is what the definitions say: npm run docs:metrics writes it', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(metricsPage());
});

test('names and units are as Prometheus wants them, and no name is there twice', () => {
  const all = [...QUALITY, ...HEALTH, ...CLUSTER, ...DETECTION, ...ROUNDS];
  const odd = all.filter(
    ({ name, type }) => !/^assay_[a-z0-9_]+$/.test(name) || name.endsWith('_total') !== (type === 'counter'),
  );

  expect(odd).toEqual([]);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

test('queries ask for series that there are, by labels that they have', () => {
  const labelsOf = new Map<string, readonly string[]>();
  for (const { name, type, labels } of [...QUALITY, ...HEALTH, ...CLUSTER, ...DETECTION, ...ROUNDS]) {
    if (type === 'histogram') {
      for (const part of ['_sum', '_count']) labelsOf.set(`${name}${part}`, labels);
      labelsOf.set(`${name}_bucket`, [...labels, 'le']);
    } else labelsOf.set(name, labels);
  }
  const asked = [...QUALITY, ...HEALTH, ...CLUSTER, ...DETECTION, ...ROUNDS].flatMap(({ queries = [] }) =>
    queries.flatMap(({ promql }) => [...promql.matchAll(/(assay_\w+)(?:\{([^}]*)\})?/g)]),
  );
  const wrong = asked.filter(([, name = '', matchers = '']) => {
    const labels = labelsOf.get(name);
    return (
      [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].some(([, label = '']) => labels?.includes(label) !== true) ||
      labels === undefined
    );
  });

  expect(asked.length).toBeGreaterThan(20);
  expect(wrong.map(([text]) => text)).toEqual([]);
});
