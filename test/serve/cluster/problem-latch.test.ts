import { expect, test } from 'vitest';
import { Problems } from '../../../src/serve/cluster/problem-latch.ts';

test('the first problem is said, and the end of the last', () => {
  const said: (string | undefined)[] = [];
  const problems = new Problems((problem) => said.push(problem));

  problems.over('file');
  problems.said('file', new Error('away'));
  problems.said('file', new Error('still away'));
  problems.changed('judge', 'away, too');
  problems.over('file');
  expect(said).toEqual(['away']);
  problems.changed('judge', undefined);
  problems.over('judge');

  expect(said).toEqual(['away', undefined]);
});
