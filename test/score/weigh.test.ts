import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { VerdictKind } from '../../src/model/evaluation.ts';
import { VERDICTS } from '../../src/model/evaluation.ts';
import type { NotApplicableHandling } from '../../src/model/decision.ts';
import type { Broke } from '../../src/score/subject/ending.ts';
import { formatMillionths, ONE, toMillionths, weigh, type Weighing } from '../../src/score/subject/weigh.ts';

const HALF = ONE / 2;

function criteria(...weights: readonly (readonly [name: string, weight: number, handling?: NotApplicableHandling])[]) {
  return weights.map(([name, weight, whenNotApplicable = 'exclude']) => ({
    name,
    weight: toMillionths(weight) ?? 0,
    whenNotApplicable,
    capsAt: undefined,
  }));
}

const STRICT = { hardFailureScores: 'zero', whenBroken: 'hard_failure' } as const;

function weighed(
  suite: Weighing['criteria'],
  kinds: Parameters<typeof weigh>[1],
  minDecided: number,
  rest: { readonly broke?: Broke } & Partial<Weighing> = {},
) {
  return weigh({ criteria: suite, minDecided, ...STRICT, ...rest }, kinds, rest.broke);
}

function verdicts(kinds: Readonly<Record<string, VerdictKind>>) {
  return (name: string): VerdictKind => kinds[name] ?? 'skipped';
}

test('0.10 + 0.70 is 0.80 to the last digit, which floating point does not give', () => {
  const suite = criteria(['a', 0.1], ['b', 0.7], ['c', 0.2]);

  const { score } = weighed(suite, verdicts({ a: 'pass', b: 'pass', c: 'fail' }), HALF);

  expect(0.1 + 0.7).toBeLessThan(0.8);
  expect(score).toBe(800_000);
  expect((score ?? 0) / ONE).toBe(0.8);
});

test('what is not applicable leaves both sums, unless it says that it counts', () => {
  const kinds = verdicts({ a: 'pass', b: 'fail', c: 'not_applicable' });

  expect(weighed(criteria(['a', 0.4], ['b', 0.4], ['c', 0.2]), kinds, HALF).score).toBe(500_000);
  expect(weighed(criteria(['a', 0.4], ['b', 0.4], ['c', 0.2, 'pass']), kinds, HALF).score).toBe(600_000);
  expect(weighed(criteria(['a', 0.4], ['b', 0.4], ['c', 0.2, 'fail']), kinds, HALF).score).toBe(400_000);
});

test('errors and skipped checks never lower the score, whatever not-applicable counts as', () => {
  const suite = criteria(['a', 0.5], ['b', 0.25, 'fail'], ['c', 0.25, 'fail']);

  expect(weighed(suite, verdicts({ a: 'pass', b: 'error', c: 'skipped' }), HALF).score).toBe(ONE);
});

test('there is a score from exactly the least share of decided weight on', () => {
  const suite = criteria(['a', 0.5], ['b', 0.5]);
  const kinds = verdicts({ a: 'pass', b: 'error' });

  expect(weighed(suite, kinds, 500_000).score).toBe(ONE);
  expect(weighed(suite, kinds, 500_001).score).toBeUndefined();
});

test('nothing decided is no score, even where no share is asked for', () => {
  expect(weighed(criteria(['a', 1]), verdicts({ a: 'error' }), 0).score).toBeUndefined();
});

test('weights that sum to less than one are weighed against their own sum', () => {
  const suite = criteria(['a', 0.3], ['b', 0.65]);

  expect(weighed(suite, verdicts({ a: 'pass', b: 'fail' }), HALF).score).toBe(315_789);
});

test('the score is the passed share of the decided weight, rounded half up, for any weights and verdicts', () => {
  const anyCriterion = fc.record({
    weight: fc.integer({ min: 1, max: ONE }),
    verdict: fc.constantFrom(...VERDICTS),
    whenNotApplicable: fc.constantFrom<NotApplicableHandling>('exclude', 'pass', 'fail'),
  });
  fc.assert(
    fc.property(fc.array(anyCriterion, { minLength: 1, maxLength: 20 }), (generated) => {
      const suite = generated.map((criterion, index) => ({ ...criterion, name: `c${index}`, capsAt: undefined }));
      const { score, passed, decided } = weighed(suite, (name) => suite[Number(name.slice(1))]?.verdict ?? 'error', 0);

      if (decided === 0) return score === undefined;
      const exact = (BigInt(passed) * 2_000_000n + BigInt(decided)) / (2n * BigInt(decided));
      return BigInt(score ?? -1) === exact;
    }),
  );
});

