import { describe, expect, test } from 'vitest';
import { compareExperiments } from '../../../src/statistics/compare/compare-experiments.ts';
import { reliabilityOf } from '../../../src/statistics/compare/reliability.ts';
import type { Compared } from '../../../src/model/comparison.ts';
import type { ExperimentResult } from '../../../src/model/experiment.ts';
import { randomFrom } from '../../random.ts';
import { experimentOf, FAILURE, passing, type RunLine, SUCCESS, SUITE } from './experiments.ts';

function compared(one: Compared): Extract<Compared, { is: 'compared' }> {
  if (one.is !== 'compared') throw new Error(one.because);
  return one;
}

function only(a: ExperimentResult, b: ExperimentResult) {
  const comparison = compareExperiments(a, b);
  const [suite] = comparison.suites;
  if (suite === undefined) throw new Error('no suite');
  const criterion = (name: string) =>
    compared(suite.criteria.find((one) => one.criterion === name)?.compared as Compared);
  return { comparison, suite, criterion };
}

function times<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}

describe('the word for a difference', () => {
  test('worse, where it is hardly chance, with the criterion that shows it', () => {
    const { suite, criterion } = only(
      experimentOf('a', passing(times(40, 1))),
      experimentOf('b', passing([...times(10, 0 as const), ...times(30, 1 as const)])),
    );

    expect(compared(suite.score)).toMatchObject({ word: 'worse', casesNeeded: undefined, isPaired: true, cases: 40 });
    expect(compared(suite.success)).toMatchObject({ word: 'worse', change: -0.25, test: 'mcnemar' });
    expect(criterion('booked')).toMatchObject({ word: 'worse', change: -0.25 });
    expect(criterion('booked').adjustedP).toBeCloseTo(2 * 2 * 0.5 ** 10, 12);
    expect(compared(suite.stepsPerSuccess)).toMatchObject({ word: 'worse', isRelative: true });
  });

  test('better, the other way round', () => {
    const { suite } = only(
      experimentOf('a', passing([...times(10, 0 as const), ...times(30, 1 as const)])),
      experimentOf('b', passing(times(40, 1))),
    );

    expect(compared(suite.score).word).toBe('better');
    expect(compared(suite.stepsPerSuccess).word).toBe('better');
  });

  test('not enough evidence where few cases agree, with how many more it would take, and that many are enough', () => {
    const few = only(experimentOf('a', passing(times(20, 1))), experimentOf('b', passing(times(20, 1)))).criterion(
      'polite',
    );
    const enough = times(few.casesNeeded ?? 0, 1 as const);
    const many = only(experimentOf('a', passing(enough)), experimentOf('b', passing(enough))).criterion('polite');

    expect(few).toMatchObject({ word: 'not_enough_evidence', change: 0, p: 1 });
    expect(few.casesNeeded).toBe(72);
    expect(many).toMatchObject({ word: 'no_difference_shown', casesNeeded: undefined });
  });

  test('none of an outcome that is neither good nor bad', () => {
    const { suite } = only(experimentOf('a', passing([1, 1])), experimentOf('b', passing([1, 0])));
    const words = Object.fromEntries(suite.outcomes.map(({ outcome, compared: one }) => [outcome, compared(one).word]));

    expect(words).toMatchObject({ partial_failure: undefined, hard_failure: 'not_enough_evidence' });
  });

  test('a reason where there is no figure', () => {
    const { suite } = only(experimentOf('a', passing([0, 0])), experimentOf('b', passing([1, 0])));

    expect(suite.stepsPerSuccess).toEqual({ is: 'not_compared', because: 'no run of A has a good outcome' });
    expect(suite.costPerSuccess.is).toBe('not_compared');
  });
});

