import { expect, test } from 'vitest';
import { factTable } from '../../../src/statistics/discovery/fact-table.ts';
import { type Contrast, findsIn } from '../../../src/statistics/discovery/finds.ts';
import { chanceOfAtLeast, leastChance, liftOf } from '../../../src/statistics/discovery/over-represented.ts';
import { randomFrom } from '../../random.ts';

/** Counted with whole numbers, which know no rounding. */
function choose(of: number, chosen: number): bigint {
  let result = 1n;
  for (let one = 0; one < chosen; one += 1) result = (result * BigInt(of - one)) / BigInt(one + 1);
  return result;
}

function exactChance(k: number, n: number, having: number, all: number): number {
  let sum = 0n;
  for (let count = k; count <= Math.min(having, n); count += 1)
    if (n - count <= all - having) sum += choose(having, count) * choose(all - having, n - count);
  return Number((sum * 10n ** 40n) / choose(all, n)) / 1e40;
}

test('the chance is the tail of the hypergeometric law, as whole numbers count it', () => {
  const random = randomFrom(5);
  const below = (most: number) => Math.floor(random() * most);
  let compared = 0;
  while (compared < 300) {
    const all = 2 + below(150);
    const n = 1 + below(all - 1);
    const having = below(all + 1);
    const least = Math.max(0, n + having - all);
    const k = least + below(Math.min(n, having) - least + 1);
    if (k * all <= having * n) continue;
    const chance = chanceOfAtLeast({ count: k, of: n }, { count: having - k, of: all - n });
    const exact = exactChance(k, n, having, all);
    expect(Math.abs(chance - exact)).toBeLessThanOrEqual(1e-9 * exact + 1e-38);
    expect(leastChance({ having, within: n, beside: all - n })).toBeLessThanOrEqual(chance * (1 + 1e-9));
    compared += 1;
  }
});

test('a published table: Fisher’s lady tasting tea', () => {
  expect(chanceOfAtLeast({ count: 4, of: 4 }, { count: 0, of: 4 })).toBeCloseTo(1 / 70, 12);
  expect(chanceOfAtLeast({ count: 3, of: 4 }, { count: 1, of: 4 })).toBeCloseTo(17 / 70, 12);
});

