/**
 * The predicates against an evaluator that goes through every sequence in which the steps can have been done. `npm test` takes a few
 * thousand small orders; `ORDER_RUNS=100000 ORDER_STEPS=7 npx vitest run test/score/order/predicates.test.ts` as many as one likes.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Evidence, type OrderAmong, type Strength } from '../../../src/score/order/partial-order.ts';
import * as predicates from '../../../src/score/order/predicates.ts';
import { rounds } from '../../rounds.ts';

const RUNS = Number(process.env.ORDER_RUNS ?? rounds(3000));
const STEPS_MAX = Number(process.env.ORDER_STEPS ?? 6);
const SEED = 20_261_121;

interface Case {
  readonly size: number;
  /** x before y, where x < y in `ranks`. */
  readonly edges: readonly (readonly [number, number])[];
  readonly as: readonly number[];
  readonly bs: readonly number[];
  readonly xs: readonly number[];
  readonly limit: number;
}

const anyCase: fc.Arbitrary<Case> = fc.integer({ min: 1, max: STEPS_MAX }).chain((size) => {
  const step = fc.integer({ min: 0, max: size - 1 });
  const some = fc.uniqueArray(step, { maxLength: size }).map((steps) => steps.toSorted((x, y) => x - y));
  return fc.record({
    size: fc.constant(size),
    // Labels are shuffled, so that the numbers of the steps tell nothing of their order.
    edges: fc
      .tuple(
        fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
        fc.array(fc.tuple(step, step), { maxLength: 9 }),
      )
      .map(([labels, pairs]) =>
        pairs
          .filter(([x, y]) => x !== y)
          .map(([x, y]) => [labels[Math.min(x, y)] ?? 0, labels[Math.max(x, y)] ?? 0] as const),
      ),
    as: some,
    bs: some.filter((steps) => steps.length > 0),
    xs: some.filter((steps) => steps.length > 0),
    limit: fc.integer({ min: 1, max: 4 }),
  });
});

function orderOf({ size, edges }: Case): OrderAmong {
  const evidence = new Evidence(size);
  for (const [at, [x, y]] of edges.entries()) {
    // Half of them by way of a moment between.
    const moment = at % 2 === 0 ? y : evidence.moment();
    evidence.add(x, moment, 3);
    evidence.add(moment, y, 3);
  }
  return evidence.order().among([...Array(size).keys()]);
}

function sequencesOf({ size, edges }: Case): readonly (readonly number[])[] {
  const all: number[][] = [];
  const extend = (done: readonly number[]) => {
    if (done.length === size) all.push([...done]);
    for (let step = 0; step < size; step++) {
      if (done.includes(step) || edges.some(([x, y]) => y === step && !done.includes(x))) continue;
      extend([...done, step]);
    }
  };
  extend([]);
  return all;
}

type Holds = (sequence: readonly number[], one: Case) => boolean;

/** The answer of each predicate for one sequence, computed in the plainest way. */
const PLAIN = {
  before: (sequence, { as, bs }) => bs.every((b) => as.some((a) => sequence.indexOf(a) < sequence.indexOf(b))),
  respondsTo: (sequence, { as, bs }) => bs.every((b) => as.some((a) => sequence.indexOf(a) > sequence.indexOf(b))),
  neverAfter: (sequence, { as, bs }) => !as.some((a) => bs.some((b) => sequence.indexOf(b) < sequence.indexOf(a))),
  immediatelyBefore: (sequence, { as, bs }) => bs.every((b) => as.includes(sequence[sequence.indexOf(b) - 1] ?? -1)),
  first: (sequence, { as }) => as.includes(sequence[0] ?? -1),
  last: (sequence, { as }) => as.includes(sequence.at(-1) ?? -1),
  between: (sequence, { as, bs, xs }) =>
    xs.every((x) => {
      const at = sequence.indexOf(x);
      return as.some((a) => sequence.indexOf(a) < at) && bs.some((b) => sequence.indexOf(b) > at);
    }),
  withinSteps: (sequence, { as, bs, limit }) =>
    as.every((a) => {
      const at = sequence.indexOf(a);
      return sequence.slice(at + 1, at + 1 + limit).some((step) => bs.includes(step));
    }),
  withinTime: (sequence, { as, bs, limit }) =>
    as.every((a) => bs.some((b) => sequence.indexOf(b) > sequence.indexOf(a) && isNear(a, b, limit))),
} as const satisfies Record<string, Holds>;

function isNear(a: number, b: number, limit: number): boolean {
  return (a * 7 + b * 3) % 5 < limit;
}

