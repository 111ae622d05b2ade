/** Weights that a reader moved, in the address and back. */
import { describe, expect, test } from 'vitest';
import type { SuiteList } from '../../src/api/suite-list.ts';
import {
  ignoredIn,
  mistakeIn,
  movedIn,
  sharesOf,
  UNMOVED,
  whyNoShares,
  withMoved,
  withSwitch,
  withWeight,
} from '../../src/page/suites/weights.ts';

const criterion = (name: string, written: number, critical = false) =>
  ({
    name,
    question: '?',
    kind: 'check',
    about: 'task',
    needs: [],
    weight: written,
    written_weight: written,
    critical,
    asked: 0,
  }) as const;
const SUITE: SuiteList['suites'][number] = {
  name: 'calls',
  version: '1',
  scope: 'conversation',
  live: true,
  about: 'task',
  looked_at: 0,
  cut: false,
  criteria: [criterion('few', 0.5), criterion('clean', 0.3), criterion('safe', 0.4, true)],
};
const [few, clean, safe] = SUITE.criteria;
const inAddress = (search: string, isFirst = true) => movedIn(new URLSearchParams(search), SUITE, { isFirst });

test('what was moved goes into the address and comes back', () => {
  if (few === undefined || clean === undefined) throw new Error('there are three');
  const moved = withSwitch(withWeight(UNMOVED, few, '0.25'), 'clean', { isOn: false });

  const query = withMoved(new URLSearchParams('since=7d&agent=a'), 'calls', moved);

  expect(decodeURIComponent(query.toString())).toBe('since=7d&agent=a&suite=calls&weights=few:0.25&off=clean');
  expect(movedIn(query, SUITE, { isFirst: false })).toEqual(moved);
  expect(withMoved(query, 'calls', UNMOVED).toString()).toBe('since=7d&agent=a');
});

describe('an address that somebody wrote', () => {
  test('is of the first suite where it names none, and of no other than it names', () => {
    expect([...inAddress('weights=few:0.3,clean:0.1').weights]).toEqual([
      ['few', '0.3'],
      ['clean', '0.1'],
    ]);
    expect(inAddress('weights=few:0.3', false)).toEqual(UNMOVED);
    expect(inAddress('suite=others&weights=few:0.3')).toEqual(UNMOVED);
  });

  test('names what there is; a critical criterion stays on, and one that is off has no weight', () => {
    expect(inAddress('weights=tone:0.3,few&off=safe,tone')).toEqual(UNMOVED);
    expect(inAddress('weights=few:0.3&off=few')).toEqual({ weights: new Map(), off: new Set(['few']) });
  });
});

test('a weight moved back is not moved, and one switched on again has the weight of the suite', () => {
  if (few === undefined || safe === undefined) throw new Error('there are three');
  expect(withWeight(withWeight(UNMOVED, few, '0.2'), few, '0.50')).toEqual(UNMOVED);
  expect(withSwitch(withSwitch(UNMOVED, 'few', { isOn: false }), 'few', { isOn: true })).toEqual(UNMOVED);
  expect(withWeight(UNMOVED, few, '').weights.get('few')).toBe('');
});

test.each([
  ['0.25', undefined],
  ['1', undefined],
  ['0.000001', undefined],
  ['', 'a number from 0.000001 to 1'],
  ['x', 'a number from 0.000001 to 1'],
  ['0', 'more than 0, or switch it off'],
  ['-0.1', 'more than 0, at most 1'],
  ['1.01', 'more than 0, at most 1'],
  ['0.1234567', 'at most six decimals'],
])('%s: %s', (weight, mistake) => {
  expect(mistakeIn(weight)).toBe(mistake);
});

test('shares are of what is on, and of nothing where nothing is left or a weight is none', () => {
  const shares = sharesOf(SUITE, { weights: new Map([['few', '0.1']]), off: new Set(['clean']) });

  expect([...(shares ?? [])]).toEqual([
    ['few', 0.2],
    ['clean', 0],
    ['safe', 0.8],
  ]);
  expect(sharesOf(SUITE, { weights: new Map([['few', '']]), off: new Set() })).toBeUndefined();
  expect(sharesOf(SUITE, { weights: new Map(), off: new Set(['few', 'clean', 'safe']) })).toBeUndefined();
});

test('where nothing can be weighed, each reason is a sentence', () => {
  const why = (weights: Readonly<Record<string, string>>, off: readonly string[] = []) =>
    whyNoShares(SUITE, { weights: new Map(Object.entries(weights)), off: new Set(off) });

  expect(why({ few: '-1', clean: '1e9', safe: '' })).toEqual([
    'The weight of few is -1. It takes more than 0, at most 1.',
    'The weight of clean is 1e9. It takes more than 0, at most 1.',
    'The weight of safe is empty. It takes a number from 0.000001 to 1.',
  ]);
  expect(why({}, ['few', 'clean', 'safe'])).toEqual(['Every criterion is off. Switch one on.']);
  expect(why({ few: '0.5' }, ['clean'])).toEqual([]);
});

test('parts of an address that the suite has no use for are named', () => {
  const ignored = (search: string, isFirst = true) => ignoredIn(new URLSearchParams(search), SUITE, { isFirst });

  expect(ignored('weights=tone:0.3,few:0.1,clean&off=safe,few,nope')).toEqual([
    'It has no criterion for the weight tone:0.3.',
    'It has no criterion for the weight clean.',
    'safe is critical and stays on.',
    'It has no criterion nope.',
  ]);
  expect(ignored('suite=others&weights=tone:0.3')).toEqual([]);
  expect(ignored('weights=tone:0.3', false)).toEqual([]);
});
