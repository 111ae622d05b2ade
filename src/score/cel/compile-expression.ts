/** Parses and type-checks an expression when its suite is loaded. */
import { type Environment, EvaluationError } from '@marcbachmann/cel-js';
import { didYouMean } from '../../model/did-you-mean.ts';
import { toExcerpt } from '../subject/sentences.ts';
import { formOnly, readsNothing } from './form-only.ts';
import { seeksTools } from './seeks-tools.ts';
import { fieldsReadBy, isOfArguments } from './fields-read.ts';
import { functionsOf, variablesOf } from './environment.ts';
import { LINEAR_MATCHES } from './functions.ts';
import { patternMistake } from './linear-regex.ts';
import type { Evaluated, Program } from './program.ts';
import { isNode, type Node, nodesIn, sourceOf } from './node.ts';
import { callDifferences } from './same-calls.ts';
import { turnConditionOf } from './turn-condition.ts';
import { compileTurnTest } from './turn-test.ts';
import { show } from '../subject/values.ts';
import { ContentGap } from './views.ts';

const EXPRESSION_LENGTH_MAX = 4000;

export interface ProgramMistake {
  readonly problem: string;
  readonly expected: string;
  /** Offset in the text, from 0. */
  readonly at: number | undefined;
}

type Compiled = { readonly program: Program } | { readonly mistake: ProgramMistake };

/** `gives` says what is wanted in place of an expression of the wrong type; 'any' takes every type. */
export function compileExpression(
  environment: Environment,
  text: string,
  { gives }: { readonly gives: 'bool' | 'any' },
): Compiled {
  if (text.length > EXPRESSION_LENGTH_MAX) {
    const problem = `the expression has ${text.length} characters`;
    return { mistake: { problem, expected: `at most ${EXPRESSION_LENGTH_MAX}; use \`extract\` for its parts`, at: 0 } };
  }
  try {
    const parsed = environment.parse(text);
    // The casts to our own view of nodes hold for every node the library's parser makes.
    const root = parsed.ast as unknown as Node;
    // Before the check, which rewrites macros.
    const turnCondition = turnConditionOf(root);
    const turnTest = turnCondition === undefined ? undefined : compileTurnTest(root);
    const fieldsRead = fieldsReadBy(root);
    const isConstant = readsNothing(root);
    const readsFormOnly = formOnly(root);
    const asksForTools = seeksTools(root);
    const patterns = prepare(root);
    const checked = parsed.check();
    if (!checked.valid) return { mistake: mistakeOf(checked.error, environment) };
    if (patterns !== undefined) return { mistake: patterns };
    const type = checked.type ?? 'dyn';
    if (gives === 'bool' && type !== 'bool' && type !== 'dyn') {
      const problem = `the expression gives ${type === 'int' ? 'an int' : `a ${type}`}, not a yes or no`;
      return { mistake: { problem, expected: 'an expression of type bool, such as a comparison', at: undefined } };
    }
    const comparisons = comparisonsIn(root, environment);
    const known = {
      text,
      type,
      turnCondition,
      turnTest,
      isConstant,
      fieldsRead,
      readsFormOnly,
      seeksTools: asksForTools,
    };
    return { program: makeProgram(known, parsed, comparisons) };
  } catch (error) {
    return { mistake: mistakeOf(error, environment) };
  }
}

function makeProgram(
  known: Omit<Program, 'run' | 'describeFalse'>,
  evaluateParsed: (context: object) => unknown,
  comparisons: readonly Comparison[],
): Program {
  const run = (scope: object): Evaluated => {
    try {
      return { kind: 'value', value: evaluateParsed(scope) };
    } catch (thrown) {
      return endOf(thrown);
    }
  };
  return { ...known, run, describeFalse: (scope) => describeFalse(known.text, comparisons, scope) };
}

const ABSENCES: ReadonlySet<string> = new Set([
  'absent',
  'no_such_key',
  'index_out_of_bounds',
  'unknown_variable',
  'optional_value_missing',
]);

function endOf(thrown: unknown): Evaluated {
  if (thrown instanceof ContentGap) return { kind: 'gap', reason: thrown.message };
  if (!(thrown instanceof EvaluationError)) {
    return { kind: 'error', reason: thrown instanceof Error ? thrown.message : 'the expression failed' };
  }
  // The cast holds as above; the node is where the error arose.
  const node = thrown.node as unknown as Node | undefined;
  if (!ABSENCES.has(thrown.code)) return { kind: 'error', reason: `${thrown.summary}${inText(node)}` };
  const root = node === undefined ? undefined : rootOf(node);
  if (thrown.code === 'absent')
    return { kind: 'absent', reason: `${thrown.summary}${inText(node)}`, root, of: 'other' };
  const reason = `${node === undefined ? 'A value' : toExcerpt(sourceOf(node))} is absent`;
  return { kind: 'absent', reason, root, of: node !== undefined && isOfArguments(node) ? 'argument' : 'other' };
}

/** The variable at the start of `booking.event.time`. */
function rootOf(node: Node): string | undefined {
  if (node.op === 'id' && typeof node.args === 'string') return node.args;
  const first: unknown = Array.isArray(node.args) ? node.args[0] : undefined;
  return isNode(first) ? rootOf(first) : undefined;
}

