/**
 * The functions expressions have beyond CEL's own. All are linear in what they are given, and none has an effect.
 * The table is what `docs/reference/suite-language.md` documents.
 */
import { EvaluationError, type Environment } from '@marcbachmann/cel-js';
import type { StepKind } from '../../model/step.ts';
import { STEP_KINDS } from '../../model/step.ts';
import { compileGlob, type Matcher } from '../../model/glob.ts';
import { wasTold } from '../expected/told.ts';
import { occurs } from './linear-regex.ts';
import { SCOPE_NAME, type Scope } from './scope.ts';
import { ContentGap, type StepView, type ToolCallView } from './views.ts';
import { sameCalls } from './same-calls.ts';
import { sameValue } from '../subject/values.ts';

/** The name `matches` is given before an expression is checked: the library's own `matches` is not linear. */
export const LINEAR_MATCHES = 'matches_linear';

const SYNCHRONOUS = { async: false } as const;
const NUMBER = /-?\d+(?:\.\d+)?/g;
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;

export function registerFunctions(environment: Environment): void {
  const pure = (signature: string, handler: (...args: never[]) => unknown) =>
    // The cast holds because the library calls a handler with values of the types in its signature.
    environment.registerFunction(signature, handler as (...args: unknown[]) => unknown, SYNCHRONOUS);

  pure('first(list<A>): A', (list: readonly unknown[]) => list[0] ?? absent('there is no first of an empty list'));
  pure('last(list<A>): A', (list: readonly unknown[]) => list.at(-1) ?? absent('there is no last of an empty list'));
  pure('lower(string): string', (text: string) => text.toLowerCase());
  pure('upper(string): string', (text: string) => text.toUpperCase());
  pure('trim(string): string', (text: string) => text.trim());
  pure('words(string): int', (text: string) => BigInt(text.match(WORD)?.length ?? 0));
  pure('numbers(string): list<double>', (text: string) => (text.match(NUMBER) ?? []).map(Number));
  pure('contains_any(string, list<string>): bool', (text: string, parts: readonly unknown[]) => {
    const lower = text.toLowerCase();
    return parts.some((part) => typeof part === 'string' && lower.includes(part.toLowerCase()));
  });
  pure(
    'same_set(list, list): bool',
    (a: readonly unknown[], b: readonly unknown[]) => isWithin(a, b) && isWithin(b, a),
  );
  pure('same_calls(list, list): bool', sameCalls);
  pure('string.replace(string, string): string', replaced);
  pure(`string.${LINEAR_MATCHES}(string): bool`, (text: string, pattern: string) => occurs(pattern, text));

  registerLookups(environment);
  registerMixedArithmetic(environment);
}

const REPLACED_LENGTH_MAX = 1_000_000;

/** Every occurrence. The result is bounded: each replacement could make the text longer by its own length. */
function replaced(text: string, part: string, by: string): string {
  if (part === '') throw new EvaluationError('replace takes a text to look for that is not empty');
  const pieces = text.split(part);
  if (text.length + (pieces.length - 1) * by.length > REPLACED_LENGTH_MAX) {
    throw new EvaluationError(`replace makes texts of at most ${REPLACED_LENGTH_MAX} characters`);
  }
  return pieces.join(by);
}

/** Strings, which sets from JSON mostly hold, are looked up; other members are compared one by one, up to a bound. */
function isWithin(a: readonly unknown[], b: readonly unknown[]): boolean {
  const strings = new Set(b.filter((member) => typeof member === 'string'));
  const others = b.filter((member) => typeof member !== 'string');
  if (others.length > 1000) throw new EvaluationError('same_set compares at most 1000 members that are not texts');
  return a.every((member) =>
    typeof member === 'string' ? strings.has(member) : others.some((other) => sameValue(member, other)),
  );
}

/** The library's way to say that something is not there; the expression is then not applicable. */
function absent(what: string): never {
  throw new EvaluationError({ code: 'absent', message: what });
}

/** The library's input to a macro when the expression is parsed, checked and run. */
interface MacroCall {
  readonly args: readonly [Node, ...Node[]];
}
interface Node {
  readonly op: string;
  readonly args: unknown;
}
interface Checker {
  check(node: Node, context: unknown): { readonly name: string; readonly kind: string };
  getType(name: string): unknown;
  createError(code: string, message: string, node: Node): Error;
}
interface Runner {
  run(node: Node, context: unknown): unknown;
}
interface Context {
  getValue(name: string): unknown;
}

