/**
 * Another value that could have stood there as well: the next number, another day, another name. Wrong in a way that a model is wrong, and not so that
 * every check of types would see it.
 */
import type { Chance } from './chance.ts';
import type { LeafValue } from './leaves.ts';

const NAMES = ['Maria', 'Tomas', 'Ingrid', 'Paul', 'Sofia', 'Erik'];
const CYCLES = [
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
  'january february march april may june july august september october november december'.split(' '),
];
const PAIRS = [
  ['open', 'closed'],
  ['high', 'low'],
  ['asc', 'desc'],
  ['yes', 'no'],
  ['on', 'off'],
  ['active', 'inactive'],
  ['true', 'false'],
  ['approved', 'rejected'],
  ['ok', 'pending'],
  ['done', 'pending'],
  ['success', 'failure'],
  ['succeeded', 'failed'],
  ['completed', 'failed'],
  ['confirmed', 'tentative'],
  ['booked', 'cancelled'],
  ['available', 'unavailable'],
  ['paid', 'unpaid'],
];
const DATE = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?/;
const LAST_NUMBER = /\d{1,15}(?=\D*$)/;
const TEXT_LENGTH_MAX = 200;

/** Undefined where none comes to mind. Names are not among those that the conversation knows. */
export function otherValue(value: LeafValue, { chance, known }: OtherValueContext): LeafValue | undefined {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return otherNumber(value);
  return value.length > TEXT_LENGTH_MAX ? undefined : otherText(value, { chance, known });
}

interface OtherValueContext {
  readonly chance: Chance;
  /** All texts of the conversation, in lower case. */
  readonly known: string;
}

/** Half as much again: 45 minutes instead of 30. */
function otherNumber(value: number): number {
  if (!Number.isFinite(value)) return 1;
  if (Number.isInteger(value)) return value + Math.max(1, Math.round(Math.abs(value) / 2));
  return Number((value * 1.5).toPrecision(6));
}

function otherText(text: string, context: OtherValueContext): string | undefined {
  const date = DATE.exec(text);
  if (date !== null) return splice(text, date, otherDate(date[0]));
  const lower = text.toLowerCase();
  for (const cycle of CYCLES) {
    const at = cycle.indexOf(lower);
    const next = cycle[(at + 1) % cycle.length];
    if (at >= 0 && next !== undefined) return inCaseOf(text, next);
  }
  for (const [one = '', other = ''] of PAIRS) {
    if (lower === one) return inCaseOf(text, other);
    if (lower === other) return inCaseOf(text, one);
  }
  const number = LAST_NUMBER.exec(text);
  if (number !== null) return splice(text, number, nextDigits(number[0]));
  // Sentences and queries have a meaning that no other word can be put into.
  if (!/^\p{L}[\p{L}'.@_-]*(?: \p{L}[\p{L}'.-]*)?$/u.test(text)) return undefined;
  const names = NAMES.filter((name) => !context.known.includes(name.toLowerCase()));
  const name = context.chance.pick(names.length > 0 ? names : NAMES) ?? 'Maria';
  return text.includes('@') ? `${name.toLowerCase()}${text.slice(text.indexOf('@'))}` : inCaseOf(text, name);
}

/** An hour later where it has an hour, else a day; never another form. */
function otherDate(date: string): string {
  const hour = /(?<=[T ])\d{2}/.exec(date);
  if (hour !== null) return splice(date, hour, String((Number(hour[0]) + 1) % 24).padStart(2, '0'));
  const day = Number(date.slice(8));
  return `${date.slice(0, 8)}${String(day >= 28 ? day - 1 : day + 1).padStart(2, '0')}`;
}

function nextDigits(digits: string): string {
  const next = String((Number(digits) + 1) % 10 ** digits.length).padStart(digits.length, '0');
  return digits.length === 1 && next === '0' ? '8' : next;
}

function splice(text: string, found: RegExpExecArray, by: string): string {
  return `${text.slice(0, found.index)}${by}${text.slice(found.index + found[0].length)}`;
}

function inCaseOf(model: string, text: string): string {
  const [first = ''] = model;
  return first === first.toLowerCase()
    ? text.toLowerCase()
    : `${text.slice(0, 1).toUpperCase()}${text.slice(1).toLowerCase()}`;
}
