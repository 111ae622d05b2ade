import { expect, test } from 'vitest';
import { OUTCOMES } from '../../src/model/evaluation.ts';
import { FAILED_OUTCOMES, isScored, isSuccess, SCORED_OUTCOMES, severityOf } from '../../src/model/severity.ts';

test('outcomes have the severities that stores and their SQL texts know: 0 is a success, 1 to 3 are failures', () => {
  expect(SCORED_OUTCOMES.map((outcome) => [severityOf(outcome), OUTCOMES.indexOf(outcome), outcome])).toEqual([
    [0, 0, 'successful_completion'],
    [1, 1, 'graceful_failure'],
    [2, 2, 'partial_failure'],
    [3, 3, 'hard_failure'],
  ]);
  expect(SCORED_OUTCOMES.filter(isSuccess)).toEqual(['successful_completion']);
  expect(FAILED_OUTCOMES).toEqual(['graceful_failure', 'partial_failure', 'hard_failure']);
});

test('what is not scored is neither a success nor a failure', () => {
  expect(OUTCOMES.filter((outcome) => !isScored(outcome))).toEqual(['unscored']);
  expect(isSuccess('unscored')).toBe(false);
});
