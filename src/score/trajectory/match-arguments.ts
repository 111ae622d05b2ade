/**
 * The arguments of a call beside those that a golden trace expects, argument by argument:
 *
 *     3, true, null, [1, 2]               the same value; the text "3" for the number 3 is partly right
 *     "TKT-*"                             a glob; without `*` and `?` the same text; `*` alone is any value of any type
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
import { inert, sameValue, show } from '../subject/values.ts';
import { compileGlob } from '../../model/glob.ts';
import { toExcerpt } from '../subject/sentences.ts';

type Grade = 'right' | 'partly' | 'wrong';

/** Makes the scope that an expression among the arguments is evaluated with. */
export type ArgumentScope = (value: unknown, args: unknown) => object;

export interface ValueMatcher {
  /** The value itself, where it is right and all others of its type are wrong: most arguments are such, and quickly compared. */
  readonly scalar: Scalar | undefined;
  readonly matches: (value: Json, args: Json, scope: ArgumentScope) => Grade;
}

type Scalar = string | number | boolean | null;

interface ExpectedMember extends ValueMatcher {
  readonly key: string;
}

export interface ExpectedArgument extends ExpectedMember {
  /** Expectation in words for people. */
  readonly expected: string;
  /** A value that should match; undefined where none comes to mind. */
  readonly example: Json | undefined;
  /** If it is wrong, so is the step. */
  readonly critical: boolean;
}

export interface ArgumentsMatcher {
  readonly expected: readonly ExpectedArgument[];
  /** Keys of the arguments; steps of one trace that have the same keys share one list. */
  readonly keys: readonly string[];
  /** Other arguments are no mistake. */
  readonly open: boolean;
  readonly ignored: ReadonlySet<string>;
  /**
   * Arguments, as the text of their JSON, that were found right, where nothing but the arguments decides that. Runs of one task resemble
   * each other: the same text need not be parsed and compared again.
   */
  readonly lastRight: { text: string | undefined } | undefined;
}

/** Closeness of arguments that are equal. */
export const CLOSEST = 5;
const POINTS = 8;

/** Points and closeness in one small number: very many pairs are compared. */
export const RIGHT = 2 * POINTS + CLOSEST;

/** 1, 0.5 or 0, doubled. */
export function pointsIn(grade: number): 0 | 1 | 2 {
  return grade >= 2 * POINTS ? 2 : grade >= POINTS ? 1 : 0;
}

/** How many of the expected arguments are right, from 0 to CLOSEST; among calls of the same points the closer one is meant. */
export function closenessIn(grade: number): number {
  return grade % POINTS;
}

/** The arguments of a call, taken out of it by the keys that are expected: calls are compared with many steps of the same keys. */
export interface GivenArguments {
  readonly args: Json;
  readonly members: Members | undefined;
  readonly keys: readonly string[];
  readonly values: readonly (Json | undefined)[];
}

export function argumentsFor({ keys }: ArgumentsMatcher, args: Json): GivenArguments {
  const members = membersOf(args);
  const values: (Json | undefined)[] = [];
  for (const key of keys) values.push(members === undefined ? undefined : memberOf(members, key));
  return { args, members, keys, values };
}

/**
 * All right: 1. None right, or a critical one wrong: 0. Else 0.5. An argument of the wrong type counts as right in part; one that
 * nobody expected makes the call right in part.
 */
export function compareArguments(
  matcher: ArgumentsMatcher,
  { args, members, values }: GivenArguments,
  scope: ArgumentScope,
): number {
  const { expected } = matcher;
  const { length } = expected;
  let right = 0;
  let partly = 0;
  let critical = false;
  for (let at = 0; at < length; at += 1) {
    const argument = expected[at] as ExpectedArgument;
    const grade = gradeOf(argument, values[at], args, scope);
    if (grade === 'right') right += 1;
    else if (grade === 'partly') partly += 1;
    else critical ||= argument.critical;
  }
  const closeness = length === 0 ? CLOSEST : Math.round(((right + partly / 2) / length) * CLOSEST);
  if (critical || (length > 0 && right + partly === 0)) return closeness;
  const clean =
    right === length && (matcher.open || members === undefined || unexpectedIn(matcher, members) === undefined);
  return (clean ? 2 : 1) * POINTS + closeness;
}

function gradeOf({ scalar, matches }: ValueMatcher, value: Json | undefined, args: Json, scope: ArgumentScope): Grade {
  if (value === undefined) return 'wrong';
  if (value === scalar) return 'right';
  // Only what is of another type may be right in part.
  if (scalar !== undefined && typeof value === typeof scalar) return 'wrong';
  return matches(value, args, scope);
}

