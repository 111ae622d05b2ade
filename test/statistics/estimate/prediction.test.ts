import { expect, test } from 'vitest';
import { randomFrom } from '../../../src/model/random.ts';
import { foretold, learn, type Lesson, type Prediction } from '../../../src/statistics/estimate/prediction.ts';

/** Conversations that go well as often as their tool does, with facts that say nothing beside it. */
function lessons(count: number, seed: number): readonly Lesson[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const isSearch = random() < 0.5;
    const noise = Array.from({ length: 6 }, (_, at) => (random() < 0.5 ? [`noise: ${at}`] : [])).flat();
    return {
      facts: [isSearch ? 'tool: search' : 'tool: refund', ...noise],
      isGood: random() < (isSearch ? 0.9 : 0.3),
    };
  });
}

function learned(of: readonly Lesson[]): Prediction {
  const prediction = learn(of);
  if (prediction === undefined) throw new Error('nothing was learned');
  return prediction;
}

test('it learns which facts go with success, and says which ones moved it', () => {
  const prediction = learned(lessons(400, 1));
  const search = foretold(prediction, ['tool: search', 'noise: 1']);
  const refund = foretold(prediction, ['tool: refund', 'noise: 1']);

  expect(search?.chance).toBeGreaterThan(0.8);
  expect(search?.chance).toBeLessThan(0.97);
  expect(refund?.chance).toBeGreaterThan(0.2);
  expect(refund?.chance).toBeLessThan(0.4);
  expect(search?.movedBy[0]?.[0]).toBe('tool: search');
  const odds = search?.movedBy.reduce((sum, [, by]) => sum + by, prediction.base) ?? 0;
  expect(search?.chance).toBeCloseTo(1 / (1 + Math.exp(-odds)), 12);
});

test('it ranks conversations that it has not seen, with few readings as well', () => {
  const of = (seed: number, count: number) => {
    const prediction = learned(lessons(count, seed));
    const seen = lessons(300, seed + 1000).map(({ facts, isGood }) => ({
      chance: foretold(prediction, facts)?.chance ?? 0.5,
      isGood,
    }));
    const [good, bad] = [seen.filter(({ isGood }) => isGood), seen.filter(({ isGood }) => !isGood)];
    const wins = good.flatMap((one) => bad.map((other) => Number(one.chance > other.chance)));
    return wins.reduce((sum, one) => sum + one, 0) / wins.length;
  };
  const areas = Array.from({ length: 10 }, (_, seed) => of(seed + 1, 50));
  expect(areas.reduce((sum, one) => sum + one, 0) / areas.length).toBeGreaterThan(0.72);
});

test('it is silent about kinds that nobody has read, whatever else they have in common', () => {
  const prediction = learned(lessons(60, 3));
  expect(foretold(prediction, ['tool: search'])).toBeDefined();
  expect(foretold(prediction, ['tool: search', 'calls: 2 and more'])).toBeDefined();
  for (const kind of ['tool: delete', 'segment: eu', 'prompt: v2', 'language: de', 'intent: billing'])
    expect(foretold(prediction, ['tool: search', kind])).toBeUndefined();
});

test('it learns nothing of too few readings, or of readings that all say the same', () => {
  expect(learn([])).toBeUndefined();
  expect(learn(lessons(19, 1))).toBeUndefined();
  const good = lessons(60, 1).map((one) => ({ ...one, isGood: true }));
  expect(learn(good)).toBeUndefined();
  expect(learn(good.map((one, at) => ({ ...one, isGood: at > 3 })))).toBeUndefined();
  expect(learn(good.map((one, at) => ({ ...one, isGood: at > 4 })))).toBeDefined();
});

test('the same readings give the same prediction, and others another', () => {
  expect(learned(lessons(100, 5))).toEqual(learned(lessons(100, 5)));
  expect(learned(lessons(100, 5)).hash).not.toBe(learned(lessons(100, 6)).hash);
});

test('the weights are those at which the likelihood and the pull to 0 are in balance', () => {
  const of = lessons(200, 7);
  const { base, weights } = learned(of);
  const off = of.map(({ facts, isGood }) => (foretold(learned(of), facts)?.chance ?? 0) - Number(isGood));
  const spread = [...weights.keys()].reduce((sum, fact) => {
    const share = of.filter(({ facts }) => facts.includes(fact)).length / of.length;
    return sum + share * (1 - share);
  }, 0);
  expect(base).toBeTypeOf('number');
  expect(Math.abs(off.reduce((sum, one) => sum + one, 0))).toBeLessThan(0.05);
  for (const [fact, weight] of weights) {
    const pull = of.reduce((sum, { facts }, at) => sum + (facts.includes(fact) ? (off[at] ?? 0) : 0), spread * weight);
    expect(Math.abs(pull)).toBeLessThan(0.05);
  }
});