test('the interval of the lift holds the true ratio in 95 of 100 samples or more, at small counts', () => {
  const random = randomFrom(11);
  for (const [within, beside, p, q] of [
    [8, 40, 0.5, 0.1],
    [12, 300, 0.3, 0.02],
    [30, 30, 0.9, 0.6],
  ] as const) {
    let held = 0;
    for (let run = 0; run < 2000; run += 1) {
      const draw = (of: number, share: number) => ({
        count: Array.from({ length: of }, () => random()).filter((one) => one < share).length,
        of,
      });
      const { low, high = Number.POSITIVE_INFINITY } = liftOf(draw(within, p), draw(beside, q));
      if (low <= p / q && p / q <= high) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(1900);
  }
});

test('a lift without an upper end where none of the others has the fact', () => {
  const { value, low, high } = liftOf({ count: 9, of: 10 }, { count: 0, of: 200 });
  expect([value, high]).toEqual([undefined, undefined]);
  expect(low).toBeGreaterThan(10);
  // Ends by Clopper and Pearson at 1.25 %: of none of 200, and of all of 10.
  expect(liftOf({ count: 10, of: 10 }, { count: 0, of: 200 }).low).toBeCloseTo(
    0.0125 ** (1 / 10) / (1 - 0.0125 ** (1 / 200)),
    6,
  );
});

/** Conversations with facts that depend on each other, as those of agents do. */
function traffic(random: () => number, conversations: number): string[][] {
  return Array.from({ length: conversations }, () => {
    const tool = `t${Math.floor(random() * 12)}`;
    const fails = random() < 0.15;
    const long = random() < 0.3;
    return [
      `tool: ${tool}`,
      `last: ${tool}`,
      ...(fails ? [`failed call: ${tool}`, `error message: boom ${tool}`, 'ended: after a failed call'] : []),
      ...(long ? ['calls: 8 and more', 'answer: 512 and more', `then: ${tool}, ${tool}`, `again: ${tool}`] : []),
      ...Array.from({ length: 40 }, (_, at) => at)
        .filter((at) => random() < 0.5 / (at + 1))
        .map((at) => `noise: ${at}`),
      `segment: ${random() < 0.5 ? 'eu' : 'us'}`,
    ];
  });
}

function sidesOf(all: number, isWithin: (conversation: number) => boolean): Int8Array {
  return Int8Array.from({ length: all }, (_, conversation) => (isWithin(conversation) ? 1 : -1));
}

function tableOf(conversations: readonly (readonly string[])[]) {
  return factTable(conversations.map((facts) => facts.join('\n')));
}

test.each([30, 120])(
  'with labels permuted at random, %i of 600, something is found in at most a tenth of 500 runs',
  (of) => {
    const random = randomFrom(of);
    const conversations = traffic(random, 600);
    const table = tableOf(conversations);
    let found = 0;
    for (let run = 0; run < 500; run += 1) {
      // Two contrasts of the same labels and one of others, as groups overlap.
      const drawn = new Set(
        conversations
          .map((_, at) => ({ at, lot: random() }))
          .toSorted((a, b) => a.lot - b.lot)
          .slice(0, of)
          .map(({ at }) => at),
      );
      const contrasts: Contrast[] = [
        { name: 'one', sides: sidesOf(600, (one) => drawn.has(one)) },
        { name: 'same', sides: sidesOf(600, (one) => drawn.has(one)) },
        { name: 'other', sides: sidesOf(600, () => random() < of / 600) },
      ];
      if (findsIn(table, contrasts).finds.length > 0) found += 1;
    }
    expect(found).toBeLessThanOrEqual(50);
  },
);

test('a planted fact is found, once, with those of the same conversations', () => {
  const random = randomFrom(3);
  let found = 0;
  for (let run = 0; run < 60; run += 1) {
    const conversations = traffic(random, 800);
    const isBad = conversations.map((facts) => (facts.includes('failed call: t3') ? random() < 0.9 : random() < 0.03));
    const { finds, lookedAt, sizes } = findsIn(tableOf(conversations), [
      { name: 'bad', sides: sidesOf(800, (one) => isBad[one] === true) },
    ]);
    if (isBad.filter(Boolean).length < 25) continue;
    expect(lookedAt).toBeGreaterThan(20);
    expect(sizes).toHaveLength(1);
    const [first] = finds;
    const all = [first?.fact ?? '', ...(first?.withIt ?? [])];
    if (all.includes('failed call: t3') && all.includes('error message: boom t3')) found += 1;
    expect(finds.filter(({ fact }) => fact.endsWith('t3')).length).toBeLessThanOrEqual(2);
    expect(first?.members.every((one) => isBad[one] === true)).toBe(true);
    expect(first?.within.count).toBe(first?.members.length);
  }
  expect(found).toBeGreaterThanOrEqual(12);
});

test('two causes are two finds, although a third of the conversations have both', () => {
  const conversations = Array.from({ length: 600 }, (_, at) => [
    `plain: ${at % 7}`,
    ...(at < 40 || at % 60 === 0 ? ['error message: a'] : []),
    ...((at >= 25 && at < 60) || at % 50 === 7 ? ['user: corrects'] : []),
  ]);
  const { finds } = findsIn(tableOf(conversations), [{ name: 'bad', sides: sidesOf(600, (at) => at < 60) }]);
  expect(finds.map(({ fact }) => fact).toSorted()).toEqual(['error message: a', 'user: corrects']);
});

test('of a broad fact that only includes a stronger one nothing is said of its own', () => {
  const conversations = Array.from({ length: 900 }, (_, at) => [
    ...(at % 4 === 0 || at < 40 ? ['tool: refund'] : ['tool: search']),
    ...(at < 40 ? ['failed call: refund'] : []),
  ]);
  const { finds } = findsIn(tableOf(conversations), [
    { name: 'bad', sides: sidesOf(900, (at) => at < 40 || at % 45 === 1) },
  ]);
  expect(finds).toMatchObject([{ fact: 'failed call: refund', withIt: ['tool: refund'] }]);
});

test('facts that are true by construction, and conversations on neither side, are left out', () => {
  const conversations = Array.from({ length: 200 }, (_, at) => [
    at < 30 ? 'failed: support/told' : 'fine: yes',
    ...(at < 25 ? ['error message: a'] : []),
    // Only conversations of neither side have it.
    ...(at >= 100 ? ['elsewhere: yes'] : []),
  ]);
  const sides = Int8Array.from({ length: 200 }, (_, at) => (at < 30 ? 1 : at < 100 ? -1 : 0));
  const { finds, sizes } = findsIn(tableOf(conversations), [
    { name: 'failed', sides, isTrivial: (fact) => fact.startsWith('failed: ') },
  ]);
  expect(finds.map(({ fact }) => fact)).toEqual(['error message: a']);
  expect(sizes).toEqual([{ name: 'failed', within: 30, beside: 70 }]);
});

test('a fact that a conversation has twice counts once', () => {
  const table = factTable(['a\nb\na', 'b\n\nb']);
  expect(table.facts).toEqual(['a', 'b']);
  expect(table.shapes.map(({ facts }) => facts)).toEqual([[0, 1], [1]]);
});

test('in fewer than eight conversations nothing is looked for', () => {
  const table = tableOf(Array.from({ length: 400 }, (_, at) => (at < 7 ? ['error message: a'] : ['fine: yes'])));
  const found = findsIn(table, [{ name: 'few', sides: sidesOf(400, (at) => at < 7) }]);
  expect(found).toEqual({ finds: [], lookedAt: 0, sizes: [] });
});

test('new facts are those that none of the others has', () => {
  const conversations = Array.from({ length: 400 }, (_, at) => [
    ...(at < 20 ? ['tool: new'] : []),
    ...(at < 30 || at === 300 ? ['tool: nearly new'] : []),
    'tool: old',
  ]);
  const { finds } = findsIn(tableOf(conversations), [
    { name: 'new', sides: sidesOf(400, (at) => at < 60), isOfNew: true },
  ]);
  expect(finds.map(({ fact }) => fact)).toEqual(['tool: new']);
});

test('hostile facts: different ones in every conversation cost nothing and find nothing', () => {
  const lines = Array.from({ length: 3_000 }, (_, at) =>
    Array.from({ length: 72 }, (_one, place) => `tool: ${at} ${place} __proto__ (a+)+$`).join('\n'),
  );
  const table = factTable(lines);
  expect(table.facts.length).toBeLessThanOrEqual(100_000);
  const { finds, lookedAt } = findsIn(table, [{ name: 'bad', sides: sidesOf(3_000, (at) => at % 10 === 0) }]);
  expect([finds, lookedAt]).toEqual([[], 0]);
});

test('of two that say the same, the one that says what went wrong is shown, with its own figures', () => {
  const facts = (is: boolean, at: number) => [
    ...(is ? ['answer: 64 and more', ...(at % 15 === 0 ? [] : ['failed call: pay'])] : []),
    'ended: with an answer',
  ];
  const table = factTable(Array.from({ length: 120 }, (_, at) => facts(at < 30, at).join('\n')));
  const sides = Int8Array.from({ length: 120 }, (_, at) => (at < 60 ? 1 : -1));

  expect(findsIn(table, [{ name: 'list', sides }]).finds).toMatchObject([
    { fact: 'failed call: pay', within: { count: 28, of: 60 }, withIt: ['answer: 64 and more'] },
  ]);
});