describe('what moved the score', () => {
  test.each([1, 2, 3, 4, 5])('criteria and mix add up to the change, whatever the runs: seed %i', (seed) => {
    const random = randomFrom(seed);
    const any = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const lines = (prefix: string): RunLine[] =>
      Array.from({ length: 12 }, (_, index) => index).flatMap((index) =>
        Array.from({ length: 1 + Math.floor(random() * 3) }, (_, repeat) => {
          const verdicts = {
            booked: any(['pass', 'fail', 'not_applicable'] as const),
            polite: any(['pass', 'pass', 'fail', 'error'] as const),
          };
          const [booked, polite] = [verdicts.booked !== 'not_applicable' ? 3 : 0, verdicts.polite !== 'error' ? 1 : 0];
          const passed = (verdicts.booked === 'pass' ? 3 : 0) + (verdicts.polite === 'pass' ? 1 : 0);
          const decided = booked + polite;
          return {
            case: `${prefix}-${index}`,
            repeat: repeat + 1,
            evaluations: [
              { verdicts, ...(decided > 0 ? { score: passed / decided, outcome: 'graceful_failure' as const } : {}) },
            ],
          };
        }),
      );
    for (const prefix of ['same', 'other']) {
      const { suite } = only(experimentOf('a', lines('same')), experimentOf('b', lines(prefix)));
      const parts = suite.split?.criteria.reduce((sum, { part }) => sum + part, 0) ?? Number.NaN;

      expect(suite.split?.change).toBeCloseTo(compared(suite.score).change, 12);
      expect(parts + (suite.split?.mix ?? 0)).toBeCloseTo(suite.split?.change ?? 0, 12);
    }
  });

  test('what one criterion lost is its own', () => {
    const { suite } = only(experimentOf('a', passing([1, 1, 1, 1])), experimentOf('b', passing([1, 0, 1, 0])));

    expect(suite.split?.change).toBeCloseTo(-0.375, 12);
    expect(Object.fromEntries(suite.split?.criteria.map(({ criterion, part }) => [criterion, part]) ?? [])).toEqual({
      booked: -0.375,
      polite: 0,
    });
    expect(suite.split?.mix).toBeCloseTo(0, 12);
  });
});

describe('cases that flipped', () => {
  test('the worst first, those that got better last, each with its criteria', () => {
    const half = {
      ...SUCCESS,
      score: 0.75,
      outcome: 'graceful_failure',
      verdicts: { booked: 'pass', polite: 'fail' },
    } as const;
    const lines = (evaluations: Readonly<Record<string, RunLine['evaluations'][number]>>) =>
      Object.entries(evaluations).map(([name, evaluation]) => ({ case: name, evaluations: [evaluation] }));
    const { suite } = only(
      experimentOf('a', lines({ same: SUCCESS, lost: SUCCESS, rude: SUCCESS, won: FAILURE })),
      experimentOf('b', lines({ same: SUCCESS, lost: FAILURE, rude: half, won: SUCCESS })),
    );

    expect(
      suite.flipped.map((one) => [one.case, one.direction, one.criteria.map(({ criterion }) => criterion)]),
    ).toEqual([
      ['lost', 'worse', ['booked']],
      ['rude', 'worse', ['polite']],
      ['won', 'better', ['booked']],
    ]);
    expect(suite.flipped[0]).toMatchObject({
      success: { a: 1, b: 0 },
      score: { a: 1, b: 0.25 },
      conversations: { a: ['run-lost-1'] },
    });
  });

  test('an agent that fell over is said, without an evaluation to show it', () => {
    const { suite } = only(
      experimentOf('a', [{ case: 'x', evaluations: [SUCCESS] }]),
      experimentOf('b', [{ case: 'x', end: 'timed_out', evaluations: [] }]),
    );

    expect(suite.flipped).toMatchObject([{ case: 'x', direction: 'worse', ends: { a: [], b: ['timed_out'] } }]);
  });
});

