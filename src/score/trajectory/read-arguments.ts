/** From the arguments as a golden trace (or a tool policy) writes them to matchers; every mistake with its place. */
import type { Environment } from '@marcbachmann/cel-js';
import { exampleOf } from './example-value.ts';
import { didYouMean } from '../../model/did-you-mean.ts';
import { isMapping, type Json } from '../../model/json.ts';
import type { Path } from '../../model/written-document.ts';
import { checkEnvironment } from '../cel/environment.ts';
import { compileExpression } from '../cel/compile-expression.ts';
import { VARIABLES, type Scope } from '../cel/scope.ts';
import { show } from '../subject/values.ts';
import {
  type ArgumentScope,
  type ArgumentsMatcher,
  anything,
  elements,
  exactly,
  type ExpectedArgument,
  expression,
  members,
  near,
  text,
  type ValueMatcher,
} from './match-arguments.ts';

export type ReportMistake = (path: Path, problem: string, expected: string, offset?: number) => void;

interface WrittenArguments {
  readonly args: { readonly [key: string]: unknown };
  readonly ignore?: readonly string[] | undefined;
  readonly critical?: readonly string[] | undefined;
}

const OPERATORS = ['$exact', '$cel', '$near', '$within', '$subset', '$any'] as const;
const DEPTH_MAX = 20;

const environment: Environment = checkEnvironment()
  .registerVariable('value', { type: 'dyn', description: 'the argument' })
  .registerVariable('args', { type: 'dyn', description: 'all arguments of the call' });

/** Inputs of expressions among arguments: the conversation, and the argument at hand. */
export function argumentScope(scope: () => Scope): ArgumentScope {
  return (value, args) => {
    const names: object = Object.create(null);
    for (const name of Object.keys(VARIABLES)) {
      Object.defineProperty(names, name, { get: () => Reflect.get(scope(), name) as unknown });
    }
    return Object.defineProperties(names, { value: { value }, args: { value: args } });
  };
}

/** Equal expectations of several steps of one trace are stored once, so that comparing runs is cheaper. */
export class SharedArguments {
  readonly #keys = new Map<string, readonly string[]>();
  readonly #expected = new Map<string, ExpectedArgument>();

  keys(keys: readonly string[]): readonly string[] {
    const written = JSON.stringify(keys);
    const known = this.#keys.get(written) ?? keys;
    this.#keys.set(written, known);
    return known;
  }

  /** Reports the mistakes of each place: what has any is not shared. */
  expected(written: unknown, mistake: ReportMistake, read: (mistake: ReportMistake) => ExpectedArgument) {
    const text = JSON.stringify(written, finite);
    const known = this.#expected.get(text);
    if (known !== undefined) return known;
    let isWrong = false;
    const argument = read((...reported) => {
      isWrong = true;
      mistake(...reported);
    });
    if (!isWrong) this.#expected.set(text, argument);
    return argument;
  }
}

/** JSON has no words for these numbers, which YAML has. No argument can be written like this. */
function finite(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? { $number: String(value) } : value;
}

interface ReadingArguments {
  readonly path: Path;
  readonly argsKey: string;
  readonly mistake: ReportMistake;
  readonly shared?: SharedArguments;
}

export function readArguments(
  { args, ignore, critical }: WrittenArguments,
  { path, argsKey, mistake, shared = new SharedArguments() }: ReadingArguments,
): ArgumentsMatcher {
  const at = [...path, argsKey];
  const whole = Object.keys(args);
  const open = whole.length === 1 && whole[0] === '$subset';
  const inside = open ? args.$subset : args;
  const insidePath = open ? [...at, '$subset'] : at;
  if (!isMapping(inside)) {
    mistake(insidePath, '`$subset` of the arguments is no mapping', 'a mapping of arguments');
    return { expected: [], keys: [], open, ignored: new Set(), lastRight: undefined };
  }
  const ignored = new Set(ignore);
  const names = Object.keys(inside);
  for (const [index, name] of (critical ?? []).entries()) {
    if (names.includes(name)) continue;
    const nearest = didYouMean(name, names);
    const expected = nearest === undefined ? `one of ${names.join(', ')}` : `did you mean '${nearest}'?`;
    mistake([...path, 'critical', index], `'${name}' is no argument of this step`, expected);
  }
  const keys = shared.keys(names.filter((key) => !ignored.has(key)));
  const expected = keys.map((key): ExpectedArgument => {
    const written = inside[key];
    const isCritical = critical?.includes(key) === true;
    return shared.expected([key, isCritical, written], mistake, (report) => {
      const matcher = readMatcher(written, [...insidePath, key], report, 0);
      return { key, ...matcher, expected: show(written), example: exampleOf(written), critical: isCritical };
    });
  });
  // An expression may read anything of the conversation.
  const isSelfContained = !JSON.stringify(args).includes('"$cel"');
  return { expected, keys, open, ignored, lastRight: isSelfContained ? { text: undefined } : undefined };
}

