/** A canary whose share grows while traffic changes, and what does not run beside it. */
import { expect, test } from 'vitest';
import { randomFrom } from '../../../../src/model/random.ts';
import { besideEachOther } from '../../../../src/statistics/compare/online/beside.ts';
import {
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

test('a version that gets more traffic in harder hours is no worse for it', () => {
  const a = hours([
    { at: 0, count: 900, rate: 0.95 },
    { at: 1, count: 500, rate: 0.75 },
  ]);
  const b = hours(
    [
      { at: 0, count: 100, rate: 0.95 },
      { at: 1, count: 500, rate: 0.75 },
    ],
    5_000,
  );
  const beside = besideEachOther(a, b);

  expect(compared(a, b).success).toMatchObject({ change: expect.closeTo(-0.095, 2) as number });
  expect(compared(beside.a, beside.b).success).toMatchObject({ change: expect.closeTo(0, 2) as number });
  expect(beside.a.length + beside.b.length).toBeGreaterThan(1980);
});

test('a version that is worse at each moment is not saved by an easier last hour', () => {
  const a = hours([
    { at: 0, count: 900, rate: 0.7 },
    { at: 1, count: 500, rate: 0.95 },
  ]);
  const b = hours(
    [
      { at: 0, count: 100, rate: 0.6 },
      { at: 1, count: 500, rate: 0.85 },
    ],
    5_000,
  );
  const beside = besideEachOther(a, b);

  expect(compared(beside.a, beside.b).success).toMatchObject({ change: expect.closeTo(-0.1, 2) as number });
});

test('one early conversation does not make a month of the old version count', () => {
  const month = hours(Array.from({ length: 240 }, (_, at) => ({ at, count: 5, rate: 0.6 })));
  const today = hours([{ at: 500, count: 100, rate: 0.97 }]);
  const smoke = hours([{ at: 1, count: 1, rate: 1 }], 5_000);
  const b = [...smoke, ...hours([{ at: 500, count: 400, rate: 0.75 }], 5_000)];
  const beside = besideEachOther([...month, ...today], b);

  expect(beside.a.every(({ at }) => at >= 500 * HOUR_MS)).toBe(true);
  expect(beside.a.length).toBeGreaterThan(90);
  expect(compared(beside.a, beside.b).success).toMatchObject({ change: expect.closeTo(-0.22, 1) as number });
});

test('what replaced another at once ran beside nothing', () => {
  const a = hours(Array.from({ length: 20 }, (_, at) => ({ at, count: 50, rate: 0.9 })));
  const b = hours(
    Array.from({ length: 20 }, (_, at) => ({ at: 20 + at, count: 50, rate: 0.9 })),
    5_000,
  );

  expect(besideEachOther(a, b)).toEqual({ a: [], b: [] });
});

test('cells cost little where nothing changes with time', () => {
  const random = randomFrom(7);
  const drawn = (count: number, user: number) =>
    Array.from({ length: count }, (_, index) => {
      const value = random() < 0.85 ? 1 : 0;
      return { user: user + index, conversation: user + index, at: (index / count) * 24 * HOUR_MS, kind: '', value };
    });
  const [a, b] = [drawn(2000, 0), drawn(500, 10_000)];
  const beside = besideEachOther(a, b);
  const width = (found: ReturnType<typeof compared>) =>
    found.success.is === 'compared' ? found.success.upper - found.success.lower : Number.NaN;

  expect(width(compared(beside.a, beside.b)) / width(compared(a, b))).toBeLessThan(1.06);
});