const OURS = {
  before: (order, { as, bs }) => predicates.before(order, as, bs),
  respondsTo: (order, { as, bs }) => predicates.respondsTo(order, as, bs),
  neverAfter: (order, { as, bs }) => predicates.neverAfter(order, as, bs),
  immediatelyBefore: (order, { as, bs }) => predicates.immediatelyBefore(order, as, bs),
  first: (order, { as }) => predicates.first(order, as),
  last: (order, { as }) => predicates.last(order, as),
  between: (order, { as, bs, xs }) => predicates.between(order, xs, as, bs),
  withinSteps: (order, { as, bs, limit }) => predicates.withinSteps(order, as, bs, limit),
  withinTime: (order, { as, bs, limit }) => predicates.withinTime(order, as, bs, (a, b) => isNear(a, b, limit)),
} as const satisfies Record<keyof typeof PLAIN, (order: OrderAmong, one: Case) => predicates.Finding>;

/** Where deciding that nothing satisfies it would take a search, `depends` may be said of what never holds. */
const NEVER_IS_EXACT: Readonly<Record<keyof typeof PLAIN, boolean>> = {
  before: true,
  respondsTo: true,
  neverAfter: true,
  first: true,
  last: true,
  between: true,
  immediatelyBefore: false,
  withinSteps: false,
  withinTime: false,
};

const NAMES = Object.keys(PLAIN).map((name) => name as keyof typeof PLAIN);

test.each(NAMES)('%s is what every sequence of the steps says', (name) => {
  const seen = new Set<predicates.Certainty>();
  fc.assert(
    fc.property(anyCase, (one) => {
      const answers = new Set(sequencesOf(one).map((sequence) => PLAIN[name](sequence, one)));
      const truth = answers.size === 2 ? 'depends' : answers.has(true) ? 'always' : 'never';

      const { holds, offender } = OURS[name](orderOf(one), one);

      seen.add(holds);
      expect(offender === undefined).toBe(holds === 'always');
      if (truth === 'never' && !NEVER_IS_EXACT[name]) expect(holds).not.toBe('always');
      else expect(holds).toBe(truth);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expect(seen.size).toBe(3);
});

test('a wait is as long as it can be, where what makes it longer before also makes it shorter after', () => {
  // Beside 0 runs 2, then 1, then 3; 4 follows 0. One of 2 and 3 can be waited through, not both.
  const edges = [
    [2, 1],
    [1, 3],
    [0, 4],
  ] as const;
  const one: Case = { size: 5, edges, as: [0], bs: [1, 4], xs: [], limit: 2 };

  const answers = [1, 2].map((limit) => OURS.withinSteps(orderOf(one), { ...one, limit }).holds);

  expect(sequencesOf(one).every((sequence) => PLAIN.withinSteps(sequence, one))).toBe(true);
  expect(answers).toEqual(['depends', 'always']);
});

test('what is certain of two steps is what all sequences agree on', () => {
  fc.assert(
    fc.property(anyCase, (one) => {
      const order = orderOf(one);
      const sequences = sequencesOf(one);
      for (let x = 0; x < one.size; x++) {
        for (let y = 0; y < one.size; y++) {
          const isFirst = sequences.every((sequence) => sequence.indexOf(x) < sequence.indexOf(y));
          expect(order.isBefore(x, y)).toBe(isFirst && x !== y);
          const isApart = isFirst && sequences.every((sequence) => sequence.indexOf(y) - sequence.indexOf(x) > 1);
          // A third step that is between in every sequence need not be the same one, so that only one way holds.
          if (order.isFarBefore(x, y)) expect(isApart).toBe(true);
        }
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test('evidence in a circle: the weakest is not believed, what lies outside of the circle is', () => {
  const evidence = new Evidence(5);
  const says = (x: number, y: number, strength: Strength) => evidence.add(x, y, strength);
  says(0, 1, 0);
  says(1, 2, 3);
  says(2, 0, 4);
  says(2, 3, 4);
  says(4, 0, 4);

  const order = evidence.order().among([0, 1, 2, 3, 4]);

  expect([order.isBefore(0, 2), order.isBefore(2, 0), order.isBefore(2, 3), order.isBefore(4, 3)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test('however evidence contradicts itself, what comes of it is an order', () => {
  const edge = fc.tuple(fc.nat(6), fc.nat(6), fc.constantFrom<Strength>(0, 1, 2, 3, 4));
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 25 }), (edges) => {
      const evidence = new Evidence(7);
      for (const [x, y, strength] of edges) evidence.add(x, y, strength);

      const order = evidence.order().among([...Array(7).keys()]);

      for (let x = 0; x < 7; x++) {
        for (let y = 0; y < 7; y++) {
          if (!order.isBefore(x, y)) continue;
          expect(order.isBefore(y, x)).toBe(false);
          for (let z = 0; z < 7; z++) if (order.isBefore(y, z)) expect(order.isBefore(x, z)).toBe(true);
        }
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
