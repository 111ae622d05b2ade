/**
 * The arguments of a call beside those that a golden trace expects, argument by argument:
 *
 *     3, true, null, [1, 2]               the same value; the text "3" for the number 3 is partly right
 *     "TKT-*"                             a glob; without `*` and `?` the same text
 *     { status: open, tags: [a] }         an object with exactly these members, each compared in the same way
 *     { $exact: "a*b" }                   the same value, no glob
 *     { $cel: "value > 3" }               an expression over `value`, `args` and all that checks can read
 *     { $near: 30, $within: 0.5 }         a number, give or take
 *     { $subset: { status: open } }       an object with at least these members; of a list, at least these elements
 *     { $any: true }                      whatever it is, as long as it is there
 *
 * Everything is compiled when the trace is read. Comparing is bounded by the size of what is expected.
 */
import type { Json } from '../../model/json.ts';
import type { Program } from '../cel/program.ts';
import { inert, sameValue, show } from '../cel/values.ts';
import { compileGlob } from '../../model/glob.ts';
import { toExcerpt } from '../sentences.ts';

export type Grade = 'right' | 'partly' | 'wrong';

/** Makes the scope that an expression among the arguments is evaluated with. */
export type ArgumentScope = (value: unknown, args: unknown) => object;

export type ValueMatcher = (value: Json, args: Json, scope: ArgumentScope) => Grade;

export interface ExpectedArgument {
  readonly key: string;
  readonly matches: ValueMatcher;
  /** For people. */
  readonly expected: string;
  /** A value that should match; undefined where none comes to mind. */
  readonly example: Json | undefined;
  /** Where it is wrong, so is the step. */
  readonly critical: boolean;
}

export interface ArgumentsMatcher {
  readonly expected: readonly ExpectedArgument[];
  /** Other arguments are no mistake. */
  readonly open: boolean;
  readonly ignored: ReadonlySet<string>;
  /**
   * Arguments, as the text of their JSON, that were found right, where nothing but the arguments decides that. Runs of one task resemble
   * each other: the same text need not be parsed and compared again.
   */
  readonly lastRight: { text: string | undefined } | undefined;
}

export interface ArgumentsComparison {
  /** 1, 0.5 or 0, doubled. */
  readonly points: 0 | 1 | 2;
  /** How many of the expected arguments are right, from 0 to 1; among calls of the same points the closer one is meant. */
  readonly closeness: number;
}

/**
 * All right: 1. None right, or a critical one wrong: 0. Else 0.5. An argument of the wrong type counts as right in part; one that
 * nobody expected makes the call right in part.
 */
export function compareArguments(matcher: ArgumentsMatcher, args: Json, scope: ArgumentScope): ArgumentsComparison {
  const given = membersOf(args);
  let right = 0;
  let partly = 0;
  let critical = false;
  for (const { key, matches, critical: isCritical } of matcher.expected) {
    const value = given === undefined ? undefined : memberOf(given, key);
    const grade = value === undefined ? 'wrong' : matches(value, args, scope);
    if (grade === 'right') right += 1;
    else if (grade === 'partly') partly += 1;
    else critical ||= isCritical;
  }
  const { length } = matcher.expected;
  const closeness = length === 0 ? 1 : (right + partly / 2) / length;
  if (critical || (length > 0 && right + partly === 0)) return { points: 0, closeness };
  const clean = right === length && (matcher.open || given === undefined || unexpectedIn(matcher, given) === undefined);
  return { points: clean ? 2 : 1, closeness };
}

/** What is not right about them, for people. Empty where all is. */
export function differences(matcher: ArgumentsMatcher, args: Json, scope: ArgumentScope): readonly string[] {
  const given = membersOf(args);
  if (given === undefined) return [`the arguments are ${toExcerpt(show(args))}, no object`];
  const notes: string[] = [];
  for (const { key, matches, expected } of matcher.expected) {
    const value = memberOf(given, key);
    if (value === undefined) {
      notes.push(`${toExcerpt(key)} is missing (expected ${toExcerpt(expected)})`);
      continue;
    }
    const grade = matches(value, args, scope);
    if (grade === 'right') continue;
    const but = `${toExcerpt(key)} is ${toExcerpt(show(value))}, expected ${toExcerpt(expected)}`;
    notes.push(grade === 'partly' ? `${but} (the type differs)` : but);
  }
  const unexpected = matcher.open ? undefined : unexpectedIn(matcher, given);
  if (unexpected !== undefined) notes.push(`${toExcerpt(unexpected)} was not expected`);
  return notes;
}

type Members = { readonly [key: string]: Json };

