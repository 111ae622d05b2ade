import { expect, test } from 'vitest';
import { shareOfKind, unseenKinds } from '../../../src/engine/failures/sampled-kinds.ts';
import { randomFrom } from '../../../src/model/random.ts';
import type { KeptReading, ReadingAnswer } from '../../../src/model/readings.ts';
import { NOTHING_CERTAIN } from '../../../src/statistics/estimate/frame.ts';
import { LOTS } from '../../../src/store/frame-columns.ts';
import { type Candidate, RATE_OF_FAULTY } from '../../../src/store/frame-reader.ts';

type Said = readonly [answer: ReadingAnswer, kind?: string];

function candidate(said: readonly Said[], more: { lot?: number; isFaulty?: boolean } = {}): Candidate {
  const readings = said.map(([answer, kind], at) => ({ source: 'person', by: `p${at}`, answer, kind }));
  const called = more.isFaulty === true ? 'hard_failure' : 'successful_completion';
  // The cast holds for what is read of it.
  return {
    ...{ row: { lot: more.lot ?? 1 }, known: { called }, certain: undefined },
    readings: readings as unknown as readonly KeptReading[],
  } as Candidate;
}

function sampled(drawn: readonly Candidate[], certain = NOTHING_CERTAIN) {
  const cells = [{ group: 'all', isCalledFine: true, rate: 1, size: 200 }];
  return {
    drawn,
    frame: { cells, draws: drawn.map(() => ({ cell: 0, answer: 'good' as const })), certain, disagreement: 0 },
  };
}

const times = (count: number, said: Said) => Array.from({ length: count }, () => candidate([said]));

test('a share counts conversations of the kind; those that may have it widen the upper end alone', () => {
  const known = [...times(30, ['good']), ...times(6, ['bad', 'a'])];
  const named = shareOfKind(sampled([...known, ...times(4, ['bad', 'b'])]), 'a');
  const unnamed = shareOfKind(sampled([...known, ...times(4, ['bad'])]), 'a');
  const unclear = shareOfKind(sampled([...known, ...times(4, ['cannot_tell'])]), 'a');
  const all = shareOfKind(sampled([...known, ...times(4, ['bad', 'a'])]), 'a');

  expect(named?.value).toBeCloseTo(0.15, 1);
  expect([unnamed?.value, unnamed?.lower]).toEqual([named?.value, named?.lower]);
  expect([unnamed?.upper, unclear?.upper]).toEqual([all?.upper, all?.upper]);
  expect(unnamed?.upper).toBeGreaterThan(named?.upper ?? 1);
  // Failures that are certain have a kind that nobody has seen.
  const certain = shareOfKind(sampled(known, { good: 0, bad: 50, badCalledFine: 50 }), 'a');
  expect(certain?.upper).toBeGreaterThan((50 + 6) / 250);
  expect(shareOfKind(sampled([]), 'a')).toBeUndefined();
});

test('two readers who disagree about the kind of some widen it at both ends', () => {
  const both = (first: string, second: string) =>
    candidate([
      ['bad', first],
      ['bad', second],
    ]);
  const single = times(30, ['good']);
  const agreed = shareOfKind(sampled([...single, ...Array.from({ length: 8 }, () => both('a', 'a'))]), 'a');
  const halves = Array.from({ length: 8 }, (_, at) => both('a', at % 2 === 0 ? 'b' : 'a'));
  const disagreed = shareOfKind(sampled([...single, ...halves]), 'a');

  expect(disagreed?.value).toBe(agreed?.value);
  expect(disagreed?.lower).toBeLessThan(agreed?.lower ?? 0);
  expect(disagreed?.upper).toBeGreaterThan(agreed?.upper ?? 1);
});

test('faulty conversations, which are drawn more often, count for new kinds as often as they come', () => {
  const random = randomFrom(7);
  let [faulty, all] = [0, 0];
  for (let run = 0; run < 200; run += 1) {
    // Half of the failures have a fault that a suite finds.
    const world = Array.from({ length: 400 }, (_, at) =>
      candidate([['bad', `kind ${at % 2}`]], { lot: Math.floor(random() * LOTS), isFaulty: at % 2 === 0 }),
    );
    const turn = ({ row, known }: Candidate) =>
      -Math.log(1 - (row.lot ?? 0) / LOTS) / (known.called === 'hard_failure' ? RATE_OF_FAULTY : 1);
    const drawn = world.toSorted((a, b) => turn(a) - turn(b)).slice(0, 60);
    all += unseenKinds(drawn, new Map())?.failures ?? 0;
    faulty +=
      unseenKinds(
        drawn.map((one) => (one.known.called === 'hard_failure' ? one : { ...one, readings: [] })),
        new Map(),
      )?.failures ?? 0;
  }
  expect(faulty / all).toBeGreaterThan(0.47);
  expect(faulty / all).toBeLessThan(0.53);
});

test('a kind that was also seen out of turn is not new', () => {
  const drawn = [...times(6, ['bad', 'a']), candidate([['bad', 'b']]), candidate([['bad', 'c']])];
  const kinds = new Map([
    ['a', 6],
    ['b', 1],
    ['c', 1],
  ]);

  expect(unseenKinds(drawn, kinds)?.value).toBeCloseTo(2 / 8);
  expect(unseenKinds(drawn, kinds.set('c', 2))?.value).toBeCloseTo(1 / 8);
});
