import { expect, test } from 'vitest';
import { isEnough, worthOf } from '../../../src/statistics/estimate/advice.ts';
import { type Frame, NOTHING_CERTAIN, type ReadDraw } from '../../../src/statistics/estimate/frame.ts';
import { successEstimate } from '../../../src/statistics/estimate/success-estimate.ts';
import { randomFrom } from '../../random.ts';

const FINE = { group: 'no_fault_found', isCalledFine: true, rate: 1 };
const FAULTY = { group: 'hard_failure', isCalledFine: false, rate: 2 };

function frame(more: Partial<Frame> = {}): Frame {
  const cells = [
    { ...FINE, size: 900 },
    { ...FAULTY, size: 100 },
  ];
  return { cells, draws: [], certain: NOTHING_CERTAIN, disagreement: 0, ...more };
}

function read(cell: number, answers: string): readonly ReadDraw[] {
  return [...answers].map((one) => ({ cell, answer: one === '+' ? 'good' : one === '-' ? 'bad' : 'unclear' }));
}

test('nothing read and nothing certain is no figure; all known is one without an interval', () => {
  expect(successEstimate(frame())).toBeUndefined();

  const known = frame({ cells: [], certain: { good: 60, bad: 40, badCalledFine: 30 } });
  const found = successEstimate(known);
  expect(found?.success).toEqual({ value: 0.6, lower: 0.6, upper: 0.6 });
  expect(found?.missed.value).toBeCloseTo(0.3, 6);
  expect(found?.missRate?.value).toBeCloseTo(0.75, 6);
});

test('when every conversation is read, the interval is the truth', () => {
  const cells = [
    { ...FINE, size: 6 },
    { ...FAULTY, size: 4 },
  ];
  const draws = [...read(1, '+-'), ...read(0, '+++-'), ...read(1, '--'), ...read(0, '-+')];

  const found = successEstimate(frame({ cells, draws }));

  expect(found?.success.lower).toBeCloseTo(0.5, 4);
  expect(found?.success.upper).toBeCloseTo(0.5, 4);
  expect(found?.missed.value).toBeCloseTo(0.2, 4);
  expect(found?.missRate?.value).toBeCloseTo(0.4, 4);
});

test('no failure among the readings leaves room for some', () => {
  const found = successEstimate(frame({ draws: [...read(0, '+'.repeat(18)), ...read(1, '++')] }));

  expect(found?.success.value).toBeGreaterThan(0.99);
  expect(found?.success.lower).toBeLessThan(0.85);
  expect(found?.success.lower).toBeGreaterThan(0.6);
  expect(found?.missRate).toBeUndefined();
});

test('what is unclear widens both ends, and so does that readers disagree', () => {
  const sure = successEstimate(frame({ draws: [...read(0, '+++-++-+++++'), ...read(1, '-+--')] }));
  const unclear = successEstimate(frame({ draws: [...read(0, '+++?++?+++++'), ...read(1, '-+--')] }));
  const all = successEstimate(frame({ draws: [...read(0, '++++++++++++'), ...read(1, '-+--')] }));
  if (sure === undefined || unclear === undefined || all === undefined) return expect.unreachable();

  expect(unclear.success.lower).toBeCloseTo(sure.success.lower, 6);
  expect(unclear.success.upper).toBeCloseTo(all.success.upper, 6);

  const disputed = successEstimate(
    frame({ draws: [...read(0, '+++-++-+++++'), ...read(1, '-+--')], disagreement: 0.1 }),
  );
  expect(disputed?.success.lower).toBeCloseTo(sure.success.lower - 0.05, 6);
});

test('the first readings are worth more than the next, and at last reading is not worth it', () => {
  const [twenty, forty] = worthOf(frame());
  expect(twenty?.readings).toBe(20);
  expect(forty?.readings).toBe(40);
  expect(twenty?.plusMinus).toBeGreaterThan(forty?.plusMinus ?? 1);
  expect(isEnough(frame())).toBe(false);

  const many = Array.from({ length: 30 }, () => [...read(0, '++++++++-'), ...read(1, '-')]).flat();
  expect(isEnough(frame({ draws: many }))).toBe(true);
});

test('of worlds drawn by chance, at most one in twenty intervals ever misses the truth, looked at after each reading', () => {
  const random = randomFrom(40);
  let missed = 0;
  const worlds = 120;
  for (let world = 0; world < worlds; world += 1) {
    const shares = [0.9, 0.2];
    const all = [600, 100].flatMap((size, cell) =>
      Array.from({ length: size }, () => ({ cell, isGood: random() < (shares[cell] ?? 0) })),
    );
    const truth = all.filter(({ isGood }) => isGood).length / all.length;
    const draws: ReadDraw[] = all
      .map((one) => ({ one, turn: -Math.log(1 - random()) / (one.cell === 1 ? 2 : 1) }))
      .toSorted((a, b) => a.turn - b.turn)
      .slice(0, 30)
      .map(({ one }) => ({ cell: one.cell, answer: one.isGood ? 'good' : 'bad' }));
    const cells = [
      { ...FINE, size: 600 },
      { ...FAULTY, size: 100 },
    ];
    const isEverMissed = [10, 20, 30].some((count) => {
      const found = successEstimate(frame({ cells, draws: draws.slice(0, count) }));
      return found === undefined || truth < found.success.lower || truth > found.success.upper;
    });
    if (isEverMissed) missed += 1;
  }
  expect(missed / worlds).toBeLessThanOrEqual(0.05);
});
