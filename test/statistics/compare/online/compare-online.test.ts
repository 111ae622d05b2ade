/** One answer to "is b worse than a": users, the mix of traffic and repeated looks, each against figures worked out by hand. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { benchOnline, ONLINE_WORLDS } from '../../../../bench/online.ts';
import { compareOnline, differenceOf, type Valued } from '../../../../src/statistics/compare/online/compare-online.ts';
import { sequenceOf } from '../../../../src/statistics/compare/online/confidence-sequence.ts';
import { kindsOf } from '../../../../src/statistics/compare/online/mix.ts';
import { withRace } from '../../../../src/statistics/compare/online/raced.ts';
import { designEffectOf, grownEffect, uncertaintyOf } from '../../../../src/statistics/compare/online/related.ts';
import { normalPoint, studentPoint } from '../../../../src/statistics/compare/online/student.ts';
import { randomFrom } from '../../../../src/model/random.ts';
import { rounds } from '../../../rounds.ts';
import { wordText } from '../../../../src/model/suite-words.ts';

const CALLED = { a: 'v1', b: 'v2' };
const SIZE = 1_000_000;

/** One value after the other; the user of each, unless it is undefined. */
function valuesOf(
  values: readonly number[],
  { user = (index) => index, kind = () => '', from = 0 }: ValuesOptions = {},
): readonly Valued[] {
  return values.map((value, index) => {
    const own = user(index);
    return {
      value,
      conversation: from + index,
      user: own === undefined ? undefined : from + own,
      kind: kind(index),
      at: index,
    };
  });
}

interface ValuesOptions {
  readonly user?: (index: number) => number | undefined;
  readonly kind?: (index: number) => string;
  readonly from?: number;
}

function shown(a: readonly Valued[], b: readonly Valued[]) {
  const found = differenceOf(a, b, CALLED);
  if ('because' in found) throw new Error(found.because);
  const { change, p } = found;
  return { p, value: change.value, lower: change.lower(0.025), upper: change.upper(0.025), a: change.a, b: change.b };
}

const share = (passes: number, of: number) => Array.from({ length: of }, (_, index) => (index < passes ? 1 : 0));

describe('users', () => {
  test('the variance of a mean is the sum over users of what each moved it by, squared', () => {
    const values = valuesOf([1, 1, 0, 0, 1, 0], { user: (index) => Math.floor(index / 2) });
    const parts = values.map((one) => ({ ...one, side: 'a' as const, by: (one.value - 0.5) / 6 }));

    // Sums of the three users: 1/6, −1/6, 0; and 3 / 2 for three users.
    expect(uncertaintyOf(parts)).toMatchObject({ units: 3 });
    expect(uncertaintyOf(parts).variance).toBeCloseTo((2 / 36) * (3 / 2), 12);
  });

  test('users who always do the same count once, whatever they had', () => {
    const ofUser = (size: number) =>
      designEffectOf(valuesOf(share(100, 200), { user: (index) => Math.floor(index / size) }));

    expect(ofUser(1)).toBe(1);
    // 40 and 10 users: their number, and the t distribution of so few.
    expect(ofUser(5) / (studentPoint(1.959963984540054, 39) / 1.959963984540054) ** 2).toBeCloseTo(5, 6);
    expect(ofUser(20)).toBeGreaterThan(20);
  });

  test('conversations that name nobody count together where neighbours are alike, and only there', () => {
    const nobody = { user: () => undefined };
    const runs = Array.from({ length: 400 }, (_, index) => (Math.floor(index / 20) % 2 === 0 ? 1 : 0));
    const random = randomFrom(5);
    const mixed = runs.toSorted(() => random() - 0.5);

    expect(designEffectOf(valuesOf(runs, nobody))).toBeGreaterThan(8);
    expect(designEffectOf(valuesOf(mixed, nobody))).toBe(1);
  });

  test('simultaneous conversations have no order: in whatever order they are read, the figure is the same', () => {
    const at = (index: number) => Math.floor(index / 50);
    const nobody = valuesOf(
      Array.from({ length: 400 }, (_, index) => (index % 100 < 60 ? 1 : 0)),
      { user: () => undefined },
    ).map((one, index) => ({ ...one, at: at(index) }));
    const others = nobody.toReversed().map((one, index) => ({ ...one, conversation: index }));

    expect(designEffectOf(others)).toBeCloseTo(designEffectOf(nobody), 12);
    expect(designEffectOf(nobody)).toBeGreaterThan(1);
  });

  test('where nothing differs, users are taken to be as alike as users usually are', () => {
    expect(designEffectOf(valuesOf(share(200, 200), { user: (index) => Math.floor(index / 20) }))).toBeGreaterThan(6.7);
    expect(designEffectOf(valuesOf(share(200, 200)))).toBe(1);
  });

  test('more conversations than were read have more of each user, unless users come once and go', () => {
    const read = (user: (index: number) => number) => valuesOf(share(500, 1000), { user });
    const atAnyTime = read((index) => index % 100);
    const backToBack = read((index) => Math.floor(index / 10));

    expect(grownEffect(3, atAnyTime, 1000)).toBe(3);
    expect(grownEffect(3, atAnyTime, 2000)).toBeCloseTo(1 + (2 * 19) / 9, 6);
    expect(grownEffect(3, backToBack, 2000)).toBe(3);
  });
});

