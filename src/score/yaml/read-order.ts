/**
 * The `order:` of a criterion in YAML:
 *
 *     order: { before: [check_availability, book_meeting] }
 *     order:
 *       immediately_before: [{ tool: confirm, ok: true }, { tool: 'delete_*', where: call.args.permanent == true }]
 *       among: { kind: tool }
 *       when_absent: pass
 *     order:
 *       all:
 *         - first: authenticate
 *         - at_most: [3, 'search_*']
 *
 * One predicate, read like a sentence, and its options. A text in place of a step is a tool's name. Reports each
 * mistake, and returns nothing if there is one.
 */
import { didYouMean } from '../../model/did-you-mean.ts';
import { STEP_KINDS, type StepKind } from '../../model/step.ts';
import type { Path } from '../../model/written-document.ts';
import { patternMistake } from '../cel/linear-regex.ts';
import { LIMIT_EXPECTED, type Limit, tryParseLimit } from '../order/limit.ts';
import type { OrderRule, WhenAbsent } from '../order/order-rule.ts';
import { WHEN_ABSENT } from '../order/order-rule.ts';
import { type Condition, compileSelector, type Selector, type SelectorParts } from '../order/step-selector.ts';
import { isList, isMapping } from '../../model/json.ts';

interface OrderReport {
  /** At a value. */
  mistake(path: Path, problem: string, expected: string): void;
  /** At a field's name. */
  unknownField(path: Path, problem: string, expected: string): void;
  /** Compiles a selector's `where`, and reports what is wrong with it. */
  condition(path: Path, text: string): Condition | undefined;
}

const PAIRS = ['before', 'immediately_before', 'never_after', 'responds_to'] as const;
const COUNTS = ['exactly', 'at_least', 'at_most'] as const;
const SINGLES = ['never', 'first', 'last'] as const;
const SEVERAL = ['all', 'any'] as const;
export const PREDICATES = [...PAIRS, 'within', 'between', ...COUNTS, ...SINGLES, ...SEVERAL, 'not'] as const;
type Predicate = (typeof PREDICATES)[number];

/** Which predicates have which options. */
const WITH_AMONG: readonly Predicate[] = ['immediately_before', 'within', 'first', 'last'];
const WITH_WHEN_ABSENT: readonly Predicate[] = [...PAIRS, 'within', 'between', 'first', 'last'];

export const STEP_FIELDS = ['tool', 'kind', 'name', 'agent', 'ok', 'args_match', 'result_match', 'where'] as const;
const DEPTH_MAX = 20;

export function readOrder(value: unknown, path: Path, report: OrderReport): OrderRule | undefined {
  return new OrderReader(report).rule(value, path, 0);
}

class OrderReader {
  readonly #report: OrderReport;

  constructor(report: OrderReport) {
    this.#report = report;
  }

  rule(value: unknown, path: Path, depth: number): OrderRule | undefined {
    if (!isMapping(value)) return this.#wrong(path, value, `one of ${PREDICATES.join(', ')}, with its steps`);
    if (depth > DEPTH_MAX) return this.#wrong(path, value, `at most ${DEPTH_MAX} levels of all, any and not`);
    const keys = Object.keys(value);
    const predicates = PREDICATES.filter((predicate) => Object.hasOwn(value, predicate));
    const options = ['among', 'when_absent'];
    const unknown = keys.filter((key) => ![...PREDICATES, ...options].includes(key));
    for (const key of unknown) this.#unknown([...path, key], key, [...PREDICATES, ...options]);
    const [predicate] = predicates;
    if (predicate === undefined || predicates.length > 1) {
      if (unknown.length > 0 && predicate === undefined) return undefined;
      const problem =
        predicate === undefined ? 'there is no predicate' : `there are ${predicates.join(' and ')} in one`;
      const expected =
        predicate === undefined ? `one of ${PREDICATES.join(', ')}` : 'one of them; put several under `all` or `any`';
      this.#report.mistake(path, problem, expected);
      return undefined;
    }
    const among = this.#among(value, predicate, path);
    const whenAbsent = this.#whenAbsent(value, predicate, path);
    const rule = this.#predicate(predicate, value[predicate], [...path, predicate], depth);
    if (rule === undefined || unknown.length > 0) return undefined;
    return { ...rule, ...(among !== undefined && { among }), ...(whenAbsent !== undefined && { whenAbsent }) };
  }

