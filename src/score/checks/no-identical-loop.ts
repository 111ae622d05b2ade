/**
 * Did the agent go round in circles? A loop is the same call several times in a row, or too often in one turn, that brought the same result
 * each time. Arguments are the same where they are equal as JSON, whatever the order of their keys, and texts where they differ only in case,
 * space and punctuation: `a1001`, `A1001 ` and `#A1001` are one. Texts of code may differ in space only.
 *
 * No loop is
 *
 *   polling        the result changed with the last call, or says that the work still goes on
 *   another try    a call of another tool changed something in between
 *
 * If results were not recorded, polling and loops look alike, and nothing is decided.
 */
import { z } from 'zod';
import type { Json } from '../../model/json.ts';
import type { ToolCall } from '../../model/turn.ts';
import { type Answer, notApplicable } from '../subject/answer.ts';
import { isPending } from '../subject/failed-call.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { builtInCheck } from './built-in-check.ts';
import { canonicalJson } from './canonical-json.ts';

const TEXT_READ_MAX = 2000;

export const noIdenticalLoop = builtInCheck({
  summary: 'no tool was called again and again with the same arguments and the same result',
  params: z.strictObject({
    /** This many times in a row is a loop. */
    in_a_row: z.int('a whole number').min(2, 'at least 2').default(3),
    /** This many times in one turn is a loop. */
    in_a_turn: z.int('a whole number').min(2, 'at least 2').default(5),
  }),
  needs: ['tools'],
  make: (limits) => (subject) => {
    let isUnknown = false;
    let excused: Answer | undefined;
    for (const { toolCalls } of subject.turns) {
      // Most turns have too few calls of one tool, and are done with before any argument is decoded.
      for (const calls of repeatedIn(toolCalls, limits)) {
        if (calls.some(isUnread)) isUnknown = true;
        else if (isPolling(calls))
          excused ??= excusedAs('the result changed, or says that the work still goes on', calls);
        else if (isTriedAgain(calls, toolCalls, limits, subject))
          excused ??= excusedAs('another tool changed something in between', calls);
        else return loopOf(calls);
      }
      isUnknown ||= isRepeatedBlindly(toolCalls, limits.in_a_row);
    }
    return isUnknown ? NOT_RECORDED : (excused ?? { pass: true, reason: 'No call was repeated over and over.' });
  },
});

const NOT_RECORDED = notApplicable(
  'Whether repeated calls had the same arguments and results is not known: they are empty or were not recorded.',
  'not_recorded',
);

interface Limits {
  readonly in_a_row: number;
  readonly in_a_turn: number;
}

/** Calls that were repeated, and are no loop. */
function excusedAs(because: string, calls: readonly ToolCall[]): Answer {
  return {
    pass: true,
    reason: `${toExcerpt(calls[0]?.name ?? '')} was called ${calls.length} times, and is no loop: ${because}.`,
  };
}

function loopOf(calls: readonly ToolCall[]) {
  const [first] = calls;
  const name = toExcerpt(first?.name ?? '');
  const isSame = calls.every(({ args }) => canonicalJson(args.json) === canonicalJson(first?.args.json ?? null));
  return {
    pass: false,
    reason: `${name} was called ${calls.length} times with ${isSame ? 'the same arguments' : 'arguments that differ only in how they are written'}.`,
    evidence: calls.map(({ spanId, requestedBy }) => spanId ?? requestedBy),
  };
}

/** Calls that are repeated as often as a loop, each kind with all its calls in the turn. */
function repeatedIn(toolCalls: readonly ToolCall[], limits: Limits): readonly (readonly ToolCall[])[] {
  const enough = Math.min(limits.in_a_row, limits.in_a_turn);
  if (toolCalls.length < enough) return [];
  const counts = new Map<string, number>();
  for (const { name } of toolCalls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const seen = new Map<string, ToolCall[]>();
  const repeated = new Set<string>();
  let previous: string | undefined;
  let inARow = 0;
  for (const call of toolCalls) {
    const isRare = (counts.get(call.name) ?? 0) < enough;
    const key =
      isRare || call.args.state !== 'whole' ? undefined : `${call.name}\n${canonicalJson(written(call.args.json))}`;
    inARow = key !== undefined && key === previous ? inARow + 1 : 1;
    previous = key;
    if (key === undefined) continue;
    const calls = seen.get(key) ?? [];
    calls.push(call);
    seen.set(key, calls);
    if (inARow >= limits.in_a_row || calls.length >= limits.in_a_turn) repeated.add(key);
  }
  return [...repeated].map((key) => seen.get(key) ?? []);
}

/** Commands, queries and patterns, in which case and punctuation have a meaning. */
const CODE = /[$|\\{}<>;=()*`]/;

/** Texts without case, space and punctuation, except in code, where nothing is left, or between digits. */
function written(value: Json, depth = 0): Json {
  if (typeof value === 'string') {
    if (value.length > TEXT_READ_MAX) return value;
    if (CODE.test(value)) return value.replaceAll(/\s+/g, '');
    const plain = value.toLowerCase().replace(/(?<!\d)[.,]|[.,](?!\d)|[^\p{L}\p{N}.,]+/gu, '');
    return plain === '' ? value : plain;
  }
  if (typeof value !== 'object' || value === null || depth > 5) return value;
  // The casts are for `Array.isArray`, which does not narrow a readonly array.
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => written(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, written(one as Json, depth + 1)]));
}

function isUnread({ result, error, answered }: ToolCall): boolean {
  return (result.state === 'missing' || result.state === 'redacted') && error === undefined && answered;
}

/** The last call brought something else than the one before it or the first, or what it waits for goes on. */
function isPolling(calls: readonly ToolCall[]): boolean {
  const last = calls.at(-1);
  if (last === undefined || isPending(last)) return true;
  const before = new Set(calls.slice(0, -1).map(broughtBy));
  return !before.has(broughtBy(last)) || before.size * 2 > calls.length;
}

function broughtBy({ result, error }: ToolCall): string {
  return `${error?.message ?? ''}\n${result.text}`;
}

/** Between changes by another tool it was never called often enough. */
function isTriedAgain(calls: readonly ToolCall[], all: readonly ToolCall[], limits: Limits, subject: Subject): boolean {
  const ofLoop = new Set(calls);
  let inAPiece = 0;
  for (const call of all) {
    if (ofLoop.has(call)) {
      inAPiece += 1;
      if (inAPiece >= Math.min(limits.in_a_row, limits.in_a_turn)) return false;
    } else if (call.name !== calls[0]?.name && subject.effectOf(call.name) === 'writes' && !subject.hasFailed(call)) {
      inAPiece = 0;
    }
  }
  return true;
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