describe('repeated looks', () => {
  test('an interval leaves out 0 exactly where the chance is below the level, at every level and size', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-7, max: 0.1, noNaN: true }),
        fc.double({ min: 3, max: 5000, noNaN: true }),
        fc.double({ min: 1e-4, max: 0.2, noNaN: true }),
        (variance, degrees, alpha) => {
          const sequence = sequenceOf({ variance, degrees, effect: 1, units: 100 });
          expect(sequence.p(sequence.radius(alpha))).toBeCloseTo(alpha, 8);
        },
      ),
    );
  });

  test('a walk without drift leaves its sequence at any time in no more than 5 of 100', () => {
    const random = randomFrom(77);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    let left = 0;
    for (let walk = 0; walk < 400; walk += 1) {
      let sum = 0;
      for (let step = 1; step <= 400; step += 1) {
        sum += normal();
        // The mean of `step` values of variance 25/4.
        const sequence = sequenceOf({ variance: 25 / 4 / step, degrees: 1e6, effect: 1, units: step });
        if (sequence.p((sum * 2.5) / step) > 0.05) continue;
        left += 1;
        break;
      }
    }
    expect(left).toBeLessThan(400 * 0.05 + 2 * Math.sqrt(400 * 0.05));
    expect(left).toBeGreaterThan(0);
  });

  test.each([
    // scipy.stats.t.ppf(0.975, d)
    [3, 3.182],
    [10, 2.228],
    [30, 2.042],
    [1000, 1.962],
  ])('the t distribution with %d degrees', (degrees, point) => {
    expect(studentPoint(1.959964, degrees)).toBeCloseTo(point, 1);
    expect(normalPoint(studentPoint(2.5, degrees), degrees)).toBeCloseTo(2.5, 9);
  });
});

describe('the mix', () => {
  const kind = (hard: number) => (index: number) => (index % 100 < hard ? 'hard' : 'usual');
  /** Half of the hard ones succeed, and nine of ten of the others. */
  const mixed = (hard: number, from = 0) =>
    valuesOf(
      Array.from({ length: 1000 }, (_, index) =>
        kind(hard)(index) === 'hard' ? index % 2 : Math.floor(index / 100) === 0 ? 0 : 1,
      ),
      { kind: kind(hard), from },
    );

  test('a version that got more of the hard conversations is not worse for it', () => {
    const found = shown(mixed(20), mixed(60, SIZE));

    // Both as if 40 % had been hard: 0.4 × 0.5 + 0.6 × 0.9.
    expect(found.a).toBeCloseTo(0.74, 9);
    expect(found.b).toBeCloseTo(0.74, 9);
    expect(found.p).toBe(1);
    const blind = (values: readonly Valued[]) => values.map((one) => ({ ...one, kind: '' }));
    expect(shown(blind(mixed(20)), blind(mixed(60, SIZE))).upper).toBeLessThan(0);
  });

  test('kinds that one side hardly has are taken together, or left out', () => {
    const of = (counts: Readonly<Record<string, number>>) =>
      Object.entries(counts).flatMap(([name, count]) => valuesOf(share(count, count), { kind: () => name }));

    const together = kindsOf(of({ x: 50, y: 4, z: 8 }), of({ x: 50, y: 6, w: 9 }));
    expect([...together.shares.values()]).toEqual([100 / 127, 27 / 127]);
    expect(together.share).toBe(1);
    const leftOut = kindsOf(of({ x: 50, y: 4 }), of({ x: 50, w: 96 }));
    expect([leftOut.shares.size, leftOut.share]).toEqual([1, 0.5]);
  });
});

