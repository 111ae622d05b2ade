import { expect, test } from 'vitest';
import { OUTCOMES } from '../../src/model/evaluation.ts';
import {
  FAILED_OUTCOMES,
  isGood,
  isInSuccessRate,
  isScored,
  SCORED_OUTCOMES,
  severityOf,
} from '../../src/model/severity.ts';

test('outcomes have the severities that stores and their SQL texts know: 0 is no failure, 1 to 3 are failures', () => {
  expect(SCORED_OUTCOMES.map((outcome) => [severityOf(outcome), OUTCOMES.indexOf(outcome), outcome])).toEqual([
    [0, 0, 'successful_completion'],
    [0, 5, 'no_fault_found'],
    [0, 6, 'handed_over'],
    [1, 1, 'graceful_failure'],
    [2, 2, 'partial_failure'],
    [3, 3, 'hard_failure'],
  ]);
  expect(OUTCOMES.filter(isGood)).toEqual(['successful_completion', 'no_fault_found']);
  expect(FAILED_OUTCOMES).toEqual(['graceful_failure', 'partial_failure', 'hard_failure']);
});

test('what is not scored is neither a success nor a failure', () => {
  expect(OUTCOMES.filter((outcome) => !isScored(outcome))).toEqual(['unscored']);
  expect(isGood('unscored')).toBe(false);
  expect(OUTCOMES.filter((outcome) => !isInSuccessRate(outcome))).toEqual(['unscored', 'handed_over']);
});