function readMatcher(written: unknown, path: Path, mistake: ReportMistake, depth: number): ValueMatcher {
  if (depth > DEPTH_MAX) {
    mistake(path, 'the arguments are nested too deeply', `at most ${DEPTH_MAX} levels`);
    return anything();
  }
  if (typeof written === 'string') return text(written);
  // The casts hold: what YAML gives is JSON here; dates are texts in its core schema.
  if (Array.isArray(written)) return exactly(written as readonly Json[]);
  if (!isMapping(written)) return exactly(written as Json);
  const keys = Object.keys(written);
  const operator = keys.find((key) => key.startsWith('$'));
  if (operator !== undefined) return readOperator(written, path, mistake, depth);
  return members(
    keys.map((key) => ({ key, ...readMatcher(written[key], [...path, key], mistake, depth + 1) })),
    false,
  );
}

function readOperator(written: Mapping, path: Path, mistake: ReportMistake, depth: number): ValueMatcher {
  const refuse = (problem: string, expected: string, at: Path = path): ValueMatcher => {
    mistake(at, problem, expected);
    return anything();
  };
  const keys = Object.keys(written);
  const unknown = keys.find((key) => !OPERATORS.some((operator) => operator === key));
  if (unknown !== undefined) {
    const nearest = didYouMean(unknown, OPERATORS);
    const expected = nearest === undefined ? `one of ${OPERATORS.join(', ')}, alone` : `did you mean '${nearest}'?`;
    return refuse(`'${unknown}' is no way to compare an argument`, expected, [...path, unknown]);
  }
  if ('$near' in written) {
    const { $near, $within } = written;
    if (typeof $near !== 'number' || typeof $within !== 'number' || $within < 0 || keys.length !== 2) {
      return refuse('a tolerance is not complete', '{ $near: 30, $within: 0.5 }');
    }
    return near($near, $within);
  }
  if (keys.length !== 1) return refuse(`${keys.join(' and ')} do not go together`, 'one of them');
  if ('$exact' in written) return exactly(written.$exact as Json);
  if ('$any' in written)
    return written.$any === true ? anything() : refuse('`$any` has one value only', '{ $any: true }');
  if ('$subset' in written) return readSubset(written.$subset, [...path, '$subset'], mistake, depth);
  if (typeof written.$cel !== 'string') return refuse('`$within` belongs to `$near`', '{ $near: 30, $within: 0.5 }');
  const compiled = compileExpression(environment, written.$cel, { gives: 'bool' });
  if ('program' in compiled) return expression(compiled.program);
  const { problem, expected, at } = compiled.mistake;
  mistake([...path, '$cel'], problem, expected, at);
  return anything();
}

function readSubset(written: unknown, path: Path, mistake: ReportMistake, depth: number): ValueMatcher {
  if (Array.isArray(written)) {
    const list: readonly unknown[] = written;
    return elements(list.map((element, index) => readMatcher(element, [...path, index], mistake, depth + 1)));
  }
  if (isMapping(written)) {
    const read = Object.entries(written).map(([key, member]) => ({
      key,
      ...readMatcher(member, [...path, key], mistake, depth + 1),
    }));
    return members(read, true);
  }
  mistake(path, '`$subset` is of a mapping or of a list', '{ $subset: { status: open } } or { $subset: [open] }');
  return anything();
}

type Mapping = { readonly [key: string]: unknown };
