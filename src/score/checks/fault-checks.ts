/** Checks for faults that an answer or a call shows beside the user's own words and the results of tools. By the names that suites use. */
import { admitsFailedRun } from './admits-failed-run.ts';
import { agreesWithStatus } from './agrees-with-status.ts';
import { answerIsForAPerson } from './answer-is-for-a-person.ts';
import { argumentsAsAsked } from './arguments-as-asked.ts';
import { asksForWhatIsMissing } from './asks-for-what-is-missing.ts';
import type { BuiltInCheck } from './built-in-check.ts';
import { changeMadeOnce } from './change-made-once.ts';
import { failureHasNextStep } from './failure-has-next-step.ts';
import { noIdenticalLoop } from './no-identical-loop.ts';
import { noUnchangedRetry } from './no-unchanged-retry.ts';

export const FAULT_CHECKS: readonly (readonly [string, BuiltInCheck])[] = [
  ['answer_is_for_a_person', answerIsForAPerson],
  ['asks_for_what_is_missing', asksForWhatIsMissing],
  ['agrees_with_status', agreesWithStatus],
  ['admits_failed_run', admitsFailedRun],
  ['arguments_as_asked', argumentsAsAsked],
  ['change_made_once', changeMadeOnce],
  ['failure_has_next_step', failureHasNextStep],
  ['no_identical_loop', noIdenticalLoop],
  ['no_unchanged_retry', noUnchangedRetry],
];