/** A function that reads the scope, which only macros are given. */
interface Lookup {
  readonly signature: string;
  readonly gives: string;
  /** Type of its argument; `string` unless given. Numbers are handed over as text. */
  readonly takes?: readonly string[];
  /** Finds a mistake in a literal argument. */
  readonly mistakeIn?: (name: string) => string | undefined;
  readonly find: (scope: Scope, name: string) => unknown;
}

function registerLookups(environment: Environment): void {
  const globs = new Map<string, Matcher>();
  const matcherOf = (glob: string): Matcher => {
    const known = globs.get(glob);
    if (known !== undefined) return known;
    const fresh = compileGlob(glob);
    // Globs are nearly always literals; those made at run time are not kept for ever.
    if (globs.size < 200) globs.set(glob, fresh);
    return fresh;
  };
  const lookups: readonly Lookup[] = [
    {
      signature: 'tools(ast): list<ToolCall>',
      gives: 'list<ToolCall>',
      find: (scope, glob): readonly ToolCallView[] => {
        const matches = matcherOf(glob);
        return scope.tool_calls.filter(({ name }) => matches(name));
      },
    },
    {
      signature: 'steps_of(ast): list<Step>',
      gives: 'list<Step>',
      mistakeIn: (kind) =>
        isStepKind(kind) ? undefined : `there is no step kind '${kind}'; kinds are ${STEP_KINDS.join(', ')}`,
      find: (scope, kind): readonly StepView[] => scope.steps.filter((step) => step.kind === kind),
    },
    {
      signature: 'writes(ast): bool',
      gives: 'bool',
      find: ({ subject }, tool) => subject.effectOf(tool) === 'writes',
    },
    {
      signature: 'told(ast): bool',
      gives: 'bool',
      takes: ['string', 'double', 'int'],
      find: ({ subject }, text) => {
        const told = wasTold(text, subject.turns);
        if (typeof told === 'string') throw new ContentGap(told);
        return told;
      },
    },
  ];
  for (const lookup of lookups) registerLookup(environment, lookup);
}

function registerLookup(
  environment: Environment,
  { signature, gives, takes = ['string'], mistakeIn = () => undefined, find }: Lookup,
): void {
  const wants = `${signature.split('(')[0]} takes a ${takes.join(' or ')}`;
  environment.registerFunction(
    signature,
    ({ args: [argument] }: MacroCall) => ({
      async: false,
      typeCheck: (checker: Checker, _macro: unknown, context: unknown) => {
        const { kind, name } = checker.check(argument, context);
        if (kind !== 'dyn' && !takes.includes(name)) {
          throw checker.createError('no_matching_overload', `${wants}, not ${name}`, argument);
        }
        const mistake =
          typeof argument.args === 'string' && argument.op === 'value' ? mistakeIn(argument.args) : undefined;
        if (mistake !== undefined) throw checker.createError('invalid_argument', mistake, argument);
        return checker.getType(gives);
      },
      evaluate: (runner: Runner, _macro: unknown, context: Context) => {
        const given = runner.run(argument, context);
        const isNumber = typeof given === 'number' || typeof given === 'bigint';
        const name = isNumber && takes.includes('double') ? String(given) : given;
        if (typeof name !== 'string') throw new EvaluationError(wants);
        // The cast holds because only `Scope` provides a value under this name.
        return find(context.getValue(SCOPE_NAME) as Scope, name);
      },
    }),
    SYNCHRONOUS,
  );
}

function isStepKind(kind: string): kind is StepKind {
  return STEP_KINDS.some((known) => known === kind);
}

/** Numbers from JSON are doubles and literals are ints: `state.seats + 1` must not be a type error. */
function registerMixedArithmetic(environment: Environment): void {
  const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
  };
  for (const [operator, apply] of Object.entries(operations)) {
    environment.registerOperator(`double ${operator} int: double`, (a: number, b: bigint) => apply(a, Number(b)));
    environment.registerOperator(`int ${operator} double: double`, (a: bigint, b: number) => apply(Number(a), b));
  }
  environment.registerOperator('double == int: bool', (a: number, b: bigint) => sameValue(a, b));
}