function membersOf(args: Json): Members | undefined {
  if (typeof args !== 'object' || args === null) return args === null || args === '' ? {} : undefined;
  // The cast holds: it is an object and no list.
  return Array.isArray(args) ? undefined : (args as Members);
}

/** One argument of a call; undefined where it has none of that name. */
export function argumentOf(args: Json, key: string): Json | undefined {
  const given = membersOf(args);
  return given === undefined ? undefined : memberOf(given, key);
}

/** Not what every object has, unless it is its own. */
function memberOf(members: Members, key: string): Json | undefined {
  return INHERITED.has(key) && !Object.hasOwn(members, key) ? undefined : members[key];
}

const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

function unexpectedIn({ expected, ignored }: ArgumentsMatcher, given: Members): string | undefined {
  for (const key in given) {
    if (ignored.has(key)) continue;
    let isExpected = false;
    for (const argument of expected) isExpected ||= argument.key === key;
    if (!isExpected) return key;
  }
  return undefined;
}

export function anything(): ValueMatcher {
  return () => 'right';
}

export function text(glob: string): ValueMatcher {
  const matches = compileGlob(glob);
  const isGlob = glob.includes('*') || glob.includes('?');
  if (!isGlob) return exactly(glob);
  return (value) => {
    if (typeof value === 'string') return matches(value) ? 'right' : 'wrong';
    return (typeof value === 'number' || typeof value === 'boolean') && matches(String(value)) ? 'partly' : 'wrong';
  };
}

export function exactly(wanted: Json): ValueMatcher {
  if (typeof wanted !== 'object' || wanted === null) {
    const written = wanted === null ? undefined : String(wanted);
    return (value) => {
      if (value === wanted) return 'right';
      const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return scalar && typeof value !== typeof wanted && sameWords(String(value), written) ? 'partly' : 'wrong';
    };
  }
  return (value) => {
    if (value === null || typeof value !== 'object') return wrongType(value, wanted);
    return sameValue(inert(value), wanted) ? 'right' : 'wrong';
  };
}

/** `"3"` for 3, `"3.0"` for 3, `"True"` for true. */
function sameWords(value: string, wanted: string | undefined): boolean {
  if (wanted === undefined) return false;
  if (value.trim().toLowerCase() === wanted.toLowerCase()) return true;
  return value.trim() !== '' && wanted.trim() !== '' && Number(value) === Number(wanted);
}

/** A list or an object that was handed over as the text of its JSON. */
function wrongType(value: Json, wanted: Json): Grade {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return 'wrong';
  try {
    const parsed: unknown = JSON.parse(value);
    return sameValue(parsed, wanted) ? 'partly' : 'wrong';
  } catch {
    // It only looked like JSON.
    return 'wrong';
  }
}

export function near(wanted: number, within: number): ValueMatcher {
  return (value) => {
    if (typeof value === 'number') return Math.abs(value - wanted) <= within ? 'right' : 'wrong';
    const isNear = typeof value === 'string' && value.trim() !== '' && Math.abs(Number(value) - wanted) <= within;
    return isNear ? 'partly' : 'wrong';
  };
}

export function expression(program: Program): ValueMatcher {
  return (value, args, scope) => {
    const end = program.run(scope(inert(value), inert(args)));
    return end.kind === 'value' && end.value === true ? 'right' : 'wrong';
  };
}

/** All members must be right for the whole to be; it is partly right where all are at least that. */
export function members(expected: readonly (readonly [string, ValueMatcher])[], open: boolean): ValueMatcher {
  const keys = new Set(expected.map(([key]) => key));
  return (value, args, scope) => {
    const given = typeof value === 'object' && value !== null ? membersOf(value) : undefined;
    if (given === undefined) return 'wrong';
    if (!open) for (const key in given) if (!keys.has(key)) return 'wrong';
    let grade: Grade = 'right';
    for (const [key, matches] of expected) {
      const member = memberOf(given, key);
      const of = member === undefined ? 'wrong' : matches(member, args, scope);
      if (of === 'wrong') return 'wrong';
      if (of === 'partly') grade = 'partly';
    }
    return grade;
  };
}

/** At least these elements, in whatever order; each stands for one. */
export function elements(expected: readonly ValueMatcher[]): ValueMatcher {
  return (value, args, scope) => {
    if (!Array.isArray(value)) return 'wrong';
    // `Array.isArray` alone does not tell what a readonly array holds.
    const given: readonly Json[] = value;
    const taken = new Set<number>();
    for (const matches of expected) {
      const at = given.findIndex((element, index) => !taken.has(index) && matches(element, args, scope) === 'right');
      if (at < 0) return 'wrong';
      taken.add(at);
    }
    return 'right';
  };
}
