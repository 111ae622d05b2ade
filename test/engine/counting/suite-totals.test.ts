import { expect, test } from 'vitest';
import type { Evaluation, VerdictKind } from '../../../src/model/evaluation.ts';
import type { ConversationId } from '../../../src/model/ids.ts';
import { verdictFrom } from '../../../src/model/verdict-parts.ts';
import { EFFORT_MAX } from '../../../src/engine/counting/usage-totals.ts';
import { SuiteTotals } from '../../../src/engine/counting/suite-totals.ts';
import type { Total } from '../../../src/store/engine-store.ts';
import { TotalsInMemory } from '../../../src/store/running-totals.ts';

const BASE = { suite: 's', agent: 'a', agent_version: '1', environment: 'e', segment: 'gold' };
const EFFORT = { steps: 3, tokens: 700, durationMs: 2500, costUsd: 0.002 };
const COUNTED = { traceId: 't', conversationId: 'c', at: 5, logTime: 1000 };

function evaluation(verdicts: Readonly<Record<string, VerdictKind>>, score: number | 'none' = 500_000): Evaluation {
  return {
    conversationId: 'c' as ConversationId,
    turnId: undefined,
    suite: 's',
    suiteVersion: '1',
    scope: 'conversation',
    revision: 1,
    score: score === 'none' ? undefined : score,
    outcome: score === 'none' ? 'unscored' : 'graceful_failure',
    explanation: '',
    verdicts: new Map(
      Object.entries(verdicts).map(([name, verdict]) => [name, verdictFrom(verdict, { reason: '', evidence: [] })]),
    ),
  };
}

function counting() {
  const totals = new TotalsInMemory();
  return { totals, suite: new SuiteTotals(totals, BASE, ['x', 'y']) };
}

