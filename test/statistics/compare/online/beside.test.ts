/** A canary whose share grows while traffic changes, and what does not run beside it. */
import { expect, test } from 'vitest';
import { randomFrom } from '../../../../src/model/random.ts';
import {
  compareBeside,
  compareOnline,
  type OnlineSample,
  type Valued,
} from '../../../../src/statistics/compare/online/compare-online.ts';

const HOUR_MS = 3_600_000;

function sampleOf(successes: readonly Valued[]): OnlineSample {
  return { scores: [], successes, passes: new Map(), steps: [], tokens: [], cost: [] };
}

function compared(a: readonly Valued[], b: readonly Valued[]) {
  return compareOnline(sampleOf(a), sampleOf(b), {
    ...{ criteria: [], alpha: 0.05, smallest: 0.05, about: 'task', called: { a: 'a', b: 'b' } },
  });
}

function compareAsBeside(a: readonly Valued[], b: readonly Valued[]) {
  return compareBeside(a, b, { alpha: 0.05, smallest: 0.05, about: 'task', called: { a: 'a', b: 'b' } });
}

/** So many conversations of each hour, of which a share goes well. */
function hours(
  of: readonly { readonly at: number; readonly count: number; readonly rate: number }[],
  user = 0,
): Valued[] {
  return of.flatMap(({ at, count, rate }) =>
    Array.from({ length: count }, (_, index) => {
      const number = user + at * 10_000 + index;
      const began = (at + index / count) * HOUR_MS;
      return { user: number, conversation: number, at: began, kind: '', value: index % 100 < rate * 100 ? 1 : 0 };
    }),
  );
}

/** The second hour has other rates, and more of b: 10 %, then half. */
function growing(a: readonly [number, number], b: readonly [number, number]) {
  const [firstOfA, secondOfA, firstOfB, secondOfB] = [...a, ...b];
  return [
    hours([
      { at: 0, count: 900, rate: firstOfA },
      { at: 1, count: 500, rate: secondOfA },
    ]),
    hours(
      [
        { at: 0, count: 100, rate: firstOfB },
        { at: 1, count: 500, rate: secondOfB },
      ],
      5_000,
    ),
  ] as const;
}

test('a version that gets more traffic in harder hours is no worse for it', () => {
  const [a, b] = growing([0.95, 0.75], [0.95, 0.75]);
  const beside = compareAsBeside(a, b);

  expect(compared(a, b).success).toMatchObject({ change: expect.closeTo(-0.095, 2) as number });
  expect(beside.success).toMatchObject({ change: expect.closeTo(0, 2) as number });
  expect(beside.a + beside.b).toBe(2000);
});

test('a version that is worse at each moment is not saved by an easier last hour', () => {
  const beside = compareAsBeside(...growing([0.7, 0.95], [0.6, 0.85]));

  expect(beside.success).toMatchObject({ change: expect.closeTo(-0.1, 2) as number });
});

test('one early conversation does not make a month of the old version count', () => {
  const month = hours(Array.from({ length: 240 }, (_, at) => ({ at, count: 5, rate: 0.6 })));
  const today = hours([{ at: 500, count: 100, rate: 0.97 }]);
  const smoke = hours([{ at: 1, count: 1, rate: 1 }], 5_000);
  const b = [...smoke, ...hours([{ at: 500, count: 400, rate: 0.75 }], 5_000)];
  const beside = compareAsBeside([...month, ...today], b);

  expect(beside.a).toBeLessThanOrEqual(105);
  expect(beside.success).toMatchObject({ change: expect.closeTo(-0.22, 1) as number });
});

test('what replaced another at once ran beside nothing', () => {
  const a = hours(Array.from({ length: 20 }, (_, at) => ({ at, count: 50, rate: 0.9 })));
  const b = hours(
    Array.from({ length: 20 }, (_, at) => ({ at: 20 + at, count: 50, rate: 0.9 })),
    5_000,
  );

  expect(compareAsBeside(a, b)).toMatchObject({ isEnough: false, logWorse: 0, a: 0, b: 0 });
});

test('cells cost little where nothing changes with time', () => {
  const random = randomFrom(7);
  const drawn = (count: number, user: number) =>
    Array.from({ length: count }, (_, index) => {
      const value = random() < 0.85 ? 1 : 0;
      return { user: user + index, conversation: user + index, at: (index / count) * 24 * HOUR_MS, kind: '', value };
    });
  const [a, b] = [drawn(2000, 0), drawn(500, 10_000)];
  const beside = compareAsBeside(a, b);
  const width = (found: Pick<ReturnType<typeof compared>, 'success'>) =>
    found.success.is === 'compared' ? found.success.upper - found.success.lower : Number.NaN;

  expect(width(beside) / width(compared(a, b))).toBeLessThan(1.06);
});

test('kinds that one version got more of are weighed, however many hours there are', () => {
  const kinds = { easy: 0.95, hard: 0.7 };
  const of = (shares: { readonly easy: number; readonly hard: number }, user: number) =>
    Array.from({ length: 24 }, (_, at) =>
      Object.entries(kinds).flatMap(([kind, rate]) =>
        hours([{ at, count: shares[kind as keyof typeof kinds], rate }], user + (kind === 'hard' ? 5000 : 0)).map(
          (one, index) => ({ ...one, kind, value: (at * 31 + index * 17) % 100 < rate * 100 ? 1 : 0 }),
        ),
      ),
    ).flat();
  const { success, logWorse } = compareAsBeside(of({ easy: 40, hard: 10 }, 0), of({ easy: 8, hard: 20 }, 300_000));

  expect(success).toMatchObject({ change: expect.closeTo(0, 1) as number });
  expect(Math.exp(logWorse)).toBeLessThan(2);
});

test('conversations at one stamp are beside each other', () => {
  const at = (user: number, bad: number) =>
    Array.from({ length: 500 }, (_, index) => {
      const value = index % 100 < bad ? 0 : 1;
      return { user: user + index, conversation: user + index, at: 0, kind: '', value };
    });

  expect(compareAsBeside(at(0, 10), at(1000, 30))).toMatchObject({
    isEnough: true,
    success: { change: expect.closeTo(-0.2, 9) as number },
  });
});

test('a side that hardly runs any more says little of the hours that the other has', () => {
  const a = hours([
    { at: 0, count: 200, rate: 0.95 },
    { at: 5, count: 9, rate: 0.75 },
  ]);
  const b = hours(
    [
      { at: 0, count: 200, rate: 0.95 },
      { at: 5, count: 900, rate: 0.75 },
    ],
    5_000,
  );

  expect(compareAsBeside(a, b).success).toMatchObject({ change: expect.closeTo(0, 1) as number });
});
