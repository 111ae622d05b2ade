/**
 * Values on their way into and out of CEL. The library uses `constructor` to distinguish a map from a list, so a span's
 * object with a key of that name would confuse it. Such objects (and what contains them) are handed over as `Map`s,
 * where every key is just a key. All others go as they are, without a copy.
 *
 * Nesting is bounded here: the library recurses into values to find their types.
 */
import { isList, type Json } from '../../model/json.ts';

const DEPTH_MAX = 100;

/** Safe to hand to an expression. Throws a RangeError where it is nested beyond reason. */
export function inert(value: Json): unknown {
  return isHarmless(value, 0) ? value : toMaps(value);
}

function isHarmless(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > DEPTH_MAX) throw new RangeError(`the value is nested more than ${DEPTH_MAX} levels deep`);
  if (isList(value)) {
    for (const element of value) if (!isHarmless(element, depth + 1)) return false;
    return true;
  }
  for (const key of Object.keys(value)) {
    if (key === 'constructor') return false;
    const member = value[key];
    if (member !== undefined && !isHarmless(member, depth + 1)) return false;
  }
  return true;
}

function toMaps(value: Json): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return isList(value)
    ? value.map(toMaps)
    : new Map(Object.entries(value).map(([key, member]) => [key, toMaps(member)]));
}

/** How a value is shown in a reason: as a person would write it, shortened by whoever uses it. */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 400 ? value.slice(0, 400) : value);
    case 'bigint':
    case 'number':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : showObject(value);
    default:
      return typeof value;
  }
}

const SHOWN_MAX = 8;

function showObject(value: object): string {
  if (Array.isArray(value)) return `[${showSome(value, show)}]`;
  if (value instanceof Set) return `[${showSome([...value], show)}]`;
  const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : undefined;
  if (entries === undefined) return value.constructor.name;
  return `{${showSome(entries, ([key, member]) => `${key}: ${show(member)}`)}}`;
}

function showSome<T>(values: readonly T[], showOne: (value: T) => string): string {
  const shown = values.slice(0, SHOWN_MAX).map(showOne).join(', ');
  return values.length > SHOWN_MAX ? `${shown}, …` : shown;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Whether two values are equal as CEL has it: 30 and 30.0 are, and so are lists and maps of equal members. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    // biome-ignore lint/suspicious/noDoubleEquals: between bigint and number `==` compares the mathematical values.
    return (typeof a === 'number' || typeof b === 'number') && a == b;
  }
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((element, at) => sameValue(element, b[at]));
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(b)) return false;
  const membersA = membersOf(a);
  const membersB = membersOf(b);
  if (membersA.size !== membersB.size) return false;
  for (const [key, member] of membersA) {
    if (!membersB.has(key) || !sameValue(member, membersB.get(key))) return false;
  }
  return true;
}

function membersOf(value: object): ReadonlyMap<unknown, unknown> {
  return value instanceof Map ? value : new Map(Object.entries(value));
}
