import { expect, test } from 'vitest';
import type { About, Evaluation, Outcome, VerdictKind } from '../../src/model/evaluation.ts';
import type { ConversationId, SpanId } from '../../src/model/ids.ts';
import { Exposition } from '../../src/report/metrics/exposition.ts';
import { rendered } from './rendered.ts';
import { toJUnit } from '../../src/report/documents/junit.ts';
import { EventReporter } from '../../src/report/events/event-reporter.ts';
import { Log } from '../../src/report/log/log.ts';
import { exemplarSample, QualityView } from '../../src/report/metrics/quality-view.ts';
import { SuiteTotals } from '../../src/engine/counting/suite-totals.ts';
import { summarize } from '../../src/report/documents/summary.ts';

function evaluation(options: {
  readonly id?: string;
  readonly suite?: string;
  readonly score?: number;
  readonly outcome?: Outcome;
  readonly verdicts?: { readonly [criterion: string]: VerdictKind };
  readonly reason?: string;
  readonly about?: About;
}): Evaluation {
  return {
    conversationId: (options.id ?? 'c') as ConversationId,
    turnId: undefined,
    suite: options.suite ?? 's',
    suiteVersion: '1',
    scope: 'conversation',
    revision: 1,
    score: options.score,
    outcome: options.outcome ?? 'successful_completion',
    about: options.about ?? 'task',
    explanation: 'because',
    verdicts: new Map(
      Object.entries(options.verdicts ?? {}).map(([name, verdict]) => [
        name,
        { verdict, reason: options.reason ?? 'a reason', evidence: ['ab'.repeat(8) as SpanId] },
      ]),
    ),
  };
}

test('the TCR is the mean of what was scored; what was not is counted apart', () => {
  const summary = summarize([
    evaluation({ id: 'a', score: 1_000_000 }),
    evaluation({ id: 'b', score: 500_000, outcome: 'graceful_failure' }),
    evaluation({ id: 'c', outcome: 'unscored' }),
  ]);

  expect(summary).toMatchObject({ conversations: 3, evaluations: 3, scored: 2, tcr: 0.75 });
  expect(summary).toMatchObject({ success_rate: 0.5, about: 'task', with_evidence: 1 });
  expect(summary.outcomes).toEqual({
    successful_completion: 1,
    no_fault_found: 0,
    handed_over: 0,
    graceful_failure: 1,
    partial_failure: 0,
    hard_failure: 0,
    unscored: 1,
  });
});

test('form and task are summed up apart: what is known by form is in no success rate', () => {
  const form = evaluation({ id: 'a', score: 1_000_000, outcome: 'no_fault_found', about: 'form' });
  const task = evaluation({ id: 'b', score: 1_000_000 });

  expect(summarize([form])).toMatchObject({ tcr: 1, about: 'form', with_evidence: 0 });
  expect(summarize([form])).toMatchObject({ success_rate: null, no_fault_rate: 1 });
  expect(summarize([form, task])).toMatchObject({ about: 'task', with_evidence: 0.5, success_rate: 1 });
});

test('what was handed over to a person is in no success rate', () => {
  const summary = summarize([
    evaluation({ id: 'a', score: 1_000_000 }),
    evaluation({ id: 'b', score: 1_000_000, outcome: 'handed_over' }),
    evaluation({ id: 'c', score: 0, outcome: 'hard_failure' }),
  ]);

  expect(summary.success_rate).toBe(0.5);
  expect(summary.outcomes.handed_over).toBe(1);
});

test('nothing scored is no TCR, not a TCR of 0', () => {
  expect(summarize([])).toMatchObject({ tcr: null });
});

test('a criterion that is decided nowhere, although its tool was called, is named', () => {
  const without = (id: string, criteria: readonly string[]): Evaluation => ({
    ...evaluation({ id }),
    verdicts: new Map(
      criteria.map((name) => [
        name,
        { verdict: 'not_applicable', reason: 'refund.args.amount is absent.', undecided: 'argument_absent' },
      ]),
    ),
  });
  const rows = [
    without('a', ['cap', 'note']),
    without('b', ['cap']),
    evaluation({ id: 'c', verdicts: { note: 'pass' } }),
    evaluation({ id: 'd', verdicts: { other: 'not_applicable' } }),
  ];

  expect(summarize(rows).never_decided).toEqual([
    {
      suite: 's',
      criterion: 'cap',
      argument_absent: 2,
      reason: 'refund.args.amount is absent.',
      examples: ['a', 'b'],
    },
  ]);
});

