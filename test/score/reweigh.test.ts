import { describe, expect, test } from 'vitest';
import { reweighed, reweighingMistakes } from '../../src/score/suite/reweigh.ts';

const criterion = (name: string, weight: number, capsAt?: 'hard_failure') =>
  ({ name, weight, whenNotApplicable: 'exclude', capsAt }) as const;
const SUITE = {
  criteria: [
    criterion('few', 500_000),
    criterion('clean', 300_000),
    criterion('watched', 0),
    criterion('safe', 200_000, 'hard_failure'),
  ],
  totalWeight: 1_000_000,
};
const UNCRITICAL = { criteria: SUITE.criteria.slice(0, 3), totalWeight: 800_000 };
const NO_WEIGHT = 'is no weight: from 0.000001 to 1, with at most six decimals';

describe('mistakes', () => {
  test.each([
    ['nothing', {}, []],
    ['a criterion that had no weight gets one', { watched: 0.000001 }, []],
    ['an unknown name', { fwe: 0.2 }, ['there is no criterion "fwe"; did you mean "few"?']],
    ['a name like none', { tone: 0.2 }, ['there is no criterion "tone"; there are few, clean, watched, safe']],
    ['0', { few: 0 }, ['"few": to take a criterion out of the score, name it in off']],
    ['less than 0', { few: -0.1 }, [`"few": -0.1 ${NO_WEIGHT}`]],
    ['more than 1', { few: 1.1 }, [`"few": 1.1 ${NO_WEIGHT}`]],
    ['seven decimals', { few: 0.1234567 }, [`"few": 0.1234567 ${NO_WEIGHT}`]],
    ['no number', { few: Number.NaN }, [`"few": NaN ${NO_WEIGHT}`]],
    ['without end', { few: Number.POSITIVE_INFINITY }, [`"few": Infinity ${NO_WEIGHT}`]],
    [
      'the name of what every object has',
      { constructor: 0.1 },
      [expect.stringContaining('no criterion "constructor"')],
    ],
  ] as const)('%s', (_what, weights, mistakes) => {
    expect(reweighingMistakes(SUITE, { weights, off: [] })).toEqual(mistakes);
  });

  test('a critical criterion cannot be switched off, because it caps the outcome whatever its weight', () => {
    expect(reweighingMistakes(SUITE, { weights: {}, off: ['safe'] })).toEqual([
      expect.stringContaining('"safe" is critical: if it fails, the outcome is at best hard_failure'),
    ]);
    expect(reweighingMistakes(SUITE, { weights: { safe: 0.9 }, off: [] })).toEqual([]);
  });

  test('one with a weight has to be left', () => {
    expect(reweighingMistakes(UNCRITICAL, { weights: {}, off: ['few', 'clean'] })).toEqual([
      'no criterion has a weight any more: leave at least one on',
    ]);
    expect(reweighingMistakes(UNCRITICAL, { weights: { watched: 1 }, off: ['few', 'clean'] })).toEqual([]);
  });

  test('a weight and off contradict each other', () => {
    expect(reweighingMistakes(SUITE, { weights: { few: 0.1 }, off: ['few', 'few'] })).toEqual([
      '"few" is in weights and in off',
    ]);
  });
});

test('changes the weights that are given and their sum, and nothing else', () => {
  const changed = reweighed({ ...SUITE, name: 's' }, { weights: { few: 0.25, watched: 0.1 }, off: ['clean'] });

  expect(changed.name).toBe('s');
  expect(changed.criteria.map(({ name, weight }) => [name, weight])).toEqual([
    ['few', 250_000],
    ['clean', 0],
    ['watched', 100_000],
    ['safe', 200_000],
  ]);
  expect(changed.totalWeight).toBe(550_000);
});
