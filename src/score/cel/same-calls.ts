/**
 * `same_calls(calls, expected)`: whether the calls that came to their end and did not fail are the expected ones, each as often, in any order
 * and with at least the expected arguments. An expected call is a map, as ground truth has it: `{name, args}`.
 */
import { EvaluationError } from '@marcbachmann/cel-js';
import type { Json } from '../../model/json.ts';
import { compareCalls, describeDifferences, isSame, type MadeCall } from '../expected/compare-calls.ts';
import { expectedActionsIn } from '../expected/expected-actions.ts';
import { argumentsGap } from '../subject/needs.ts';
import { ContentGap, ToolCallView } from './views.ts';

export function sameCalls(calls: readonly unknown[], expected: readonly unknown[]): boolean {
  const { made, comparison } = compared(calls, expected);
  if (isSame(comparison)) return true;
  const [suspect] = [...comparison.different.map((one) => one.made), ...comparison.extra];
  // Looked at last, it is the evidence.
  if (suspect !== undefined) made[suspect]?.view.look();
  return false;
}

/** Which call is missing, which is too much and which argument differs. */
export function callDifferences(calls: readonly unknown[], expected: readonly unknown[]): string {
  const { made, comparison } = compared(calls, expected);
  return `${describeDifferences(comparison, made)}.`;
}

function compared(calls: readonly unknown[], expected: readonly unknown[]) {
  const views = calls.map((call) => {
    if (call instanceof ToolCallView) return call;
    throw new EvaluationError('same_calls takes a list of tool calls first');
  });
  const done = views.filter((view) => view.ok && !view.failed);
  const gap = argumentsGap(done.map((view) => view.look()));
  if (gap !== undefined) throw new ContentGap(gap);
  // A tool without arguments has none to record.
  const made = done.map((view): MadeCall & { readonly view: ToolCallView } => {
    const { name, args } = view.look();
    return { name, args: args.state === 'missing' ? {} : args.json, view };
  });
  const wanted = expectedActionsIn({ actions: toJson(expected) }) ?? [];
  return { made, comparison: compareCalls(wanted, made) };
}

/** A value of an expression: literals of maps are Maps, and whole numbers are bigints. */
function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Set) return [...value].map(toJson);
  const entries: [string, unknown][] =
    value instanceof Map ? [...value].map(([key, one]) => [String(key), one]) : Object.entries(value);
  return Object.fromEntries(entries.map(([key, one]) => [key, toJson(one)]));
}
