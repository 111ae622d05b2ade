/**
 * The reason of a verdict as an author words it, with expressions in double braces:
 *
 *     reason: Booked at {{ booking.time }}, but {{ truth.time }} was asked for.
 *
 * A value that cannot be computed is shown as such, because a reason must never keep a check from its verdict.
 */
import type { Program } from '../cel/program.ts';
import { show } from '../subject/values.ts';
import { toExcerpt } from '../subject/sentences.ts';

export type Reason = (scope: object) => string;

const EXPRESSION = /\{\{(.*?)\}\}/gs;

/** Undefined where one of the expressions has a mistake, which `compile` reports. */
export function compileReason(
  text: string,
  compile: (expression: string, offset: number) => Program | undefined,
): Reason | undefined {
  const parts: (string | Program)[] = [];
  let end = 0;
  for (const match of text.matchAll(EXPRESSION)) {
    const program = compile(match[1] ?? '', match.index + 2);
    if (program === undefined) return undefined;
    parts.push(text.slice(end, match.index), program);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return (scope) => parts.map((part) => (typeof part === 'string' ? part : worded(part, scope))).join('');
}

function worded(program: Program, scope: object): string {
  const end = program.run(scope);
  if (end.kind !== 'value') return end.kind === 'error' ? '(unknown)' : '(absent)';
  return toExcerpt(typeof end.value === 'string' ? end.value : show(end.value));
}