/** Differences of the arguments, for people. Empty where all is. */
export function differences(matcher: ArgumentsMatcher, args: Json, scope: ArgumentScope): readonly string[] {
  const members = membersOf(args);
  if (members === undefined) return [`the arguments are ${toExcerpt(show(args))}, no object`];
  const notes: string[] = [];
  for (const { key, matches, expected } of matcher.expected) {
    const value = memberOf(members, key);
    if (value === undefined) {
      notes.push(`${toExcerpt(key)} is missing (expected ${toExcerpt(expected)})`);
      continue;
    }
    const grade = matches(value, args, scope);
    if (grade === 'right') continue;
    const but = `${toExcerpt(key)} is ${toExcerpt(show(value))}, expected ${toExcerpt(expected)}`;
    notes.push(grade === 'partly' ? `${but} (the type differs)` : but);
  }
  const unexpected = matcher.open ? undefined : unexpectedIn(matcher, members);
  if (unexpected !== undefined) notes.push(`${toExcerpt(unexpected)} was not expected`);
  return notes;
}

type Members = { readonly [key: string]: Json };

function membersOf(args: Json): Members | undefined {
  if (typeof args !== 'object' || args === null) return args === null || args === '' ? {} : undefined;
  // The cast holds: it is an object and no list.
  return Array.isArray(args) ? undefined : (args as Members);
}

/** Argument of a call by its name; undefined if it has none. */
export function argumentOf(args: Json, key: string): Json | undefined {
  const members = membersOf(args);
  return members === undefined ? undefined : memberOf(members, key);
}

/** Not what every object has, unless it is its own. */
function memberOf(members: Members, key: string): Json | undefined {
  const member = members[key];
  // JSON has no functions; beyond those every object has its prototype.
  return typeof member === 'function' || member === INHERITED ? undefined : member;
}

const INHERITED: unknown = Object.prototype;

function unexpectedIn({ expected, ignored }: ArgumentsMatcher, members: Members): string | undefined {
  for (const key in members) {
    if (ignored.has(key)) continue;
    let isExpected = false;
    for (const argument of expected) isExpected ||= argument.key === key;
    if (!isExpected) return key;
  }
  return undefined;
}

function matcher(matches: ValueMatcher['matches']): ValueMatcher {
  return { scalar: undefined, matches };
}

export function anything(): ValueMatcher {
  return matcher(() => 'right');
}

export function text(glob: string): ValueMatcher {
  if (glob === '*') return anything();
  const isGlob = glob.includes('*') || glob.includes('?');
  if (!isGlob) return exactly(glob);
  const isSuch = compileGlob(glob);
  return matcher((value) => {
    if (typeof value === 'string') return isSuch(value) ? 'right' : 'wrong';
    return (typeof value === 'number' || typeof value === 'boolean') && isSuch(String(value)) ? 'partly' : 'wrong';
  });
}

export function exactly(wanted: Json): ValueMatcher {
  if (typeof wanted !== 'object' || wanted === null) {
    const written = wanted === null ? undefined : String(wanted);
    const matches = (value: Json): Grade => {
      if (value === wanted) return 'right';
      const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return scalar && typeof value !== typeof wanted && sameWords(String(value), written) ? 'partly' : 'wrong';
    };
    return { scalar: wanted, matches };
  }
  return matcher((value) => {
    if (value === null || typeof value !== 'object') return wrongType(value, wanted);
    return sameValue(inert(value), wanted) ? 'right' : 'wrong';
  });
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
    // A text that only looked like JSON.
    return 'wrong';
  }
}

export function near(wanted: number, within: number): ValueMatcher {
  return matcher((value) => {
    if (typeof value === 'number') return Math.abs(value - wanted) <= within ? 'right' : 'wrong';
    const isNear = typeof value === 'string' && value.trim() !== '' && Math.abs(Number(value) - wanted) <= within;
    return isNear ? 'partly' : 'wrong';
  });
}

export function expression(program: Program): ValueMatcher {
  return matcher((value, args, scope) => {
    const end = program.run(scope(inert(value), inert(args)));
    return end.kind === 'value' && end.value === true ? 'right' : 'wrong';
  });
}

/** All members must be right for the whole to be; it is partly right where all are at least that. */
export function members(expected: readonly ExpectedMember[], open: boolean): ValueMatcher {
  const keys = new Set(expected.map(({ key }) => key));
  return matcher((value, args, scope) => {
    const inside = typeof value === 'object' && value !== null ? membersOf(value) : undefined;
    if (inside === undefined) return 'wrong';
    let grade: Grade = 'right';
    for (const member of expected) {
      const of = gradeOf(member, memberOf(inside, member.key), args, scope);
      if (of === 'wrong') return 'wrong';
      if (of === 'partly') grade = 'partly';
    }
    if (!open) for (const key in inside) if (!keys.has(key)) return 'wrong';
    return grade;
  });
}

/** At least these elements, in whatever order; each stands for one. */
export function elements(expected: readonly ValueMatcher[]): ValueMatcher {
  return matcher((value, args, scope) => {
    if (!Array.isArray(value)) return 'wrong';
    // `Array.isArray` alone does not narrow a readonly array.
    const list: readonly Json[] = value;
    const taken = new Set<number>();
    for (const { matches } of expected) {
      const at = list.findIndex((element, index) => !taken.has(index) && matches(element, args, scope) === 'right');
      if (at < 0) return 'wrong';
      taken.add(at);
    }
    return 'right';
  });
}
