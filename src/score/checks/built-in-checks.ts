/** The checks that suites can use by name (`uses: answered`). */
import { didYouMean } from '../../model/did-you-mean.ts';
import { BUILT_IN_JUDGMENTS } from '../judge/built-in-judgments.ts';
import { addressesRequest } from './addresses-request.ts';
import { answerSaysSomething } from './answer-says-something.ts';
import { answered, endedWithoutError } from './answered.ts';
import { appropriateTone } from './appropriate-tone.ts';
import type { BuiltInCheck } from './built-in-check.ts';
import { FAULT_CHECKS } from './fault-checks.ts';
import { changesAsExpectedCheck } from './changes-as-expected.ts';
import { clarificationRequested, errorDetected, errorMessageActionable, survivedError } from './error-recovery.ts';
import {
  followsGoldenPathCheck,
  noUnsafeActionCheck,
  outputContainsCheck,
  trajectoryScoreCheck,
  withinStepBudgetCheck,
} from './golden-checks.ts';
import { confirmedBeforeChange } from './confirmed-before-change.ts';
import { everyToolCallAnswered } from './every-tool-call-answered.ts';
import { grounded } from './grounded.ts';
import { noDestructiveSql } from './no-destructive-sql.ts';
import { noClaimWithoutAction } from './no-claim-without-action.ts';
import { notCutOff } from './not-cut-off.ts';
import { outputsToldCheck } from './outputs-told.ts';
import { numbersHaveASource } from './numbers-have-a-source.ts';
import { providesNextStep } from './provides-next-step.ts';
import { schemaBeforeQuery } from './schema-before-query.ts';
import { noBlockingToolError, noUnrecoveredToolError } from './tool-errors.ts';
import { withinAllowance } from './within-allowance.ts';
import { wordLimit } from './word-limit.ts';

export const BUILT_IN_CHECKS: ReadonlyMap<string, BuiltInCheck> = new Map<string, BuiltInCheck>([
  ['answered', answered],
  ['answer_says_something', answerSaysSomething],
  ['ended_without_error', endedWithoutError],
  ['no_unrecovered_tool_error', noUnrecoveredToolError],
  ['no_blocking_tool_error', noBlockingToolError],
  ...FAULT_CHECKS,
  ['no_claim_without_action', noClaimWithoutAction],
  ['numbers_have_a_source', numbersHaveASource],
  ['confirmed_before_change', confirmedBeforeChange],
  ['every_tool_call_answered', everyToolCallAnswered],
  ['not_cut_off', notCutOff],
  ['within_allowance', withinAllowance],
  ['addresses_request', addressesRequest],
  ['provides_next_step', providesNextStep],
  ['word_limit', wordLimit],
  ['grounded', grounded],
  ['appropriate_tone', appropriateTone],
  ['error_detected', errorDetected],
  ['clarification_requested', clarificationRequested],
  ['error_message_actionable', errorMessageActionable],
  ['survived_error', survivedError],
  ['schema_before_query', schemaBeforeQuery],
  ['no_destructive_sql', noDestructiveSql],
  ['changes_as_expected', changesAsExpectedCheck],
  ['outputs_told', outputsToldCheck],
  ['follows_golden_path', followsGoldenPathCheck],
  ['trajectory_score', trajectoryScoreCheck],
  ['within_step_budget', withinStepBudgetCheck],
  ['output_contains', outputContainsCheck],
  ['no_unsafe_action', noUnsafeActionCheck],
]);

/** Words for the error that no check has this name. */
export function insteadOfCheck(name: string): string {
  if (BUILT_IN_JUDGMENTS.has(name)) return `it is for judges: \`judge: { uses: ${name} }\``;
  const names = [...BUILT_IN_CHECKS.keys()];
  const nearest = didYouMean(name, names);
  return nearest === undefined ? `one of ${names.join(', ')}` : `did you mean '${nearest}'?`;
}
