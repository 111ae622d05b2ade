/**
 * Which steps an order criterion speaks of: by kind, name, agent, how they ended, what went in and came out. All that
 * is given must hold. Names are globs; patterns are regular expressions in linear time; `where` is an expression over
 * `call` and `step`.
 *
 * A selector cannot tell of a step whose content it needs and which was not recorded: the criterion is then not
 * applicable. If an expression reads something that is absent, such as an argument that the call did not have, the step
 * does not match.
 */
import type { Environment } from '@marcbachmann/cel-js';
import { compileGlob } from '../../model/glob.ts';
import type { Content, StepKind } from '../../model/step.ts';
import { occurs } from '../cel/linear-regex.ts';
import { compileExpression, type ProgramMistake } from '../cel/compile-expression.ts';
import type { Scope } from '../cel/scope.ts';
import { show } from '../subject/values.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { CheckError } from '../subject/answer.ts';
import { ContentGap, gapOf } from '../cel/views.ts';
import { agentNames, type Deed } from './ordered-steps.ts';

export interface SelectorParts {
  readonly tool?: string | readonly string[] | undefined;
  readonly kind?: StepKind | readonly StepKind[] | undefined;
  readonly name?: string | readonly string[] | undefined;
  readonly agent?: string | readonly string[] | undefined;
  /** Whether it came to its end without an error. */
  readonly ok?: boolean | undefined;
  readonly argsMatch?: string | undefined;
  readonly resultMatch?: string | undefined;
  readonly where?: Condition | undefined;
}

export interface Condition {
  readonly words: string;
  holds(deed: Deed, subject: Subject): boolean;
}

export interface Selector {
  /** Name of the step in reasons. */
  readonly words: string;
  /** Undefined where steps of any kind can match. */
  readonly kinds: readonly StepKind[] | undefined;
  /** Throws a ContentGap if the recorded content does not decide it. */
  matches(deed: Deed, subject: Subject): boolean;
}

export function compileSelector(parts: SelectorParts): Selector {
  const tools = parts.tool === undefined ? undefined : listOf(parts.tool);
  const kinds = tools === undefined ? (parts.kind === undefined ? undefined : listOf(parts.kind)) : (['tool'] as const);
  const isTool = anyOf(tools);
  const isName = anyOf(parts.name === undefined ? undefined : listOf(parts.name));
  const isAgent = anyOf(parts.agent === undefined ? undefined : listOf(parts.agent));
  const { ok, argsMatch, resultMatch, where } = parts;
  return {
    words: wordsOf(parts),
    kinds,
    matches: (deed, subject) => {
      if (kinds !== undefined && !kinds.some((kind) => isOfKind(deed, kind))) return false;
      if (!isTool(deed.name) || !isName(deed.name)) return false;
      if (parts.agent !== undefined && !isAgent(agentNames(subject).get(deed) ?? '')) return false;
      if (ok !== undefined && ok !== wentWell(deed)) return false;
      if (argsMatch !== undefined && !isFoundIn(argsMatch, inputOf(deed), `The arguments of ${deed.name}`))
        return false;
      if (resultMatch !== undefined && !hasResultLike(resultMatch, deed)) return false;
      return where === undefined || where.holds(deed, subject);
    },
  };
}

/** A model's request to a tool is a tool call; a handoff to another agent, which is written like one, is not. */
export function isOfKind(deed: Deed, kind: StepKind): boolean {
  return deed.kind === kind && (kind !== 'tool' || deed.call !== undefined);
}

/** An expression over `call` (a tool call) and `step` (a span), besides all that checks have. */
export function compileCondition(
  checks: Environment,
  text: string,
  scopeOf: (subject: Subject) => Scope,
): { readonly condition: Condition } | { readonly mistake: ProgramMistake } {
  const environment = checks.clone();
  for (const taken of ['call', 'step']) {
    if (!environment.hasVariable(taken)) continue;
    const problem = `the extract '${taken}' has the name of what \`where\` looks at`;
    return { mistake: { problem, expected: 'another name for that extract', at: undefined } };
  }
  environment.registerVariable('call', 'ToolCall').registerVariable('step', 'Step');
  const compiled = compileExpression(environment, text, { gives: 'bool' });
  if ('mistake' in compiled) return compiled;
  const { program } = compiled;
  const holds = (deed: Deed, subject: Subject): boolean => {
    const scope = scopeOf(subject);
    scope.lookAt(deed);
    const end = program.run(scope);
    scope.lookAt(undefined);
    switch (end.kind) {
      case 'value':
        if (typeof end.value === 'boolean') return end.value;
        throw new CheckError(`The expression gave ${toExcerpt(show(end.value))}, not true or false: ${text.trim()}`);
      case 'absent':
        return false;
      case 'gap':
        throw new ContentGap(end.reason);
      case 'error':
        throw new CheckError(`The expression failed: ${end.reason}`);
    }
  };
  return { condition: { words: text.trim(), holds } };
}

function anyOf(globs: readonly string[] | undefined): (name: string) => boolean {
  if (globs === undefined) return () => true;
  const matchers = globs.map(compileGlob);
  return (name) => matchers.some((matches) => matches(name));
}

function listOf<T extends string>(value: T | readonly T[]): readonly T[] {
  return typeof value === 'string' ? [value] : value;
}

function wentWell({ step, call }: Deed): boolean {
  return call === undefined ? step?.error === undefined : call.answered && call.error === undefined;
}

function inputOf({ step, call }: Deed): Content | undefined {
  return call?.args ?? step?.input;
}

function hasResultLike(pattern: string, deed: Deed): boolean {
  const { call, step } = deed;
  // A call that failed or never ended has no result.
  if (call?.result.state === 'missing' && (call.error !== undefined || !call.answered)) return false;
  return isFoundIn(pattern, call?.result ?? step?.output, `The result of ${deed.name}`);
}

function isFoundIn(pattern: string, content: Content | undefined, what: string): boolean {
  if (content === undefined) return false;
  if (content.state === 'whole') return occurs(pattern, content.text);
  // A truncated text can show that it matches, and never that it does not.
  if (content.state === 'truncated' && occurs(pattern, content.text)) return true;
  throw gapOf(what, content);
}

function wordsOf({ tool, kind, name, agent, ok, argsMatch, resultMatch, where }: SelectorParts): string {
  const named = name === undefined ? '' : either(listOf(name));
  const kinds = kind === undefined ? 'step' : `${either(listOf(kind))} step`;
  const what = tool === undefined ? `${kinds}${named === '' ? '' : ` ${named}`}` : either(listOf(tool));
  const details = [
    agent === undefined ? '' : ` of ${either(listOf(agent))}`,
    ok === undefined ? '' : ok ? ' that succeeded' : ' that failed',
    argsMatch === undefined ? '' : ` with arguments like ${toExcerpt(argsMatch)}`,
    resultMatch === undefined ? '' : ` with a result like ${toExcerpt(resultMatch)}`,
    where === undefined ? '' : ` where ${toExcerpt(where.words)}`,
  ];
  return `${what}${details.join('')}`;
}

function either(words: readonly string[]): string {
  return toExcerpt(words.join(' or '));
}
