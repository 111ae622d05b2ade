/**
 * Did the agent go round in circles? A loop is the same tool with the same arguments several times in a row, or too often
 * in one turn. Arguments are the same where they are equal as JSON, whatever the order of their keys.
 *
 * An agent that polls calls the same thing on purpose: give such a suite larger numbers.
 */
import { z } from 'zod';
import type { Json } from '../../model/json.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { toExcerpt } from '../sentences.ts';
import { notApplicable } from '../answer.ts';
import { builtInCheck } from './built-in-check.ts';

const DEPTH_MAX = 100;

export const noIdenticalLoop = builtInCheck({
  summary: 'no tool was called again and again with the same arguments',
  params: z.strictObject({
    /** This many times in a row is a loop. */
    in_a_row: z.int('a whole number').min(2, 'at least 2').default(3),
    /** This many times in one turn is a loop. */
    in_a_turn: z.int('a whole number').min(2, 'at least 2').default(5),
  }),
  needs: [],
  make: (limits) => (subject) => {
    for (const turn of subject.turns) {
      const loop = findLoop(turn, limits);
      if (loop !== undefined) {
        const reason = `${toExcerpt(loop.call.name)} was called ${loop.times} times with the same arguments.`;
        return { pass: false, reason, evidence: loop.calls.map((call) => call.spanId ?? call.requestedBy) };
      }
    }
    const blind = subject.turns.some(({ toolCalls }) => isRepeatedBlindly(toolCalls, limits.in_a_row));
    if (blind)
      return notApplicable(
        'Whether repeated calls had the same arguments is not known: they were not recorded.',
        'not_recorded',
      );
    return { pass: true, reason: 'No call was repeated over and over.' };
  },
});

interface Loop {
  readonly call: ToolCall;
  readonly times: number;
  readonly calls: readonly ToolCall[];
}

function findLoop(
  { toolCalls }: Turn,
  limits: { readonly in_a_row: number; readonly in_a_turn: number },
): Loop | undefined {
  // Most turns have too few calls for a loop, and are done with before any argument is decoded.
  if (toolCalls.length < Math.min(limits.in_a_row, limits.in_a_turn)) return undefined;
  const rareBelow = Math.min(limits.in_a_row, limits.in_a_turn);
  const counts = new Map<string, number>();
  for (const { name } of toolCalls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const seen = new Map<string, ToolCall[]>();
  let previous: string | undefined;
  let inARow = 0;
  for (const call of toolCalls) {
    const isRare = (counts.get(call.name) ?? 0) < rareBelow;
    const key = isRare || call.args.state !== 'whole' ? undefined : keyOf(call);
    inARow = key !== undefined && key === previous ? inARow + 1 : 1;
    previous = key;
    if (key === undefined) continue;
    const calls = seen.get(key) ?? [];
    calls.push(call);
    seen.set(key, calls);
    if (inARow >= limits.in_a_row || calls.length >= limits.in_a_turn) return loopOf(call, key, toolCalls);
  }
  return undefined;
}

/** With the calls that follow: how often it was called in the turn. */
function loopOf(call: ToolCall, key: string, all: readonly ToolCall[]): Loop {
  const calls = all.filter((one) => one.name === call.name && one.args.state === 'whole' && keyOf(one) === key);
  return { call, times: calls.length, calls };
}

function isRepeatedBlindly(calls: readonly ToolCall[], times: number): boolean {
  let previous: string | undefined;
  let inARow = 0;
  for (const { name, args } of calls) {
    inARow = args.state !== 'whole' && name === previous ? inARow + 1 : 1;
    previous = name;
    if (inARow >= times) return true;
  }
  return false;
}

function keyOf({ name, args }: ToolCall): string {
  return `${name}\n${canonicalJson(args.json)}`;
}

/**
 * Equal for values that are equal as JSON, and for no others: a text has its length before it, so that none needs to be
 * escaped, and keys are in order.
 */
export function canonicalJson(value: Json, depth = 0): string {
  if (typeof value === 'string') return `${value.length}"${value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > DEPTH_MAX) return '…';
  let text = '';
  if (isList(value)) {
    for (const element of value) text += `${canonicalJson(element, depth + 1)},`;
    return `[${text}]`;
  }
  const keys = Object.keys(value);
  // Sorting makes garbage, and most emitters write the keys of one tool in one order.
  if (!isInOrder(keys)) keys.sort();
  for (const key of keys) text += `${key.length}"${key}:${canonicalJson(value[key] ?? null, depth + 1)},`;
  return `{${text}}`;
}

function isInOrder(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if ((keys[at - 1] ?? '') > (keys[at] ?? '')) return false;
  return true;
}

/** `Array.isArray` alone does not tell a readonly array. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
