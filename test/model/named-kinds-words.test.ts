import { expect, test } from 'vitest';
import { unseenWords } from '../../src/model/named-kinds-words.ts';

test('failures without a kind are those of the sample, which may be fewer than all readings without one', () => {
  const says = (unnamed: number) => unseenWords({ kinds: 4, lower: 0.031, upper: 0.135, unnamed });

  expect(says(0)).toBe('You have seen 4 kinds; the next failure is of a new kind with probability 3 to 14 %.');
  expect(says(1)).toMatch(/ %\. Naming the 1 failure without a kind in the random sample of this time narrows it\.$/);
  expect(says(6)).toMatch(/ %\. Naming the 6 failures without a kind in the random sample of this time narrows it\.$/);
});
