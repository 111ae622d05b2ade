import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENDINGS } from '../../../src/model/ending.ts';
import {
  type Evaluation,
  FINDINGS,
  OUTCOMES,
  UNDECIDED,
  type UndecidedReason,
  type VerdictKind,
  VERDICTS,
} from '../../../src/model/evaluation.ts';
import type { ConversationId } from '../../../src/model/ids.ts';
import { verdictFrom } from '../../../src/model/verdict-parts.ts';
import { countedEffort, type Effort, EFFORT_MAX, keptEffort } from '../../../src/engine/counting/usage-totals.ts';
import { SuiteTotals } from '../../../src/engine/counting/suite-totals.ts';
import type { Total } from '../../../src/store/engine-store.ts';
import { TotalsInMemory } from '../../../src/store/running-totals.ts';

const BASE = { suite: 's', agent: 'a', agent_version: '1', environment: 'e', segment: 'gold' };
const CLAIMED = { steps: 3, tokens: 700, durationMs: 2500, costUsd: 0.002 };
const EFFORT = counted(CLAIMED);
const COUNTED = { traceId: 't', conversationId: 'c', at: 5, logTime: 1000, beganAt: 900 };

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

function counted(claimed: Effort) {
  return countedEffort(keptEffort(claimed)) ?? expect.unreachable();
}

function counting() {
  const totals = new TotalsInMemory();
  return { totals, suite: new SuiteTotals(totals, BASE, { criteria: ['x', 'y'] }) };
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
    suite.countFirst(evaluation({}), counted({ ...CLAIMED, steps, costUsd }), COUNTED);

  expect(only(totals.all(), 'assay_conversation_steps_squared_total').value).toBe(9 + 1600 + 1 + 49);
  expect(only(totals.all(), 'assay_conversation_cost_usd_squared_total').value).toBe(4000 + 2_250_000_000 + 90);
});

test('findings are counted by what they are, from zero, and a revision takes back what it does not find', () => {
  const totals = new TotalsInMemory();
  const suite = new SuiteTotals(totals, BASE, { criteria: ['x'], findings: ['lucky_path', 'silent_inefficiency'] });
  const found = { ...evaluation({}), findings: [{ finding: 'lucky_path', reason: 'By luck.', evidence: [] }] } as const;
  suite.countFirst(evaluation({}), EFFORT, COUNTED);
  suite.countFirst(found, EFFORT, COUNTED);
  suite.countRevised(evaluation({}), EFFORT, { ...found, effort: EFFORT }, COUNTED);

  const shown = totals.all().filter(({ metric }) => /^assay_findings_(withdrawn_)?total$/.test(metric));
  expect(shown.map(({ metric, labels, value }) => [metric, labels.finding, value]).toSorted()).toEqual([
    ['assay_findings_total', 'lucky_path', 1],
    ['assay_findings_total', 'silent_inefficiency', 0],
    ['assay_findings_withdrawn_total', 'lucky_path', 1],
    ['assay_findings_withdrawn_total', 'silent_inefficiency', 0],
  ]);
});

test.each([
  ['more than there is', { steps: 1e12, tokens: 1e300, durationMs: 1e20, costUsd: 1e300 }],
  ['no number', { steps: Number.NaN, tokens: Number.NaN, durationMs: Number.NaN, costUsd: Number.NaN }],
  ['less than nothing', { steps: -1, tokens: -1, durationMs: -5, costUsd: -1 }],
])('a conversation that claims %s leaves the sums exact', (_claim, effort) => {
  const { totals, suite } = counting();
  suite.countFirst(evaluation({}), counted(effort), COUNTED);
  const before = new Map(totals.all().map(({ metric, labels, value }) => [JSON.stringify([metric, labels]), value]));

  suite.countFirst(evaluation({}), counted({ steps: 1, tokens: 1, durationMs: 1, costUsd: 0.0001 }), COUNTED);

  const sums = totals
    .all()
    .filter(({ metric }) => /_(sum|squared_total)$/.test(metric) && !/score|withdrawn/.test(metric));
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
  const other = new SuiteTotals(totals, { ...BASE, suite: 'other', segment: 'silver' }, { criteria: [] });
  suite.countFirst(evaluation({}), EFFORT, { ...COUNTED, logTime: 3000 });
  other.countFirst(evaluation({}), EFFORT, { ...COUNTED, logTime: 2000 });
  const before = { ...evaluation({}, 0), effort: EFFORT };
  suite.countRevised(evaluation({}), EFFORT, before, { ...COUNTED, logTime: 1 });

  expect(only(totals.all(), 'assay_agent_version_first_seen_timestamp_seconds')).toMatchObject({
    labels: { agent: 'a', agent_version: '1', environment: 'e' },
    value: 2000,
  });
});