test('failing criteria are ranked by failures, over decided verdicts only, with a few examples', () => {
  const rows = [
    evaluation({ id: 'a', verdicts: { x: 'fail', y: 'pass' } }),
    evaluation({ id: 'b', verdicts: { x: 'fail', y: 'fail' } }),
    evaluation({ id: 'c', verdicts: { x: 'not_applicable', y: 'pass' } }),
    ...['d', 'e', 'f'].map((id) => evaluation({ id, verdicts: { x: 'fail', y: 'error' } })),
  ];

  expect(summarize(rows).failing_criteria).toEqual([
    { suite: 's', criterion: 'x', failed: 5, decided: 5, pass_rate: 0, examples: ['a', 'b', 'd'] },
    { suite: 's', criterion: 'y', failed: 1, decided: 3, pass_rate: 0.666667, examples: ['b'] },
  ]);
});

test('JUnit text can hold whatever a span can', () => {
  const xml = toJUnit([
    evaluation({ id: '<a&"\u0000\ud800', outcome: 'hard_failure', verdicts: { x: 'fail' }, reason: ']]>\u001b' }),
  ]);

  expect(xml).toContain('name="&lt;a&amp;&quot;\ufffd\ufffd"');
  expect(xml).toContain(']]&gt;\ufffd');
});

test('an exemplar never exceeds what OpenMetrics allows, and never holds half an id', () => {
  const exemplar = (conversationId: string) =>
    exemplarSample({ traceId: 'a'.repeat(32), conversationId, value: 1, at: 2000 });

  expect(exemplar('c'.repeat(36)).labelSet).toEqual({ trace_id: 'a'.repeat(32), conversation_id: 'c'.repeat(36) });
  expect(exemplar('c'.repeat(100)).labelSet).toEqual({ trace_id: 'a'.repeat(32) });
  // A terminal that shows the metrics would obey it.
  expect(exemplar('c\u001b[31mred\u202e').labelSet).toEqual({ trace_id: 'a'.repeat(32) });
});

/** Totals as the store keeps them, in memory. */
class MemoryTotals {
  readonly values = new Map<string, number>();

  series(metric: string, labels: { readonly [label: string]: string }) {
    const key = `${metric} ${JSON.stringify(labels)}`;
    if (!this.values.has(key)) this.values.set(key, 0);
    return { add: (amount: number) => void this.values.set(key, (this.values.get(key) ?? 0) + amount) };
  }

  earliest() {
    return { note: () => {} };
  }

  view(): QualityView {
    const view = new QualityView();
    view.update(
      [...this.values].map(([key, value]) => {
        const at = key.indexOf(' ');
        return {
          metric: key.slice(0, at),
          labels: JSON.parse(key.slice(at + 1)) as Record<string, string>,
          value,
          exemplar: undefined,
        };
      }),
    );
    return view;
  }
}

const BASE = { suite: 's', agent: 'a', agent_version: '1', environment: 'e' };
const EFFORT = { steps: 3, tokens: 700, duration: 2500, cost: 2000 };
const COUNTED = { traceId: 't', conversationId: 'c', at: 0, logTime: 0, beganAt: 0 };

test('outcomes exist at zero before the first event, and pass and fail from the first of either', async () => {
  const totals = new MemoryTotals();
  const suite = new SuiteTotals(totals, BASE, { criteria: ['x', 'y'] });
  suite.countVerdicts(evaluation({ verdicts: { x: 'pass' } }), new Map());

  const { body } = await rendered(new Exposition(totals.view().sources()));

  expect(body).toContain(
    'assay_evaluations_total{suite="s",agent="a",agent_version="1",environment="e",outcome="hard_failure"} 0',
  );
  const verdicts = 'assay_verdicts_total{suite="s",agent="a",agent_version="1",environment="e",';
  expect(body.split('\n').filter((line) => line.startsWith(verdicts))).toEqual([
    `${verdicts}criterion="x",verdict="pass"} 1`,
    `${verdicts}criterion="x",verdict="fail"} 0`,
  ]);
});

