import { expect, test } from 'vitest';
import {
  type AskedPair,
  positionLean,
  preferenceIn,
  tallyOf,
} from '../../../../src/statistics/compare/preference/tally.ts';
import { weighPreferences } from '../../../../src/statistics/compare/preference/weigh-preferences.ts';
import type { JudgeOutcome, JudgeRequest } from '../../../../src/model/judging.ts';
import type { Preference } from '../../../../src/model/preference.ts';
import { type Exchange, preferences } from '../../../../src/offline/preference/prefer.ts';
import { PREFERENCES } from '../../../../src/score/judge/preference.ts';
import { randomFrom } from '../../../random.ts';
import { experimentOf, passing } from '../experiments.ts';

const A: Preference = [1, 0];
const B: Preference = [0, 1];
const TIE: Preference = [0, 0];

function pairOf(id: number, straight: AskedPair['straight'], exchanged: AskedPair['exchanged'], a = 'a', b = 'b') {
  return { case: `case-${id}`, a, b, straight, exchanged };
}

test.each<[AskedPair['straight'], AskedPair['exchanged'], Preference | string]>([
  [A, A, A],
  [B, B, B],
  [A, B, TIE],
  [A, TIE, TIE],
  [TIE, TIE, TIE],
  [A, undefined, A],
  [undefined, B, B],
  [A, 'It took too long.', 'It took too long.'],
  ['It took too long.', A, 'It took too long.'],
])('only what holds in both orders is a preference: %j and %j is %j', (straight, exchanged, expected) => {
  expect(preferenceIn(pairOf(1, straight, exchanged))).toEqual(expected);
});

test('wins, ties, contradictions and what was not answered are counted apart', () => {
  const pairs = [
    pairOf(1, A, A),
    pairOf(2, B, B),
    pairOf(3, B, B),
    pairOf(4, A, B),
    pairOf(5, TIE, TIE),
    pairOf(6, 'x', A),
  ];

  expect(tallyOf(pairs)).toMatchObject({
    winsA: 1,
    winsB: 2,
    ties: 2,
    contradictions: 1,
    unanswered: 1,
    casesB: ['case-2', 'case-3'],
  });
});

test('a lean to the first place is what is decided for whoever stands there', () => {
  // The first one wins: a in the given order, b in the exchanged one.
  expect(positionLean([pairOf(1, A, B), pairOf(2, A, B)])).toEqual({ first: 4, decided: 4 });
  expect(positionLean([pairOf(1, B, A)])).toEqual({ first: 0, decided: 2 });
  expect(positionLean([pairOf(1, A, A), pairOf(2, TIE, 'x')])).toEqual({ first: 1, decided: 2 });
});

/** A judge that reads the material as a model would. */
function judgeBy(prefers: (first: string, second: string) => 'first' | 'second' | 'neither') {
  const asked: JudgeRequest[] = [];
  const ask = async (requests: readonly JudgeRequest[]) => {
    asked.push(...requests);
    return requests.map(({ key, material, criteria }) => {
      const items = material
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { readonly item: string; readonly text: string });
      const textOf = (item: string) => items.find((one) => one.item === item)?.text ?? '';
      const preferred = prefers(textOf('first'), textOf('second'));
      const outcome: JudgeOutcome = {
        is: 'answered',
        model: 'test',
        answers: criteria.map(({ name }) => ({
          criterion: name,
          pass: name.startsWith(preferred),
          reason: 'As the test says.',
          quotes: [],
          votes: { yes: 1, of: 1 },
        })),
      };
      return { key, outcome };
    });
  };
  return { ask, asked };
}

const shorter = (first: string, second: string) =>
  first.length === second.length ? 'neither' : first.length < second.length ? 'first' : 'second';

async function preferred(
  answers: Readonly<Record<string, (index: number) => string>>,
  judge: ReturnType<typeof judgeBy>,
  orders: 'both' | 'one' = 'both',
) {
  const cases = 40;
  const experiments = Object.keys(answers).map((name) =>
    experimentOf(name, passing(Array.from({ length: cases }, () => 1))),
  );
  return await preferences({
    experiments,
    exchangeOf: async ({ experiment }, run): Promise<Exchange> => ({
      request: `What of ${run.case}?`,
      answer: answers[experiment.name]?.(Number(run.case.slice('case-'.length))) ?? '',
    }),
    question: PREFERENCES.concise,
    judge: { name: 'default', settings: { fingerprint: 'f', evidenceTokens: 10_000 } },
    orders,
    seed: 7,
    ask: judge.ask,
    onProgress: () => {},
  });
}

test.each(['both', 'one'] as const)('the better answers win, whichever stands first (%s)', async (orders) => {
  const judge = judgeBy(shorter);
  const pairs = await preferred({ long: (at) => `A very long answer ${at}.`, short: (at) => `${at}.` }, judge, orders);
  const { pairs: weighed, lean } = weighPreferences(pairs);
  const [pair] = weighed;

  expect(pair).toMatchObject({ winsA: 0, winsB: 40, ties: 0, unanswered: 0 });
  expect(pair?.p).toBeLessThan(1e-6);
  expect(pair?.share?.lower(0.025)).toBeGreaterThan(0.8);
  expect(judge.asked).toHaveLength(orders === 'both' ? 80 : 40);
  expect(lean.p).toBeGreaterThan(0.05);
});

test('a judge that only looks who stands first prefers nobody, and is found out', async () => {
  const pairs = await preferred(
    { one: (at) => `one ${at}`, other: (at) => `other ${at}` },
    judgeBy(() => 'first'),
  );
  const { pairs: weighed, lean } = weighPreferences(pairs);

  expect(weighed[0]).toMatchObject({ winsA: 0, winsB: 0, ties: 40, contradictions: 40, p: 1 });
  expect(lean.share?.value).toBe(1);
  expect(lean.p).toBeLessThan(1e-6);
});

test('equal answers are a tie, and nobody is asked; equal pairs are asked about once', async () => {
  const equal = judgeBy(shorter);
  const once = judgeBy(shorter);

  const ties = await preferred({ one: () => 'Yes.', other: () => 'Yes.' }, equal);

  expect(equal.asked).toHaveLength(0);
  expect(tallyOf(ties)).toMatchObject({ ties: 40, contradictions: 0 });
  const pairs = await preferred({ one: () => 'Yes.', other: () => 'No, thank you.' }, once);
  // The requests differ, as the cases do.
  expect(once.asked).toHaveLength(80);
  expect(tallyOf(pairs)).toMatchObject({ winsA: 40 });
});

test('more than two are ranked, with intervals', async () => {
  const random = randomFrom(3);
  const noisy = judgeBy((first, second) => {
    // Right in four of five.
    const right = shorter(first, second);
    if (random() < 0.8) return right;
    return right === 'first' ? 'second' : 'first';
  });
  const answers = {
    short: (at: number) => `${at}`,
    middle: (at: number) => `Well, ${at}`,
    long: (at: number) => `Let me see, it is ${at}`,
  };
  const { ranking, pairs } = weighPreferences(await preferred(answers, noisy));

  expect(pairs).toHaveLength(3);
  if (ranking?.is !== 'ranked') throw new Error('there is no ranking');
  expect(ranking.ranked.map(({ name }) => name.replace('2026-11-20-', ''))).toEqual(['short', 'middle', 'long']);
  for (const { lower, strength, upper } of ranking.ranked) {
    expect(lower).toBeLessThan(strength);
    expect(strength).toBeLessThan(upper);
  }
});
