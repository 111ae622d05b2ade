/**
 * A value that was given beside one that was expected, as values and not as text:
 *
 *     30          30.0 and the text "30"; a text stays a text, so "007" is not "7". Whole numbers are the same where all digits are
 *     true        the text "true", in whatever case
 *     a time      the same time written in another way: 2026-03-02T10:00:00Z and 2026-03-02T12:00+02:00; 2026-03-02 and its midnight in any zone
 *     null        nothing given
 *     [a, b]      plain values are a set, in any order and each as often; lists of anything else are in order
 *     {a: 1}      at least these members
 *
 * Lists of one object whose names end with the same word belong together (`item_ids`, `new_item_ids`): they may be in another order, but in
 * the same one. A list or an object may be given as the text of its JSON.
 */
import { CheckError } from '../subject/answer.ts';
import { parseExactly } from '../../model/exact-json.ts';
import { isList, isMapping, type Json } from '../../model/json.ts';
import { show } from '../subject/values.ts';
import { toExcerpt } from '../subject/sentences.ts';

type Mapping = { readonly [key: string]: Json };

const DEPTH_MAX = 50;
/** Beyond, sets are compared in order: each member would be compared with each. */
const SET_MEMBERS_MAX = 1000;

/** The differences in words; empty if there are none. `name` is that of the value. */
export function valueDifferences(expected: Json, given: Json | undefined, name: string, depth = 0): readonly string[] {
  if (depth > DEPTH_MAX) throw new CheckError(`The expected arguments are nested more than ${DEPTH_MAX} levels deep.`);
  if (expected === null) return given === null || given === undefined ? [] : [differs(expected, given, name)];
  if (given === undefined) return [`${name} is missing, expected ${shown(expected)}`];
  if (typeof expected !== 'object') return isSameScalar(expected, given) ? [] : [differs(expected, given, name)];
  const inside = readAs(given);
  if (isList(expected)) {
    return isList(inside) ? listDifferences(expected, inside, name, depth) : [differs(expected, given, name)];
  }
  // The cast holds: it is an object and no list.
  return isMapping(inside)
    ? memberDifferences(expected as Mapping, inside, name, depth)
    : [differs(expected, given, name)];
}

function memberDifferences(expected: Mapping, given: Mapping, name: string, depth: number): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  for (const key of Object.keys(expected)) {
    if (done.has(key)) continue;
    const together = keysTogether(key, expected, given);
    for (const one of together) done.add(one);
    if (together.length > 1) found.push(...rowDifferences(together, expected, given, name));
    else
      found.push(...valueDifferences(member(expected, key) ?? null, member(given, key), joined(name, key), depth + 1));
  }
  return found;
}

/** The key, and those of the lists that belong to its list. */
function keysTogether(key: string, expected: Mapping, given: Mapping): readonly string[] {
  const length = lengthIn(key, expected, given);
  if (length === undefined || length < 2) return [key];
  const word = lastWord(key);
  return Object.keys(expected).filter(
    (other) => other === key || (lastWord(other) === word && lengthIn(other, expected, given) === length),
  );
}

/** Compares a list of plain values that is there on both sides and equally long. */
function lengthIn(key: string, expected: Mapping, given: Mapping): number | undefined {
  const [wanted, made] = [member(expected, key), member(given, key)];
  if (wanted === undefined || made === undefined || !isSet(wanted) || !isSet(made)) return undefined;
  return wanted.length === made.length ? wanted.length : undefined;
}

/** Lists that belong together are the columns of a table whose rows are a set. */
function rowDifferences(keys: readonly string[], expected: Mapping, given: Mapping, name: string): readonly string[] {
  const rowsOf = (of: Mapping): readonly (readonly Json[])[] => {
    const columns = keys.map((key) => listIn(member(of, key)));
    return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? null));
  };
  const isSameRow = (a: readonly Json[], b: readonly Json[]) => a.every((one, at) => isSameScalar(one, b[at] ?? null));
  const { lacking } = leftOver(rowsOf(expected), rowsOf(given), isSameRow);
  if (lacking.length === 0) return [];
  const names = keys.map((key) => joined(name, key)).join(' and ');
  return [`${names} lack ${toExcerpt(lacking.map((row) => show(row)).join(', '))} together`];
}

