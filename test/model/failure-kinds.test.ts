import { expect, test } from 'vitest';
import { failureKinds } from '../../src/model/failure-kinds.ts';
import { kindsText } from '../../src/page/text/kinds.ts';

test('kinds are counted by their outcome, the most frequent first', () => {
  const kinds = failureKinds([
    { outcome: 'graceful_failure', because: 'loop' },
    { outcome: 'graceful_failure', because: 'constructor' },
    { outcome: 'graceful_failure', because: 'constructor' },
    { outcome: 'hard_failure', because: 'loop' },
    { outcome: 'hard_failure' },
    { outcome: 'successful_completion' },
  ]);

  expect(kinds).toEqual({ graceful_failure: { constructor: 2, loop: 1 }, hard_failure: { loop: 1 } });
  expect(Object.keys(kinds.graceful_failure ?? {})).toEqual(['constructor', 'loop']);
});

test('a count says its kinds, and of how many where not all say theirs', () => {
  expect(kindsText({ refusal: 8, loop: 2 }, 10)).toBe('8 refusal, 2 loop');
  expect(kindsText({ refusal: 8, loop: 2 }, 12)).toBe('of 10: 8 refusal, 2 loop');
  expect(kindsText({ a: 5, b: 4, c: 3, d: 2, e: 1 }, 15)).toBe('5 a, 4 b, 3 c, 2 more kinds');
  expect(kindsText({}, 3)).toBeUndefined();
  expect(kindsText(undefined, 3)).toBeUndefined();
});