function only(totals: readonly Total[], metric: string): Total {
  const [found, ...others] = totals.filter((total) => total.metric === metric);
  if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} series of ${metric}`);
  return found;
}

test('sums of squares are exact whole numbers: steps as they are, costs in billionths of a dollar squared', () => {
  const { totals, suite } = counting();
  for (const [steps, costUsd] of [
    [3, 0.002],
    [40, 1.5],
    [1, 0.0003],
    [7, undefined],
  ] as const)
    suite.countFirst(evaluation({}), { ...EFFORT, steps, costUsd }, COUNTED);

  expect(only(totals.all(), 'assay_conversation_steps_squared_total').value).toBe(9 + 1600 + 1 + 49);
  expect(only(totals.all(), 'assay_conversation_cost_usd_squared_total').value).toBe(4000 + 2_250_000_000 + 90);
});

test('findings are counted by what they are, from zero, and not again by a revision', () => {
  const totals = new TotalsInMemory();
  const suite = new SuiteTotals(totals, BASE, ['x'], ['lucky_path', 'silent_inefficiency']);
  const found = { ...evaluation({}), findings: [{ finding: 'lucky_path', reason: 'By luck.', evidence: [] }] } as const;
  suite.countFirst(evaluation({}), EFFORT, COUNTED);
  suite.countFirst(found, EFFORT, COUNTED);
  suite.countRevised(found, { score: 500_000, outcome: 'graceful_failure' }, COUNTED);

  const counted = totals.all().filter(({ metric }) => metric === 'assay_findings_total');
  expect(counted.map(({ labels, value }) => [labels.finding, value])).toEqual([
    ['lucky_path', 1],
    ['silent_inefficiency', 0],
  ]);
});

test.each([
  ['more than there is', { steps: 1e12, tokens: 1e300, durationMs: 1e20, costUsd: 1e300 }],
  ['no number', { steps: Number.NaN, tokens: Number.NaN, durationMs: Number.NaN, costUsd: Number.NaN }],
  ['less than nothing', { steps: -1, tokens: -1, durationMs: -5, costUsd: -1 }],
])('a conversation that claims %s leaves the sums exact', (_claim, effort) => {
  const { totals, suite } = counting();
  suite.countFirst(evaluation({}), effort, COUNTED);
  const before = new Map(totals.all().map(({ metric, labels, value }) => [JSON.stringify([metric, labels]), value]));

  suite.countFirst(evaluation({}), { steps: 1, tokens: 1, durationMs: 1, costUsd: 0.0001 }, COUNTED);

  const sums = totals.all().filter(({ metric }) => /_(sum|squared_total)$/.test(metric) && !metric.includes('score'));
  expect(sums).toHaveLength(6);
  for (const { metric, labels, value } of sums) {
    expect(Number.isSafeInteger(value)).toBe(true);
    expect(value).toBeGreaterThan(before.get(JSON.stringify([metric, labels])) ?? Number.NaN);
  }
  expect(Math.max(...sums.map(({ value }) => value))).toBeLessThanOrEqual((EFFORT_MAX.cost ** 2 + 1e6) / 1000);
});

test('failed criteria, scores and outcomes carry the conversation; other verdicts carry none', () => {
  const { totals, suite } = counting();

  suite.countFirst(evaluation({ x: 'fail', y: 'pass' }), EFFORT, COUNTED);

  const carried = totals.all().filter(({ exemplar }) => exemplar !== undefined);
  expect(
    carried
      .filter(({ metric }) => metric === 'assay_verdicts_total')
      .map(({ labels, exemplar }) => [labels.criterion, labels.verdict, exemplar]),
  ).toEqual([['x', 'fail', { traceId: 't', conversationId: 'c', value: 1, at: 5 }]]);
  expect(only(carried, 'assay_evaluations_total').labels.outcome).toBe('graceful_failure');
  expect(only(carried, 'assay_evaluation_score_bucket')).toMatchObject({
    labels: { le: '0.5' },
    exemplar: { value: 0.5 },
  });
  expect(new Set(carried.map(({ metric }) => metric.replace(/_bucket$/, '')))).toEqual(
    new Set([
      'assay_verdicts_total',
      'assay_evaluations_total',
      'assay_evaluation_score',
      'assay_conversation_steps',
      'assay_conversation_tokens',
      'assay_conversation_duration_seconds',
      'assay_conversation_cost_usd',
    ]),
  );
});

test('of a version’s evaluations the earliest by the log says since when it is there, in all suites and segments', () => {
  const { totals, suite } = counting();
  const other = new SuiteTotals(totals, { ...BASE, suite: 'other', segment: 'silver' }, []);
  suite.countFirst(evaluation({}), EFFORT, { ...COUNTED, logTime: 3000 });
  other.countFirst(evaluation({}), EFFORT, { ...COUNTED, logTime: 2000 });
  suite.countRevised(evaluation({}), { score: 0, outcome: 'hard_failure' }, { ...COUNTED, logTime: 1 });

  expect(only(totals.all(), 'assay_agent_version_first_seen_timestamp_seconds')).toMatchObject({
    labels: { agent: 'a', agent_version: '1', environment: 'e' },
    value: 2000,
  });
});

test('a score that comes late is in the sum and in the sum of squares; one that changes is in neither again', () => {
  const { totals, suite } = counting();
  suite.countFirst(evaluation({}, 'none'), EFFORT, COUNTED);
  const value = (metric: string) => only(totals.all(), metric).value;

  suite.countRevised(evaluation({}, 600_000), { score: undefined, outcome: 'unscored' }, COUNTED);
  expect([value('assay_evaluation_score_sum'), value('assay_evaluation_score_squared_total')]).toEqual([
    600_000, 360_000,
  ]);

  suite.countRevised(evaluation({}, 900_000), { score: 600_000, outcome: 'graceful_failure' }, COUNTED);
  expect([value('assay_evaluation_score_sum'), value('assay_evaluation_score_squared_total')]).toEqual([
    600_000, 360_000,
  ]);
  expect(value('assay_evaluation_score_revised_up_total')).toBe(300_000);
});

test('verdicts of judges are counted by version, both kinds from the first on, and one that waited once', () => {
  const { totals, suite } = counting();
  const by = { judge: 'default', version: 'abc' };
  const judged = (x: VerdictKind, y: VerdictKind): Evaluation => ({
    ...evaluation({}),
    verdicts: new Map([
      ['x', verdictFrom(x, { reason: '', evidence: [], judgedBy: by })],
      ['y', verdictFrom(y, { reason: '', evidence: [] })],
    ]),
  });
  suite.countFirst(judged('pass', 'pass'), EFFORT, COUNTED);
  suite.countVerdicts({ ...judged('fail', 'skipped'), waitsFor: ['y'] }, new Set());
  suite.countFirst(judged('fail', 'pass'), EFFORT, COUNTED, new Set(['x']));

  const series = totals.all().filter(({ metric }) => metric === 'assay_judged_verdicts_total');
  const labels = { suite: 's', criterion: 'x', judge: 'default', judge_version: 'abc' };
  expect(series.map(({ labels: of, value }) => ({ of, value }))).toEqual([
    { of: { ...labels, verdict: 'pass' }, value: 1 },
    { of: { ...labels, verdict: 'fail' }, value: 1 },
  ]);
});