test('a failed criterion that makes a hard failure takes the score to 0, unless the suite keeps it', () => {
  const [a, b] = criteria(['a', 0.5], ['b', 0.5]);
  if (a === undefined || b === undefined) throw new Error('there are two');
  const suite = [a, { ...b, capsAt: 'hard_failure' as const }];
  const kinds = verdicts({ a: 'pass', b: 'fail' });

  expect(weighed(suite, kinds, HALF)).toMatchObject({ score: 0, zeroedBy: 'critical', passed: HALF, decided: ONE });
  expect(weighed(suite, kinds, HALF, { hardFailureScores: 'as weighed' }).score).toBe(HALF);
  expect(weighed(suite, verdicts({ a: 'pass', b: 'not_applicable' }), HALF).score).toBe(ONE);
  expect(weighed([a, { ...b, capsAt: 'partial_failure' as const }], kinds, HALF).score).toBe(HALF);
});

test('a conversation without an answer has score 0 and is never unscored, unless the suite decides that by its criteria', () => {
  const suite = criteria(['a', 0.5], ['b', 0.5]);
  const good = verdicts({ a: 'pass', b: 'pass' });
  const nothing = verdicts({ a: 'error', b: 'skipped' });

  expect(weighed(suite, good, HALF, { broke: 'no_answer' })).toMatchObject({ score: 0, zeroedBy: 'no_answer' });
  expect(weighed(suite, nothing, HALF, { broke: 'no_answer' }).score).toBe(0);
  expect(weighed(suite, good, HALF, { broke: 'no_answer', whenBroken: 'by criteria' }).score).toBe(ONE);
  expect(weighed(suite, nothing, HALF, { broke: 'no_answer', whenBroken: 'by criteria' }).score).toBeUndefined();
});

test('a conversation with an error beside its answer is decided by its criteria, and has score 0 where they decide too little', () => {
  const suite = criteria(['a', 0.5], ['b', 0.5]);

  expect(weighed(suite, verdicts({ a: 'pass', b: 'fail' }), HALF, { broke: 'error' }).score).toBe(HALF);
  expect(weighed(suite, verdicts({ a: 'error' }), HALF, { broke: 'error' })).toMatchObject({
    score: 0,
    zeroedBy: 'error',
  });
});

test('a weight has at most six decimal places and lies between 0 and 1', () => {
  expect(toMillionths(0.1)).toBe(100_000);
  expect(toMillionths(0.333333)).toBe(333_333);
  expect(toMillionths(1)).toBe(ONE);
  expect([0.1234567, -0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY].map(toMillionths)).toEqual(
    Array(5).fill(undefined),
  );
});

test('a score is written with two places at least and no more than it takes', () => {
  expect([ONE, 0, 750_000, 684_211, 123_400].map(formatMillionths)).toEqual([
    '1.00',
    '0.00',
    '0.75',
    '0.684211',
    '0.1234',
  ]);
});

test.each([
  ['hard_failure', 'not_applicable', 0],
  ['hard_failure', 'pass', 0],
  ['partial_failure', 'not_applicable', 0],
  ['graceful_failure', 'not_applicable', 0],
  ['partial_failure', 'pass', 500_000],
] as const)(
  'a failed critical criterion (%s) decides, however little else was decided (the other: %s)',
  (capsAt, other, score) => {
    const [a, ...rest] = criteria(['a', 0.2], ['b', 0.2], ['c', 0.6]);
    if (a === undefined) return expect.unreachable();
    const suite = [{ ...a, capsAt }, ...rest];

    expect(weighed(suite, verdicts({ a: 'fail', b: other, c: 'not_applicable' }), HALF).score).toBe(score);
    expect(
      weighed(suite, verdicts({ a: 'pass', b: 'not_applicable', c: 'not_applicable' }), HALF).score,
    ).toBeUndefined();
  },
);

test.each(['hard_failure', 'partial_failure', 'graceful_failure'] as const)(
  'a critical criterion (%s) that could not be asked leaves no score, unless the agent failed by itself',
  (capsAt) => {
    const [a, b, c] = criteria(['a', 0.1], ['b', 0.1], ['c', 0.8]);
    if (a === undefined || b === undefined || c === undefined) return expect.unreachable();
    const suite = [{ ...a, capsAt }, { ...b, capsAt }, c];
    const lost = verdicts({ a: 'error', b: 'pass', c: 'pass' });

    expect(weighed(suite, lost, HALF)).toMatchObject({ score: undefined, uncheckedCritical: 'a' });
    expect(weighed(suite, verdicts({ a: 'skipped', b: 'pass', c: 'pass' }), HALF).score).toBe(ONE);
    expect(weighed(suite, verdicts({ a: 'error', b: 'fail', c: 'pass' }), HALF).score).toBeDefined();
    expect(weighed(suite, lost, HALF, { broke: 'no_answer' }).score).toBe(0);
    // Its other criteria decide enough: that it is no success must not make it a hard failure.
    expect(weighed(suite, lost, HALF, { broke: 'error' }).score).toBeUndefined();
  },
);

test('a critical criterion of weight 0 that fails is score 0, where nothing else was decided', () => {
  const [a, ...rest] = criteria(['a', 0], ['b', 1]);
  if (a === undefined) return expect.unreachable();
  const suite = [{ ...a, capsAt: 'partial_failure' as const }, ...rest];

  expect(weighed(suite, verdicts({ a: 'fail', b: 'not_applicable' }), HALF).score).toBe(0);
});