test('the score is a histogram whose sum over its count is the TCR, exactly', async () => {
  const totals = new MemoryTotals();
  const suite = new SuiteTotals(totals, BASE, { criteria: ['x'] });
  for (const score of [1_000_000, 750_000, 100_000])
    suite.countFirst(evaluation({ score, verdicts: { x: 'pass' } }), EFFORT, COUNTED);

  const { body } = await rendered(new Exposition(totals.view().sources()));

  const labels = 'suite="s",agent="a",agent_version="1",environment="e"';
  expect(body).toContain(`assay_evaluation_score_sum{${labels}} 1.85\n`);
  expect(body).toContain(`assay_evaluation_score_count{${labels}} 3\n`);
  expect(body).toContain(`assay_evaluation_score_bucket{${labels},le="0.25"} 1\n`);
  expect(body).toContain(`assay_evaluation_score_bucket{${labels},le="0.75"} 2\n`);
  expect(body).toContain(`assay_evaluation_score_bucket{${labels},le="+Inf"} 3\n`);
  expect(body).toContain(`assay_conversation_duration_seconds_sum{${labels},outcome="successful_completion"} 7.5\n`);
});

test.each<[claim: string, before: number | undefined, after: number | undefined, corrected: number | undefined]>([
  ['a fall is taken off', 900_000, 400_000, 400_000],
  ['a rise is added', 400_000, 900_000, 900_000],
  ['a first score that comes late counts', undefined, 600_000, 600_000],
  ['a score that is lost counts no more', 900_000, undefined, undefined],
])('%s, so that the corrected TCR is exact', (_claim, before, after, corrected) => {
  const totals = new MemoryTotals();
  const suite = new SuiteTotals(totals, BASE, { criteria: [] });
  const first = evaluation({ ...(before === undefined ? { outcome: 'unscored' } : { score: before }) });
  suite.countFirst(first, EFFORT, COUNTED);

  const second = evaluation({ ...(after === undefined ? { outcome: 'unscored' } : { score: after }) });
  suite.countRevised(second, EFFORT, { ...first, effort: EFFORT }, COUNTED);

  const value = (metric: string) => totals.values.get(`${metric} ${JSON.stringify(BASE)}`) ?? 0;
  const net = (part: string) =>
    value(`assay_evaluation_score_${part}`) - value(`assay_evaluation_score_withdrawn_${part}`);
  expect(net('count')).toBe(after === undefined ? 0 : 1);
  expect(net('sum')).toBe(corrected ?? 0);
});

test('both formats can be asked for in turn, and counters keep their names', async () => {
  const totals = new MemoryTotals();
  new SuiteTotals(totals, BASE, { criteria: [] });
  const exposition = new Exposition(totals.view().sources());

  const openMetrics = await rendered(exposition, 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5');
  const text = await rendered(exposition, 'text/plain');

  expect(openMetrics.body).toContain('# TYPE assay_evaluations counter\n');
  expect(openMetrics.body).toContain('assay_evaluations_total{');
  expect(text.body).toContain('# TYPE assay_evaluations_total counter\n');
  expect(text.body).toContain('assay_evaluations_total{');
});

test('trouble that repeats is one line and a sum', () => {
  const lines: string[] = [];
  const log = new Log({ level: 'info', write: (line) => lines.push(line) });
  const reporter = new EventReporter({ log, redaction: undefined, judges: undefined, cluster: undefined });
  const event = { type: 'journal-refused', because: 'disk-full', detail: 'no space', records: 1 } as const;

  for (let count = 0; count < 1000; count += 1) reporter.report(event);
  log.flush(Date.now(), { all: true });

  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ repeats: 999, because: 'disk-full' });
});

test('a name from a span cannot forge a line of the log', () => {
  const lines: string[] = [];
  const log = new Log({ level: 'info', write: (line) => lines.push(line) });

  log.line('warn', 'x\n{"level":"error"}\u001b[31m', { agent: 'x\n{"level":"error"}\u001b[31m' });

  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toMatch(/\p{Cc}/u);
});