  #predicate(is: Predicate, value: unknown, path: Path, depth: number): OrderRule | undefined {
    switch (is) {
      case 'before':
      case 'immediately_before':
      case 'never_after':
      case 'responds_to': {
        const [a, b] = this.#steps(value, path, `[a, b]: a ${is.replace('_', ' ')} b`, 2);
        return a && b && { is, a, b };
      }
      case 'between': {
        const [x, a, b] = this.#steps(value, path, '[x, a, b]: x between a and b', 3);
        return x && a && b && { is, x, a, b };
      }
      case 'within': {
        const [limit, ...steps] = this.#list(value, path, '[limit, a, b]: within the limit after a comes b', 3);
        if (steps.length !== 2) return undefined;
        const read = this.#limit(limit, [...path, 0]);
        const [a, b] = steps.map((step, at) => this.#step(step, [...path, at + 1]));
        return read && a && b && { is, limit: read, a, b };
      }
      case 'exactly':
      case 'at_least':
      case 'at_most': {
        const items = this.#list(value, path, `[number, step]: ${is.replace('_', ' ')} so many of it`, 2);
        if (items.length !== 2) return undefined;
        const times = this.#times(items[0], [...path, 0]);
        const a = this.#step(items[1], [...path, 1]);
        return times === undefined ? undefined : a && { is, times, a };
      }
      case 'never':
      case 'first':
      case 'last': {
        const a = this.#step(value, path);
        return a && { is, a };
      }
      case 'all':
      case 'any': {
        if (!isList(value) || value.length === 0) return this.#wrong(path, value, 'a list of predicates');
        const rules = value.map((rule, at) => this.rule(rule, [...path, at], depth + 1));
        const whole = rules.filter((rule) => rule !== undefined);
        return whole.length === rules.length ? { is, rules: whole } : undefined;
      }
      case 'not': {
        const rule = this.rule(value, path, depth + 1);
        return rule && { is, rule };
      }
    }
  }