function inText(node: Node | undefined): string {
  return node === undefined ? '' : `, in ${toExcerpt(sourceOf(node))}`;
}

/** Renames `matches` to the linear one, everywhere; gives the mistake in the first literal pattern that has one. */
function prepare(root: Node): ProgramMistake | undefined {
  let mistake: ProgramMistake | undefined;
  for (const node of nodesIn(root)) {
    if (node.op !== 'rcall' || !Array.isArray(node.args) || node.args[0] !== 'matches') continue;
    node.args[0] = LINEAR_MATCHES;
    const parameters: unknown = node.args[2];
    const pattern: unknown = Array.isArray(parameters) ? parameters[0] : undefined;
    if (!isNode(pattern) || pattern.op !== 'value' || typeof pattern.args !== 'string') continue;
    const problem = patternMistake(pattern.args);
    if (problem !== undefined) mistake ??= { problem, expected: 'a pattern in RE2 syntax', at: pattern.start };
  }
  return mistake;
}

/** A term that can say why it is false. */
interface Comparison {
  readonly whole: (scope: object) => unknown;
  readonly describe: (scope: object) => string;
}

const COMPARED: Readonly<Record<string, string>> = {
  '==': 'is not',
  '!=': 'is',
  '<': 'is not below',
  '<=': 'is above',
  '>': 'is not above',
  '>=': 'is below',
  in: 'is not in',
};

/** The comparisons that all have to hold: the terms of the top-level `&&`. */
function comparisonsIn(root: Node, environment: Environment): readonly Comparison[] {
  if (root.op === '&&' && Array.isArray(root.args)) {
    return root.args.flatMap((term: unknown) => (isNode(term) ? comparisonsIn(term, environment) : []));
  }
  if (!Array.isArray(root.args)) return [];
  const isSameCalls = root.op === 'call' && root.args[0] === 'same_calls';
  if (COMPARED[root.op] === undefined && !isSameCalls) return [];
  const [left, right]: unknown[] = isSameCalls ? root.args[1] : root.args;
  if (!isNode(left) || !isNode(right)) return [];
  const part = (node: Node) => {
    const parsed = environment.parse(sourceOf(node));
    // The cast holds for every node the library's parser makes.
    prepare(parsed.ast as unknown as Node);
    return parsed;
  };
  const [whole, leftOf, rightOf] = [part(root), part(left), part(right)];
  const text = `${sourceOf(left)} ${COMPARED[root.op]} ${sourceOf(right)}`;
  const describe = isSameCalls
    ? // The casts hold: it was called with these, and gave false.
      (scope: object) => callDifferences(leftOf(scope) as readonly unknown[], rightOf(scope) as readonly unknown[])
    : (scope: object) =>
        `${toExcerpt(text)}: ${toExcerpt(show(leftOf(scope)))} against ${toExcerpt(show(rightOf(scope)))}.`;
  return [{ whole, describe }];
}

function describeFalse(text: string, comparisons: readonly Comparison[], scope: object): string {
  for (const { whole, describe } of comparisons) {
    try {
      if (whole(scope) === false) return describe(scope);
    } catch {
      // A term that cannot be worked out by itself is not the one that made the whole false.
    }
  }
  return `This is false: ${text}`;
}

function mistakeOf(error: unknown, environment: Environment): ProgramMistake {
  if (!isCelError(error)) {
    return {
      problem: error instanceof Error ? error.message : String(error),
      expected: 'a CEL expression',
      at: undefined,
    };
  }
  // The message is the summary with the line and a caret under the place.
  const problem = error.message.replaceAll(LINEAR_MATCHES, 'matches');
  return { problem, expected: expectedInstead(error, environment), at: error.range?.start };
}

interface CelError extends Error {
  readonly code: string;
  readonly summary: string;
  readonly range?: { readonly start: number; readonly end: number };
  readonly node?: { readonly input?: string };
}

function isCelError(error: unknown): error is CelError {
  return error instanceof Error && 'summary' in error && typeof error.summary === 'string' && 'code' in error;
}

function expectedInstead(error: CelError, environment: Environment): string {
  const words = /(?:Unknown variable: |overload for ')([\w.<>, ]+?)(?:\(|$)/.exec(error.summary)?.[1];
  switch (error.code) {
    case 'unknown_variable': {
      const known = variablesOf(environment);
      return suggestion(words ?? '', known, `one of ${known.join(', ')}`);
    }
    case 'no_matching_overload': {
      const name = words?.split('.').at(-1) ?? '';
      const known = functionsOf(environment);
      return known.includes(name)
        ? `arguments of the types that ${name} takes`
        : suggestion(name, known, 'a function of CEL or one listed in docs/reference/suite-language.md');
    }
    case 'no_such_overload':
      return 'operands of comparable types';
    case 'no_such_key':
      return 'a field that exists (docs/reference/suite-language.md lists them)';
    default:
      return 'a CEL expression';
  }
}

function suggestion(word: string, known: readonly string[], otherwise: string): string {
  const nearest = didYouMean(word, known);
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}
