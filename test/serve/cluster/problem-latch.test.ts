import { expect, test } from 'vitest';
import { ProblemLatch } from '../../../src/serve/cluster/problem-latch.ts';

test('the first problem is said, and the end of the last', () => {
  const said: (string | undefined)[] = [];
  const problems = new ProblemLatch((problem) => said.push(problem));

  problems.over('file');
  problems.said('file', new Error('away'));
  problems.said('file', new Error('still away'));
  problems.said('judge', 'away, too');
  problems.over('file');
  expect(said).toEqual(['away']);
  problems.over('judge');

  expect(said).toEqual(['away', undefined]);
});
