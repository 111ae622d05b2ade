/**
 * Classifies the result of a call:
 *
 *     error     the call failed, or its result says so (see `tool-failure.ts`)
 *     list      a list, or an object that holds one: `{tickets: […], next: …}`
 *     text      text that is no JSON, or the text parts that MCP wraps it in
 *     success   anything but an error; expected, it stands for `list` and `text` too
 */
import { failureIn } from '../../model/tool-failure.ts';
import type { ToolCall } from '../../model/turn.ts';
import type { Observation } from './golden-trace.ts';

/** Undefined where the result is not known. */
export function observationOf(call: Pick<ToolCall, 'error' | 'answered' | 'result'>): Observation | undefined {
  if (call.error !== undefined) return 'error';
  if (!call.answered || call.result.state !== 'whole') return undefined;
  const { json } = call.result;
  if (Array.isArray(json)) return 'list';
  if (typeof json === 'string') return 'text';
  if (typeof json !== 'object' || json === null) return 'success';
  if (failureIn(json) !== undefined) return 'error';
  const members = Object.entries(json);
  if (members.length === 1 && members[0]?.[0] === 'content') return 'text';
  return members.some(([, member]) => Array.isArray(member)) ? 'list' : 'success';
}

/** A result that was not recorded never counts against the run. */
export function isExpected(observed: Observation | undefined, expected: Observation | undefined): boolean {
  if (observed === undefined || expected === undefined) return true;
  return expected === 'success' ? observed !== 'error' : observed === expected;
}