const anyEvaluation = fc.record({
  score: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
  outcome: fc.constantFrom(...OUTCOMES),
  ending: fc.constantFrom(undefined, ...ENDINGS),
  decidedShare: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
  x: fc.constantFrom(...VERDICTS),
  y: fc.constantFrom(...VERDICTS),
  undecided: fc.constantFrom(undefined, ...UNDECIDED),
  isJudged: fc.boolean(),
  findings: fc.subarray([...FINDINGS]),
  effort: fc.record({
    steps: fc.nat(200),
    tokens: fc.option(fc.nat(1_000_000), { nil: undefined }),
    durationMs: fc.nat(10_000_000),
    costUsd: fc.option(fc.double({ min: 0, max: 2000, noNaN: true }), { nil: undefined }),
  }),
});

function made({
  x,
  y,
  isJudged,
  undecided,
  findings,
  effort,
  ...rest
}: typeof anyEvaluation extends fc.Arbitrary<infer T> ? T : never) {
  const why = undecided === undefined ? {} : { undecided };
  const by = isJudged ? { judgedBy: { judge: 'default', version: 'abc' } } : {};
  const verdicts = new Map([
    ['x', verdictFrom(x, { reason: '', evidence: [], ...by })],
    ['y', verdictFrom(y, { reason: '', evidence: [], ...why })],
  ]);
  const said = { verdicts, findings: findings.map((finding) => ({ finding, reason: '', evidence: [] })) };
  return { ...rest, ...said, effort: counted(effort) };
}