  #steps(value: unknown, path: Path, form: string, count: number): readonly (Selector | undefined)[] {
    return this.#list(value, path, form, count).map((step, at) => this.#step(step, [...path, at]));
  }

  /** Empty where it is not so long a list. */
  #list(value: unknown, path: Path, form: string, count: number): readonly unknown[] {
    if (isList(value) && value.length === count) return value;
    const problem = isList(value) ? `the list has ${value.length}` : `${describe(value)} is no list`;
    this.#report.mistake(path, problem, form);
    return [];
  }

  #step(value: unknown, path: Path): Selector | undefined {
    if (typeof value === 'string' && value !== '') return compileSelector({ tool: value });
    if (!isMapping(value) || Object.keys(value).length === 0) {
      return this.#wrong(path, value, `a tool's name, or a step by ${STEP_FIELDS.join(', ')}`);
    }
    let isWhole = true;
    const wrong = (key: string, expected: string): undefined => {
      isWhole = false;
      return this.#wrong([...path, key], value[key], expected);
    };
    for (const key of Object.keys(value)) {
      if (STEP_FIELDS.some((field) => field === key)) continue;
      isWhole = false;
      this.#unknown([...path, key], key, STEP_FIELDS);
    }
    const globs = (key: 'tool' | 'name' | 'agent') => {
      if (!Object.hasOwn(value, key)) return undefined;
      return asTexts(value[key]) ?? wrong(key, 'a name, which may have * and ? in it, or a list of them');
    };
    const pattern = (key: 'args_match' | 'result_match') => {
      if (!Object.hasOwn(value, key)) return undefined;
      const text = value[key];
      if (typeof text !== 'string') return wrong(key, 'a pattern in RE2 syntax');
      const problem = patternMistake(text);
      if (problem === undefined) return text;
      isWhole = false;
      this.#report.mistake([...path, key], problem, 'a pattern in RE2 syntax');
      return undefined;
    };
    const flag = () => {
      if (!Object.hasOwn(value, 'ok')) return undefined;
      return typeof value.ok === 'boolean' ? value.ok : wrong('ok', 'true or false');
    };
    const condition = (): Condition | undefined => {
      if (!Object.hasOwn(value, 'where')) return undefined;
      if (typeof value.where !== 'string') return wrong('where', 'an expression over `call` and `step`');
      const compiled = this.#report.condition([...path, 'where'], value.where);
      if (compiled === undefined) isWhole = false;
      return compiled;
    };
    const kind = this.#kinds(value, path);
    if (Object.hasOwn(value, 'kind') && kind === undefined) isWhole = false;
    if (kind !== undefined && Object.hasOwn(value, 'tool')) {
      wrong('kind', 'either `tool` or `kind`: a tool is of kind tool');
    }
    const parts: SelectorParts = {
      tool: globs('tool'),
      kind,
      name: globs('name'),
      agent: globs('agent'),
      ok: flag(),
      argsMatch: pattern('args_match'),
      resultMatch: pattern('result_match'),
      where: condition(),
    };
    return isWhole ? compileSelector(parts) : undefined;
  }

  #kinds(value: Mapping, path: Path): readonly StepKind[] | undefined {
    if (!Object.hasOwn(value, 'kind')) return undefined;
    const given = asTexts(value.kind);
    if (given === undefined)
      return this.#wrong([...path, 'kind'], value.kind, `one of ${STEP_KINDS.join(', ')}, or a list`);
    const kinds = given.flatMap((kind) => STEP_KINDS.find((known) => known === kind) ?? []);
    if (kinds.length === given.length) return kinds;
    const stranger = given.find((kind) => !STEP_KINDS.some((known) => known === kind)) ?? '';
    const nearest = didYouMean(stranger, STEP_KINDS);
    const expected = nearest === undefined ? `one of ${STEP_KINDS.join(', ')}` : `did you mean '${nearest}'?`;
    this.#report.mistake([...path, 'kind'], `there is no step kind '${stranger}'`, expected);
    return undefined;
  }

  #limit(value: unknown, path: Path): Limit | undefined {
    const limit = typeof value === 'string' ? tryParseLimit(value) : undefined;
    return limit ?? this.#wrong(path, value, LIMIT_EXPECTED);
  }

  #times(value: unknown, path: Path): number | undefined {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    return this.#wrong(path, value, 'a whole number, 0 or more');
  }

  #among(value: Mapping, predicate: Predicate, path: Path): Selector | undefined {
    if (!Object.hasOwn(value, 'among')) return undefined;
    const at = [...path, 'among'];
    if (WITH_AMONG.includes(predicate)) return this.#step(value.among, at);
    this.#report.unknownField(at, `\`among\` says nothing to ${predicate}`, `it belongs to ${WITH_AMONG.join(', ')}`);
    return undefined;
  }

  #whenAbsent(value: Mapping, predicate: Predicate, path: Path): WhenAbsent | undefined {
    if (!Object.hasOwn(value, 'when_absent')) return undefined;
    const at = [...path, 'when_absent'];
    if (!WITH_WHEN_ABSENT.includes(predicate)) {
      const expected = `it belongs to ${WITH_WHEN_ABSENT.join(', ')}`;
      this.#report.unknownField(at, `\`when_absent\` says nothing to ${predicate}`, expected);
      return undefined;
    }
    const found = WHEN_ABSENT.find((known) => known === value.when_absent);
    return found ?? this.#wrong(at, value.when_absent, `one of ${WHEN_ABSENT.join(', ')}`);
  }

  #unknown(path: Path, key: string, known: readonly string[]): void {
    const nearest = didYouMean(key, known);
    const expected = nearest === undefined ? `one of ${known.join(', ')}` : `did you mean '${nearest}'?`;
    this.#report.unknownField(path, `unknown field '${key}'`, expected);
  }

  #wrong(path: Path, value: unknown, expected: string): undefined {
    this.#report.mistake(path, `${describe(value)} is not right`, expected);
    return undefined;
  }
}

type Mapping = Readonly<Record<string, unknown>>;

function asTexts(value: unknown): readonly string[] | undefined {
  const texts = isList(value) ? value : [value];
  const all = texts.filter((text) => typeof text === 'string' && text !== '').map(String);
  return all.length === texts.length && all.length > 0 ? all : undefined;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (isList(value)) return 'a list';
  return isMapping(value) ? 'a mapping' : JSON.stringify(value).slice(0, 80);
}