describe('what is odd about a comparison is said', () => {
  test('datasets, repeats, an experiment that has not ended, suites that one of them lacks', () => {
    const a = experimentOf('a', passing([1, 1]));
    const b = experimentOf('b', [...passing([1, 1]), { case: 'case-0', repeat: 2, evaluations: [SUCCESS] }], {
      endedAt: undefined,
      dataset: { ...a.experiment.dataset, version: '2', fingerprint: 'e'.repeat(64) },
      suites: [
        ...a.experiment.suites,
        { ...(a.experiment.suites[0] as (typeof a.experiment.suites)[0]), name: 'tone' },
      ],
    });
    const { warnings } = compareExperiments(a, b);

    expect(warnings).toEqual([
      'the datasets differ: scheduling 1 (2 cases) in A, scheduling 2 (2 cases) in B',
      'each case was run once in A and 2 times in B',
      'B has not ended: 3 of 4 runs are known',
      'only B was scored by tone',
    ]);
  });

  test('an ended experiment of which whole cases are gone', () => {
    const a = experimentOf('a', passing([1, 1, 1]));
    const b = { ...experimentOf('b', passing([1, 1, 1])), runs: a.runs.slice(0, 2) };

    expect(compareExperiments(a, b).warnings).toContain('B has ended, and runs of only 2 of its 3 cases are kept');
  });

  test('a version of which the suite has less to say', () => {
    const a = experimentOf('a', passing([1, 1, 1]));
    const b = experimentOf('b', [
      ...passing([1]),
      { case: 'case-1', evaluations: [] },
      { case: 'case-2', evaluations: [] },
    ]);

    expect(only(a, b).suite.warnings).toEqual(['it says something of 3 of 3 runs of A, and of 1 of 3 runs of B']);
  });

  test('runs none of which came to its end are counted as they are', () => {
    const a = experimentOf('a', passing([1, 1, 1]));
    const crashes = passing([1, 1, 1]).map((line) => ({ ...line, end: 'agent_failed' as const, evaluations: [] }));

    expect(only(a, experimentOf('b', crashes)).suite.warnings).toEqual(['none of the 3 runs of B came to its end']);
  });

  test('cases with fewer runs than in the other, as far as they were planned', () => {
    const run = (id: string, repeat: number) => ({ case: id, repeat, evaluations: [SUCCESS] });
    const a = experimentOf(
      'a',
      ['k1', 'k2', 'k3'].flatMap((id) => [1, 2, 3].map((repeat) => run(id, repeat))),
    );
    const b = experimentOf('b', [
      run('k1', 2),
      run('k2', 1),
      run('k2', 3),
      ...[1, 2, 3].map((repeat) => run('k3', repeat)),
    ]);
    const once = experimentOf(
      'b',
      ['k1', 'k2', 'k3'].map((id) => run(id, 1)),
    );

    expect(only(a, b).comparison.warnings).toEqual([
      '2 cases have fewer runs in B than in A: k1 (1 of 3), k2 (2 of 3)',
    ]);
    expect(only(a, once).comparison.warnings).toEqual(['each case was run 3 times in A and once in B']);
  });

  test('a suite that was changed, cases that were, runs that wait for judges', () => {
    const a = experimentOf('a', passing([1, 1, 1]));
    const changed = passing([1, 1, 1]).map((line, index) =>
      index === 0 ? { ...line, fingerprint: 'e'.repeat(64) } : line,
    );
    const [suite] = a.experiment.suites;
    const b = experimentOf('b', [...changed, { case: 'late', evaluations: [{ ...SUCCESS, waitsFor: ['polite'] }] }], {
      suites: [{ ...(suite as NonNullable<typeof suite>), fingerprint: '0'.repeat(64) }],
    });
    const found = only(a, b).suite;

    expect(found.warnings).toEqual([
      'the suite was changed between A and B without a new version (1)',
      '1 case was changed between A and B, and left out',
      '1 run of B waits for judges, and is left out',
    ]);
    expect(found.cases).toEqual({ shared: 2, changed: 1, onlyInA: 0, onlyInB: 1 });
  });

  test('nothing, where nothing is', () => {
    const { comparison, suite } = only(experimentOf('a', passing([1])), experimentOf('b', passing([1])));

    expect([...comparison.warnings, ...suite.warnings]).toEqual([]);
  });
});

describe('reliability', () => {
  test('names the cases and criteria whose repeats do not agree, and how often all of k pass', () => {
    const repeats = (name: string, passes: readonly (0 | 1)[]): RunLine[] =>
      passes.map((pass, index) => ({ case: name, repeat: index + 1, evaluations: [pass === 1 ? SUCCESS : FAILURE] }));
    const result = experimentOf('a', [
      ...repeats('firm', [1, 1, 1, 1]),
      ...repeats('rare', [1, 1, 1, 0]),
      ...repeats('coin', [1, 0, 1, 0]),
    ]);
    const found = reliabilityOf(result, SUITE);

    expect(found.repeats).toBe(4);
    expect(found.passes.map(({ k }) => k)).toEqual([1, 2, 3, 4]);
    // pass^2: 1, C(3,2)/C(4,2), C(2,2)/C(4,2); pass@2: 1, 1, 1 − C(2,2)/C(4,2).
    expect(found.passes[1]?.passHat.value).toBeCloseTo((1 + 1 / 2 + 1 / 6) / 3, 12);
    expect(found.passes[1]?.passAt.value).toBeCloseTo((1 + 1 + 5 / 6) / 3, 12);
    expect(found.flakyCases).toEqual([
      { case: 'coin', passes: 2, runs: 4, criteria: [{ criterion: 'booked', passes: 2, runs: 4 }] },
      { case: 'rare', passes: 3, runs: 4, criteria: [{ criterion: 'booked', passes: 3, runs: 4 }] },
    ]);
    expect(found.flakyCriteria).toEqual([{ criterion: 'booked', cases: 2, of: 3 }]);
  });

  test('says nothing of cases that were run once', () => {
    expect(reliabilityOf(experimentOf('a', passing([1, 0])), SUITE)).toEqual({
      suite: SUITE,
      repeats: 1,
      passes: [],
      flakyCases: [],
      flakyCriteria: [],
    });
  });
});

