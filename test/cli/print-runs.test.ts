import { expect, test } from 'vitest';
import { runsJson } from '../../src/cli/print-runs.ts';
import { experimentOf, passing, type RunLine } from '../statistics/compare/experiments.ts';

const CRASH: RunLine = { case: 'broken', end: 'agent_failed', evaluations: [] };

function jsonOf(name: string, lines: readonly RunLine[]) {
  const { experiment, runs } = experimentOf(name, lines);
  const aboutTask = runs.map((run) => ({
    ...run,
    evaluations: run.evaluations.map((one) => ({ ...one, about: 'task' as const })),
  }));
  return runsJson({ experiment, runs: aboutTask });
}

test('where runs broke off and left nothing to score, they count as 0, and it is said how many', () => {
  const well = jsonOf('well', passing([1, 1, 1]));
  const broken = jsonOf('broken', [...passing([1, 1, 1]), CRASH]);

  expect(well.runs.without_score).toBe(0);
  expect(broken.runs).toMatchObject({ kept: 4, agent_failed: 1, without_score: 1 });
  expect(broken.summary).toMatchObject({ tcr: 0.75, broke_off: 1 });
  expect(Object.values(broken.summary.suites)).toMatchObject([{ tcr: 0.75, success_rate: 0.75 }]);
});

test('a suite that scored 3 of 30 runs has the score of these', () => {
  const unscored = Array.from({ length: 27 }, (_, at): RunLine => ({ case: `u-${at}`, evaluations: [{}] }));
  const silent = Array.from({ length: 27 }, (_, at): RunLine => ({ case: `s-${at}`, evaluations: [] }));

  for (const others of [unscored, silent]) {
    const { summary } = jsonOf('few', [...passing([1, 1, 1]), ...others]);

    expect(summary).toMatchObject({ tcr: 1 });
    expect(Object.values(summary.suites)).toMatchObject([{ tcr: 1 }]);
  }
});