/** The totals by the store: each series minus its twin; series at zero left out. */
function netOf(totals: readonly Total[]): Readonly<Record<string, number>> {
  const net = new Map<string, number>();
  for (const { metric, labels, value } of totals) {
    if (metric === 'assay_evaluations_revised_total' || metric.startsWith('assay_agent_version_first_seen')) continue;
    const key = JSON.stringify([metric.replace('_withdrawn', ''), labels]);
    net.set(key, (net.get(key) ?? 0) + (metric.includes('_withdrawn') ? -value : value));
  }
  return Object.fromEntries([...net].filter(([, value]) => value !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

test('a question without an answer is counted by its reason, and taken out when a revision decides it', () => {
  const totals = new TotalsInMemory();
  const suite = new SuiteTotals(totals, BASE, { criteria: ['x', 'y'], critical: new Set(['x']) });
  const undecided = (reason?: UndecidedReason) => ({
    ...evaluation({}),
    verdicts: new Map([
      ['x', verdictFrom('not_applicable', { reason: '', evidence: [], ...(reason && { undecided: reason }) })],
      ['y', verdictFrom('error', { reason: '', evidence: [] })],
    ]),
  });
  const first = undecided('argument_absent');

  suite.countFirst(first, EFFORT, COUNTED);
  suite.countFirst(undecided(), EFFORT, COUNTED);
  const counted = undecidedIn(totals.all());
  suite.countRevised(evaluation({ x: 'fail', y: 'pass' }), EFFORT, { ...first, effort: EFFORT }, COUNTED);

  expect(counted).toEqual({ 'x true argument_absent': 1, 'y false error': 2 });
  expect(undecidedIn(totals.all())).toEqual({ 'y false error': 1 });
});

test('each reason exists at zero, with its twin, before the first question without an answer', () => {
  const { totals } = counting();
  const all = totals.all().filter(({ metric }) => metric.startsWith('assay_criteria_undecided'));

  expect(all.map(({ value }) => value)).toEqual(Array.from({ length: 2 * 2 * UNDECIDED.length }, () => 0));
});

/** Minus the withdrawn values; series at zero are left out. */
function undecidedIn(totals: readonly Total[]): Readonly<Record<string, number>> {
  const rows = Object.entries(netOf(totals)).flatMap(([key, value]) => {
    const [metric, labels] = JSON.parse(key);
    const { criterion, critical, reason } = labels;
    return metric === 'assay_criteria_undecided_total' ? [[`${criterion} ${critical} ${reason}`, value] as const] : [];
  });
  return Object.fromEntries(rows);
}

test('whatever is revised however often, every metric less what was withdrawn is what the last revision says', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(anyEvaluation, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
      (conversations) => {
        const [revised, alone] = [counting(), counting()];
        for (const revisions of conversations) {
          let before: ReturnType<typeof made> | undefined;
          for (const evaluation of revisions.map(made)) {
            if (before === undefined) revised.suite.countFirst(evaluation, evaluation.effort, COUNTED);
            else revised.suite.countRevised(evaluation, evaluation.effort, before, COUNTED);
            before = evaluation;
          }
          if (before !== undefined) alone.suite.countFirst(before, before.effort, COUNTED);
        }

        expect(netOf(revised.totals.all())).toEqual(netOf(alone.totals.all()));
      },
    ),
  );
});

test('of what an older Assay made the effort stays as it was counted: what it was is not known', () => {
  const { totals, suite } = counting();
  suite.countFirst(evaluation({ x: 'fail' }, 400_000), EFFORT, COUNTED);
  const old = { ...evaluation({ x: 'fail' }, 400_000), effort: undefined };
  suite.countRevised(evaluation({ x: 'pass' }, 900_000), counted({ ...CLAIMED, steps: 50 }), old, COUNTED);

  const value = (metric: string) => only(totals.all(), metric).value;
  expect(value('assay_conversation_steps_sum')).toBe(3);
  expect(value('assay_evaluation_score_sum') - value('assay_evaluation_score_withdrawn_sum')).toBe(900_000);
});

test('a verdict that was counted while others were waited for, and became another, is taken back', () => {
  const { totals, suite } = counting();
  const counted = suite.countVerdicts({ ...evaluation({ x: 'pass', y: 'skipped' }), waitsFor: ['y'] }, new Map());
  suite.countFirst(evaluation({ x: 'fail', y: 'pass' }), EFFORT, COUNTED, counted);

  const verdicts = Object.entries(netOf(totals.all())).filter(([key]) => key.includes('assay_verdicts_total'));
  expect(verdicts.map(([key, value]) => [key.match(/"(x|y)","verdict":"(\w+)"/)?.slice(1), value])).toEqual([
    [['x', 'fail'], 1],
    [['y', 'pass'], 1],
  ]);
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
  suite.countVerdicts({ ...judged('fail', 'skipped'), waitsFor: ['y'] }, new Map());
  suite.countFirst(judged('fail', 'pass'), EFFORT, COUNTED, new Map([['x', 'fail']]));

  const series = totals.all().filter(({ metric }) => metric === 'assay_judged_verdicts_total');
  const labels = { suite: 's', criterion: 'x', judge: 'default', judge_version: 'abc' };
  expect(series.map(({ labels: of, value }) => ({ of, value }))).toEqual([
    { of: { ...labels, verdict: 'pass' }, value: 1 },
    { of: { ...labels, verdict: 'fail' }, value: 1 },
  ]);
});
