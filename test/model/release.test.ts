/** One answer of a release for many agents. */
import { expect, test } from 'vitest';
import { fleetOf, releaseOf } from '../../src/model/release.ts';

const of = (evidence: readonly number[], decision: 'promote' | 'hold' = 'hold', cases = 1) =>
  fleetOf(
    evidence.map((traffic, at) => ({ agent: `a${at}`, decision, traffic })),
    cases,
  );

test('agents are called worse by their order, so that of those that are called so few are not', () => {
  expect(of([401, 1, 1, 0.5, 0.1, 2, 1, 1, 1, 1]).worse).toEqual(['a0']);
  // 80 each would be too little for one of ten alone, and is enough for five.
  expect(of([80, 80, 80, 80, 80, 1, 1, 1, 1, 1]).worse).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
  expect(of([300, 1, 1, 1, 1, 1, 1, 1, 1, 1])).toMatchObject({ worse: [], decision: 'hold' });
});

test('evidence of many agents that are a little worse adds up', () => {
  const found = of(Array.from({ length: 10 }, () => 45));

  expect(found).toMatchObject({ decision: 'roll_back', evidence: 45 });
  expect(found.worse).toHaveLength(10);
  expect(
    of(
      Array.from({ length: 4 }, () => 0.2),
      'promote',
    ),
  ).toMatchObject({ decision: 'promote' });
});

test('cases that have not shown to keep their limit hold a version back that traffic would promote', () => {
  const known = {
    ...{
      change: { lower: -0.02, upper: 0.01 },
      because: undefined,
      conversationsNeeded: undefined,
      allowed: 0.05,
      beside: { a: 300, b: 300 },
      about: undefined,
    },
    evidence: { cases: 2, traffic: 0.5 },
  };

  expect(releaseOf({ ...known, cases: undefined }).decision).toBe('promote');
  expect(releaseOf({ ...known, cases: 'kept' }).decision).toBe('promote');
  expect(releaseOf({ ...known, cases: 'open' })).toMatchObject({
    decision: 'hold',
    sentence: expect.stringContaining('the cases'),
  });
  expect(releaseOf({ ...known, cases: 'kept', because: 'it is the version before' }).decision).toBe('hold');
  expect(releaseOf({ ...known, cases: 'kept', evidence: { cases: 180, traffic: 0.5 } }).decision).toBe('roll_back');
});

test('a suite about form promotes by its own words, and says what it does not know', () => {
  const { sentence } = releaseOf({
    ...{ change: { lower: -0.02, upper: 0.01 }, because: undefined, conversationsNeeded: undefined, allowed: 0.05 },
    beside: { a: 300, b: 300 },
    ...{ evidence: { cases: 1, traffic: 1 }, cases: undefined, about: 'form' },
  });

  expect(sentence).toContain('the share without a fault moved by');
  expect(sentence).toContain('says nothing about whether the task was done');
});
