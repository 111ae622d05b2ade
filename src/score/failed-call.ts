/**
 * Whether a tool call is known to have failed: it ended with an error, or it came back like any other and its result says that
 * what was asked was not done:
 *
 *     {status: 'failed' | 'failure' | 'fail' | 'error', …}        in whatever case
 *     {success: false, …}, {succeeded: false, …}, {ok: false, …}
 *     {error: …} with nothing beside it but what describes the error, and whatever `tool-failure.ts` knows
 *     'Error: …', or an exception as a runtime prints it
 *
 * Only what is said counts. A call that never ended, or whose result was not recorded, is not known to have failed; of a result that
 * was cut, what stands before the cut can say so.
 */
import type { Json } from '../model/json.ts';
import type { Content } from '../model/step.ts';
import { failureIn, isPrintedException } from '../model/tool-failure.ts';
import type { ToolCall } from '../model/turn.ts';

const FAILED_STATUS = /^(?:fail|failed|failure|error)$/i;
const SUCCESS = ['success', 'succeeded', 'ok'] as const;
const OF_AN_ERROR: ReadonlySet<string> = new Set([
  ...['error', 'error_message', 'errorMessage', 'message', 'detail', 'details', 'reason', 'type'],
  ...['code', 'error_code', 'errorCode', 'error_type', 'errorType', 'status', 'status_code', 'statusCode', 'retryable'],
]);

export function hasFailed({ error, result }: Pick<ToolCall, 'error' | 'result'>): boolean {
  return error !== undefined || saysFailure(result);
}

function saysFailure({ state, json }: Content): boolean {
  if (state !== 'whole' && state !== 'truncated') return false;
  if (typeof json === 'string') return /^error: \S/i.test(json) || isPrintedException(json);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return false;
  const members = Object.entries(json);
  // The last that is there may be half of what was written, and what else there was is not known.
  if (state === 'truncated') return isStatedIn(new Map(members.slice(0, -1)));
  return isStatedIn(new Map(members)) || isNothingButAnError(members) || failureIn(json) !== undefined;
}

function isStatedIn(members: ReadonlyMap<string, Json>): boolean {
  const status = members.get('status');
  if (typeof status === 'string' && FAILED_STATUS.test(status)) return true;
  return SUCCESS.some((name) => members.get(name) === false);
}

function isNothingButAnError(members: readonly (readonly [string, Json])[]): boolean {
  return members.every(([name]) => OF_AN_ERROR.has(name)) && members.some((member) => isError(member));
}

function isError([name, value]: readonly [string, Json]): boolean {
  if (name !== 'error') return false;
  return typeof value === 'string' ? value.trim() !== '' : typeof value === 'object' && value !== null;
}
