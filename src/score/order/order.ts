/**
 * Order criteria for TypeScript, the same as `order:` in YAML:
 *
 *     check: order.before({ tool: 'check_availability' }, { tool: 'book_meeting' })
 *     check: order.all(order.first('authenticate'), order.atMost(3, { tool: 'search_*' }))
 *
 * Each reads like a sentence: `before(a, b)`: a before b; `neverAfter(a, b)`: a never after b; `respondsTo(a, b)`: a responds to b;
 * `between(x, a, b)`: x between a and b; `within('3 steps', a, b)`: within 3 steps of a comes b. A text alone is a tool's name.
 * A mistake is thrown when the suite is loaded.
 */
import type { StepKind } from '../../model/step.ts';
import { checkEnvironment } from '../cel/environment.ts';
import { patternMistake } from '../cel/linear-regex.ts';
import { scopeMaker } from '../cel/scope.ts';
import type { Subject } from '../subject/subject.ts';
import type { Answer } from '../subject/answer.ts';
import type { Deed } from './ordered-steps.ts';
import { LIMIT_EXPECTED, tryParseLimit } from './limit.ts';
import { orderCheck } from './order-check.ts';
import type { OrderRule, WhenAbsent } from './order-rule.ts';
import { type Condition, compileCondition, compileSelector, type Selector } from './step-selector.ts';

export type StepPattern = string | StepFields;

interface StepFields {
  /** A tool call, by the tool's name: a glob, or several. */
  readonly tool?: string | readonly string[];
  readonly kind?: StepKind | readonly StepKind[];
  readonly name?: string | readonly string[];
  /** The agent that did it. */
  readonly agent?: string | readonly string[];
  /** Whether it came to its end without an error. */
  readonly ok?: boolean;
  /** A pattern in RE2 syntax, found anywhere in the arguments as text. */
  readonly argsMatch?: string;
  readonly resultMatch?: string;
  /** An expression over `call` and `step`, or a function. */
  readonly where?: string | ((deed: Pick<Deed, 'step' | 'call'>, subject: Subject) => boolean);
}

interface OrderOptions {
  /** Verdict if the step that it is about never came; `not_applicable` unless given. */
  readonly whenAbsent?: WhenAbsent;
}
interface AmongOptions extends OrderOptions {
  /** Steps that count; unless given, all of the kinds that the rule names. */
  readonly among?: StepPattern;
}

export type OrderCheck = ((subject: Subject) => Answer) & { readonly rule: OrderRule };

export const order = {
  /** Each b has an a before it. */
  before: (a: StepPattern, b: StepPattern, options?: OrderOptions) =>
    toCheck({ is: 'before', a: toSelector(a), b: toSelector(b), ...toOptions(options) }),
  /** The step just before each b is an a. */
  immediatelyBefore: (a: StepPattern, b: StepPattern, options?: AmongOptions) =>
    toCheck({ is: 'immediately_before', a: toSelector(a), b: toSelector(b), ...toOptions(options) }),
  /** Requires that no step matches. */
  never: (a: StepPattern) => toCheck({ is: 'never', a: toSelector(a) }),
  /** No a comes after a b. */
  neverAfter: (a: StepPattern, b: StepPattern, options?: OrderOptions) =>
    toCheck({ is: 'never_after', a: toSelector(a), b: toSelector(b), ...toOptions(options) }),
  exactly: (times: number, a: StepPattern) => toCheck({ is: 'exactly', times: toTimes(times), a: toSelector(a) }),
  atLeast: (times: number, a: StepPattern) => toCheck({ is: 'at_least', times: toTimes(times), a: toSelector(a) }),
  atMost: (times: number, a: StepPattern) => toCheck({ is: 'at_most', times: toTimes(times), a: toSelector(a) }),
  /** Each a is followed by a b: so many steps later at most, or so long after its end. */
  within: (limit: string, a: StepPattern, b: StepPattern, options?: AmongOptions) =>
    toCheck({ is: 'within', limit: toLimit(limit), a: toSelector(a), b: toSelector(b), ...toOptions(options) }),
  /** Each b is followed by an a. */
  respondsTo: (a: StepPattern, b: StepPattern, options?: OrderOptions) =>
    toCheck({ is: 'responds_to', a: toSelector(a), b: toSelector(b), ...toOptions(options) }),
  /** The first step is an a. */
  first: (a: StepPattern, options?: AmongOptions) => toCheck({ is: 'first', a: toSelector(a), ...toOptions(options) }),
  /** The last step is an a. */
  last: (a: StepPattern, options?: AmongOptions) => toCheck({ is: 'last', a: toSelector(a), ...toOptions(options) }),
  /** Each x has an a before it and a b after it. */
  between: (x: StepPattern, a: StepPattern, b: StepPattern, options?: OrderOptions) =>
    toCheck({ is: 'between', x: toSelector(x), a: toSelector(a), b: toSelector(b), ...toOptions(options) }),
  all: (...checks: readonly OrderCheck[]) => toCheck({ is: 'all', rules: checks.map(({ rule }) => rule) }),
  any: (...checks: readonly OrderCheck[]) => toCheck({ is: 'any', rules: checks.map(({ rule }) => rule) }),
  not: ({ rule }: OrderCheck) => toCheck({ is: 'not', rule }),
} as const;

function toCheck(rule: OrderRule): OrderCheck {
  return Object.assign(orderCheck(rule), { rule });
}

function toOptions({ among, whenAbsent }: AmongOptions = {}) {
  return { ...(among !== undefined && { among: toSelector(among) }), ...(whenAbsent !== undefined && { whenAbsent }) };
}

function toTimes(times: number): number {
  if (Number.isSafeInteger(times) && times >= 0) return times;
  throw new Error(`order: ${times} is no number of times; expected a whole number, 0 or more`);
}

function toLimit(text: string) {
  const limit = tryParseLimit(text);
  if (limit === undefined) throw new Error(`order: ${JSON.stringify(text)} is no limit; expected ${LIMIT_EXPECTED}`);
  return limit;
}

const scopeOf = scopeMaker(new Map());

function toSelector(pattern: StepPattern): Selector {
  if (typeof pattern === 'string') return compileSelector({ tool: pattern });
  const { where, ...fields } = pattern;
  for (const field of ['argsMatch', 'resultMatch'] as const) {
    const problem = fields[field] === undefined ? undefined : patternMistake(fields[field]);
    if (problem !== undefined) throw new Error(`order: ${field}: ${problem}; expected a pattern in RE2 syntax`);
  }
  return compileSelector({ ...fields, ...(where !== undefined && { where: toCondition(where) }) });
}

function toCondition(where: NonNullable<StepFields['where']>): Condition {
  if (typeof where === 'function') return { words: 'its condition holds', holds: where };
  const compiled = compileCondition(checkEnvironment(), where, scopeOf);
  if ('condition' in compiled) return compiled.condition;
  const { problem, expected } = compiled.mistake;
  throw new Error(`order: where: ${problem}; expected ${expected}`);
}