describe('words', () => {
  const compared = (a: readonly Valued[], b: readonly Valued[], criteria: readonly string[] = ['booked']) => {
    const sampleOf = (values: readonly Valued[]) => ({
      scores: values,
      successes: values,
      passes: new Map(criteria.map((name) => [name, values])),
      steps: values.map((one) => ({ ...one, effort: 4 + (one.conversation % 3), success: one.value })),
      tokens: [],
      cost: [],
    });
    return compareOnline(sampleOf(a), sampleOf(b), {
      criteria,
      alpha: 0.05,
      smallest: 0.05,
      about: 'task',
      called: CALLED,
    });
  };

  test('a word and its interval agree, however many figures there are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 400 }),
        fc.integer({ min: 2, max: 400 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(1, 3, 20),
        fc.integer({ min: 1, max: 20 }),
        (ofA, ofB, shareA, shareB, criteria, size) => {
          const user = (index: number) => Math.floor(index / size);
          const names = Array.from({ length: criteria }, (_, index) => `c${index}`);
          const { criteria: all, ...rest } = compared(
            valuesOf(share(Math.round(ofA * shareA), ofA), { user }),
            valuesOf(share(Math.round(ofB * shareB), ofB), { user, from: SIZE }),
            names,
          );
          for (const one of [rest.score, rest.stepsPerSuccess, ...all.map((of) => of.compared)]) {
            if (one.is === 'not_compared') continue;
            expect(one.lower).toBeLessThanOrEqual(one.change);
            expect(one.upper).toBeGreaterThanOrEqual(one.change);
            const leavesOut0 = one.lower > 0 || one.upper < 0;
            const isSaid = one.word === 'better' || one.word === 'worse';
            expect([one.word, leavesOut0]).toEqual([one.word, isSaid]);
            expect(one.adjustedP <= 0.05).toBe(isSaid);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a fall is worse, and of 20 criteria takes more to be shown', () => {
    const [a, b] = [valuesOf(share(54, 60)), valuesOf(share(36, 60), { from: SIZE })];

    expect(compared(a, b).success).toMatchObject({ word: 'worse', test: 'sequential', cases: 120, isPaired: false });
    expect(compared(a, b).criteria[0]?.compared).toMatchObject({ word: 'worse' });
    const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
    expect(compared(a, b, names).criteria[0]?.compared).toMatchObject({ word: 'not_enough_evidence' });
  });

  test('two versions that never fail are alike once so many conversations say it', () => {
    const ofBoth = (count: number) =>
      compared(valuesOf(share(count, count)), valuesOf(share(count, count), { from: SIZE }));

    expect(ofBoth(40).success).toMatchObject({ word: 'not_enough_evidence', change: 0 });
    expect(ofBoth(400).success).toMatchObject({ word: 'no_difference_shown', change: 0 });
  });

  test('of too few users nothing is said, and it is said why', () => {
    const user = (index: number) => Math.floor(index / 50);
    const few = compared(valuesOf(share(300, 300), { user }), valuesOf(share(0, 300), { user, from: SIZE }));

    const missing = { casesNeeded: undefined, missing: 'too few users' };
    expect(few.success).toMatchObject({ word: 'not_enough_evidence', change: -1, upper: 0, p: 1, ...missing });
    expect(few.notes).toEqual([
      'Too few users of v1: 6, and a comparison takes 10.',
      'Too few users of v2: 6, and a comparison takes 10.',
    ]);
    expect(compared([], valuesOf([1])).success).toMatchObject({ because: 'no conversation of v1 has a value for it' });
  });

  test('where users have several conversations, no number of conversations is said to tell', () => {
    const user = (index: number) => Math.floor(index / 10);
    const sides = (options: ValuesOptions) =>
      compared(valuesOf(share(100, 120), options), valuesOf(share(108, 120), { ...options, from: SIZE })).success;

    const related = sides({ user });
    expect(related).toMatchObject({ casesNeeded: undefined, missing: 'more users would tell' });
    expect(related.is === 'compared' && wordText(related)).toBe('not enough evidence: more users would tell');
    const unrelated = sides({});
    expect(unrelated.is === 'compared' && wordText(unrelated)).toMatch(/^not enough evidence: about \d+ cases/);
  });

  const LOG = { worse: Math.log(100), better: Math.log(100) };

  test.each([
    ['worse', -0.03, { word: 'worse', upper: -1e-6, lower: -0.1, p: expect.closeTo(0.01, 12) }],
    ['better', -0.03, { word: 'not_enough_evidence', upper: 0.04, lower: -0.1, p: 1 }],
    ['better', 0.03, { word: 'better', upper: 0.04, lower: 1e-6, p: expect.closeTo(0.01, 12) }],
  ] as const)('detection found it %s where the difference is %d', (verdict, change, expected) => {
    const [one] = [compared(valuesOf(share(30, 60)), valuesOf(share(30, 60), { from: SIZE })).success];
    if (one.is === 'not_compared') throw new Error(one.because);
    const undecided = { ...one, change, lower: -0.1, upper: 0.04, p: 0.4 };

    expect(withRace(undecided, { verdict, log: LOG }, 'task')).toMatchObject(expected);
    expect(withRace(undecided, { verdict: 'worse', log: LOG }, 'form')).toMatchObject({
      word: change < 0 ? 'more_faults' : 'not_enough_evidence',
    });
  });
});

test('someone who looks every hour is hardly ever misled by equal versions, and a fall is found', {
  timeout: 240_000,
}, () => {
  const small = (name: string, more: object = {}) => {
    const world = ONLINE_WORLDS.find((one) => one.name === name);
    if (world === undefined) throw new Error(`no world is called ${name}`);
    return benchOnline({ runs: rounds(40, 5), seed: 3, worlds: [{ ...world, conversations: 400, ...more }] }).rows[0];
  };

  const users = small('users of 20');
  const harder = small('harder mix');
  expect([users?.ours, harder?.ours].every((called) => (called ?? 1) <= 0.2)).toBe(true);
  expect([users?.reference, harder?.reference].every((peeked) => (peeked ?? 0) >= 0.4)).toBe(true);
  expect(small('10 points worse, users of 5', { change: -0.3 })?.ours).toBeGreaterThanOrEqual(0.9);
});