function listDifferences(
  expected: readonly Json[],
  given: readonly Json[],
  name: string,
  depth: number,
): readonly string[] {
  if (isSet(expected) && isSet(given) && expected.length <= SET_MEMBERS_MAX && given.length <= SET_MEMBERS_MAX) {
    const { lacking, beyond } = leftOver(expected, given, isSameScalar);
    return [
      ...lacking.map((one) => `${name} lacks ${shown(one)}`),
      ...beyond.map((one) => `${name} has ${shown(one)}, which was not expected`),
    ];
  }
  if (expected.length !== given.length) return [`${name} has ${given.length} elements, expected ${expected.length}`];
  return expected.flatMap((one, at) => valueDifferences(one, given[at], `${name}[${at}]`, depth + 1));
}

function leftOver<T>(expected: readonly T[], given: readonly T[], isSame: (a: T, b: T) => boolean) {
  const beyond = [...given];
  const lacking = expected.filter((one) => {
    const at = beyond.findIndex((other) => isSame(one, other));
    if (at >= 0) beyond.splice(at, 1);
    return at < 0;
  });
  return { lacking, beyond };
}

function isSameScalar(expected: Json, given: Json): boolean {
  if (expected === given) return true;
  if (typeof expected === 'number' || typeof given === 'number') {
    const whole = [wholeIn(expected), wholeIn(given)];
    if (whole[0] !== undefined && whole[1] !== undefined) return whole[0] === whole[1];
    const [a, b] = [numberIn(expected), numberIn(given)];
    return a !== undefined && b !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  }
  if (typeof expected === 'boolean' || typeof given === 'boolean') {
    return String(expected).toLowerCase() === String(given).toLowerCase();
  }
  if (typeof expected !== 'string' || typeof given !== 'string') return false;
  const [a, b] = [timeIn(expected), timeIn(given)];
  if (a === undefined || b === undefined) return false;
  // A day is its midnight, in whatever zone.
  if (a.isDay || b.isDay) return a.localMs === b.localMs;
  return a.ms === b.ms && a.hasZone === b.hasZone;
}

/** Ids are numbers too: they are not the same where one is only near the other. */
function wholeIn(value: Json): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^\s*[-+]?\d{1,400}\s*$/.test(value) ? BigInt(value.replace('+', '')) : undefined;
}

const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;

function numberIn(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[-+]\d{2}:?\d{2})?)?$/i;

interface Time {
  readonly ms: number;
  /** Clock time taken as UTC. */
  readonly localMs: number;
  readonly hasZone: boolean;
  readonly isDay: boolean;
}

/** A time without a zone is nobody's; it equals no time with one. */
function timeIn(text: string): Time | undefined {
  const [, date, time, zone] = TIME.exec(text) ?? [];
  if (date === undefined) return undefined;
  const offset = zone === undefined ? 'Z' : zone.toUpperCase().replace(/^([-+]\d{2})(\d{2})$/, '$1:$2');
  const local = `${date}T${time ?? '00:00'}`;
  const ms = Date.parse(`${local}${offset}`);
  if (Number.isNaN(ms)) return undefined;
  return { ms, localMs: Date.parse(`${local}Z`), hasZone: zone !== undefined, isDay: time === undefined };
}

function readAs(given: Json): Json {
  if (typeof given !== 'string' || !/^\s*[[{]/.test(given)) return given;
  try {
    // The cast holds for what was JSON.
    return parseExactly(given) as Json;
  } catch {
    // A text that only looked like JSON.
    return given;
  }
}

function isSet(value: Json): value is readonly Json[] {
  return isList(value) && value.every((one) => typeof one !== 'object' || one === null);
}

function listIn(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

function member(value: Mapping, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function lastWord(key: string): string {
  return /[A-Z]?[a-z]+$/.exec(key)?.[0].toLowerCase() ?? key;
}

function joined(name: string, key: string): string {
  return name === '' ? toExcerpt(key) : `${name}.${toExcerpt(key)}`;
}

function differs(expected: Json, given: Json, name: string): string {
  return `${name} is ${shown(given)}, expected ${shown(expected)}`;
}

function shown(value: Json): string {
  return toExcerpt(show(value));
}
