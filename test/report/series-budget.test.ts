import { expect, test } from 'vitest';
import { QualityView } from '../../src/report/metrics/quality-view.ts';
import { Exposition } from '../../src/report/metrics/exposition.ts';
import { SeriesBudget } from '../../src/report/metrics/series-budget.ts';

const HOUR_MS = 3_600_000;

/** Agents of so much traffic, each with 10 series that are always there and 20 of each part. */
function budgetOf(max: number, traffic: Readonly<Record<string, number>>) {
  const budget = new SeriesBudget(max);
  for (const [name, amount] of Object.entries(traffic)) {
    const agent = budget.of(name);
    agent.traffic = amount;
    budget.add(10, agent, undefined);
    for (const part of ['effort', 'criteria', 'buckets'] as const) budget.add(20, agent, part);
  }
  return budget;
}

test('under the budget everything is shown', () => {
  const budget = budgetOf(140, { a: 1, b: 2 });
  budget.renew(0);

  expect(budget.exposed).toBe(140);
  expect(budget.withheld('buckets')).toEqual([]);
});

test('buckets go first, then verdicts, then effort, each from agents of least traffic', () => {
  const withheld = (max: number) => {
    const budget = budgetOf(max, { a: 1, b: 3, c: 2 });
    budget.renew(0);
    expect(budget.exposed).toBeLessThanOrEqual(Math.max(max, 30));
    return [budget.withheld('effort'), budget.withheld('criteria'), budget.withheld('buckets')];
  };

  expect(withheld(209)).toEqual([[], [], ['a']]);
  expect(withheld(190)).toEqual([[], [], ['a']]);
  expect(withheld(189)).toEqual([[], [], ['a', 'c']]);
  expect(withheld(149)).toEqual([[], ['a'], ['a', 'b', 'c']]);
  expect(withheld(50)).toEqual([
    ['a', 'c'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
  expect(withheld(1)).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
});

test('series of the service itself count, too', () => {
  const budget = budgetOf(210, { a: 1, b: 3, c: 2 });
  budget.reserve(20);
  budget.renew(0);

  expect(budget.withheld('buckets')).toEqual(['a']);
});

test('a place is lost to twice the traffic of the last hours, and not to a little more', () => {
  const budget = budgetOf(130, { a: 10, b: 5 });
  budget.renew(0);
  expect(budget.withheld('buckets')).toEqual(['b']);

  budget.of('b').traffic = 15;
  budget.renew(HOUR_MS);
  expect(budget.withheld('buckets')).toEqual(['b']);

  budget.of('b').traffic += 100;
  budget.renew(2 * HOUR_MS - 1);
  expect(budget.withheld('buckets')).toEqual(['b']);
  budget.renew(2 * HOUR_MS);
  expect(budget.withheld('buckets')).toEqual(['a']);
});

test('between the hours places are only taken, and who comes later waits', () => {
  const budget = budgetOf(130, { a: 10, b: 5 });
  budget.renew(0);
  budget.of('b').traffic = 1000;
  const late = budget.of('c');
  for (const part of ['effort', 'criteria', 'buckets'] as const) budget.add(1, late, part);
  budget.add(11, budget.of('a'), undefined);
  budget.renew(1);
  expect(budget.withheld('buckets')).toEqual(['a', 'b', 'c']);
  expect(budget.withheld('criteria')).toEqual([]);

  budget.add(-5, budget.of('a'), undefined);
  budget.renew(HOUR_MS - 1);
  expect(budget.withheld('buckets')).toEqual(['a', 'b', 'c']);
  budget.renew(HOUR_MS);
  expect(budget.withheld('buckets')).toEqual(['a', 'c']);
});

test('an agent that comes when half of the budget is used has its buckets with the next hour', () => {
  const budget = budgetOf(200, { a: 1, b: 1 });
  budget.renew(0);
  budget.add(1, budget.of('c'), 'buckets');
  budget.renew(1);
  expect(budget.withheld('buckets')).toEqual(['c']);

  budget.renew(HOUR_MS);
  expect(budget.withheld('buckets')).toEqual([]);
});

const LABELS = { suite: 's', agent_version: '1', environment: 'e' };

test('a histogram without its buckets has its count, its sum and the bucket that all have', async () => {
  const view = new QualityView(9);
  const observed = (agent: string, count: number) => {
    const labels = { ...LABELS, agent };
    return [
      { metric: 'assay_evaluations_total', labels: { ...labels, outcome: 'hard_failure' }, value: count },
      { metric: 'assay_evaluation_score_bucket', labels: { ...labels, le: '0.5' }, value: count },
      { metric: 'assay_evaluation_score_sum', labels, value: 500_000 * count },
      { metric: 'assay_evaluation_score_count', labels, value: count },
      { metric: 'assay_verdicts_total', labels: { ...labels, criterion: 'x', verdict: 'fail' }, value: count },
    ].map((total) => ({ ...total, exemplar: undefined }));
  };
  view.update([...observed('a', 2), ...observed('b', 1)]);
  const scraped = await new Exposition(view.sources()).scrape({ accept: undefined });
  const lines = (scraped?.texts ?? []).join('').split('\n');

  expect(lines.filter((line) => line.startsWith('assay_evaluation_score'))).toEqual(
    (['a', 'b'] as const).flatMap((agent) => {
      const labels = `suite="s",agent_version="1",environment="e",agent="${agent}"`;
      const count = agent === 'a' ? 2 : 1;
      return [
        `assay_evaluation_score_bucket{${labels},le="+Inf"} ${count}`,
        `assay_evaluation_score_sum{${labels}} ${0.5 * count}`,
        `assay_evaluation_score_count{${labels}} ${count}`,
      ];
    }),
  );
  expect(
    lines.filter((line) => line.startsWith('assay_verdicts_total')).map((line) => /agent="(.)"/.exec(line)?.[1]),
  ).toEqual(['a']);
  expect(view.withheld()).toEqual({ effort: [], criteria: ['b'], buckets: ['a', 'b'] });
  expect(view.seriesCount).toBe(9);
});