test('names of cases and criteria are only names: what an object has of its own does no harm', () => {
  const lines = ['__proto__', 'constructor'].map((name) => ({
    case: name,
    evaluations: [{ ...SUCCESS, verdicts: { toString: 'pass', constructor: 'pass' } as const }],
  }));
  const { suite } = only(experimentOf('a', lines), experimentOf('b', lines));

  expect(suite.cases.shared).toBe(2);
  expect(suite.criteria.map(({ criterion }) => criterion)).toEqual(['booked', 'polite', 'toString', 'constructor']);
});

test('the same two give the same comparison', () => {
  const random = randomFrom(5);
  const [a, b] = ['a', 'b'].map((name) =>
    experimentOf(
      name,
      passing(times(25, 1).map(() => (random() < 0.8 ? 1 : 0))).map((line) => ({
        ...line,
        effort: { costUsd: random() },
      })),
    ),
  ) as [ExperimentResult, ExperimentResult];

  expect(JSON.stringify(compareExperiments(a, b))).toBe(JSON.stringify(compareExperiments(a, b)));
});

test('a criterion that was renamed is a row of each name, with the side that has it', () => {
  const before = experimentOf('a', passing(times(4, 1)));
  const renamed = experimentOf('b', passing([1, 1, 0, 1]));
  const { suite } = only(before, {
    experiment: {
      ...renamed.experiment,
      suites: renamed.experiment.suites.map((one) => ({
        ...one,
        criteria: one.criteria.map((criterion) =>
          criterion.name === 'booked' ? { ...criterion, name: 'booked_it' } : criterion,
        ),
      })),
    },
    runs: renamed.runs.map((run) => ({
      ...run,
      evaluations: run.evaluations.map((evaluation) => ({
        ...evaluation,
        verdicts: new Map(
          [...evaluation.verdicts].map(([name, verdict]) => [name === 'booked' ? 'booked_it' : name, verdict]),
        ),
      })),
    })),
  });

  const rows = new Map(suite.criteria.map(({ criterion, compared: one }) => [criterion, one]));
  expect([...rows.keys()]).toEqual(['booked', 'polite', 'booked_it']);
  expect(rows.get('booked')).toEqual({ is: 'not_compared', because: 'only in A, where 100.0 % passed' });
  expect(rows.get('booked_it')).toEqual({ is: 'not_compared', because: 'only in B, where 75.0 % passed' });
});

describe('what runs that broke off cost', () => {
  const succeeded = (name: string, costUsd: number): RunLine => ({
    case: name,
    effort: { costUsd },
    evaluations: [SUCCESS],
  });
  const before = experimentOf('a', [succeeded('x', 1), succeeded('y', 1)]);

  test('is in the cost per success where it is known', () => {
    const crashed: RunLine = { case: 'y', end: 'agent_failed', effort: { costUsd: 3 }, evaluations: [] };
    const { suite } = only(before, experimentOf('b', [succeeded('x', 1), crashed]));

    expect(compared(suite.costPerSuccess)).toMatchObject({ a: 1, b: 4 });
    expect(suite.warnings.join()).not.toContain('cost');
  });

  test('is said to be missing where it is not', () => {
    const crashed: RunLine = { case: 'y', end: 'agent_failed', evaluations: [] };
    const { suite } = only(before, experimentOf('b', [succeeded('x', 1), crashed]));

    expect(suite.warnings).toContain(
      '1 run of B broke off and does not say what it cost: cost per success may be higher than shown',
    );
  });

  test('is no remark where no run says what it cost', () => {
    const crashed: RunLine = { case: 'case-1', end: 'agent_failed', evaluations: [] };
    const { suite } = only(experimentOf('a', passing([1, 1])), experimentOf('b', [...passing([1]), crashed]));

    expect(suite.warnings.join()).not.toContain('cost');
  });
});
