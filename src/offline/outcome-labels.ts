/**
 * Outcomes of conversations from a file: CSV with a line of names, or JSON lines (YAML and JSON lists as well).
 *
 *     conversation_id   as the recording calls the conversation
 *     case              not needed: conversations of the same case resemble one another
 *     any other name    the outcome; where there are several, `label` says which
 *
 * An outcome is good or bad, true or false, 1 or 0, or a number that a limit makes good or bad. The file is checked whole; mistakes have their lines.
 */
import type { Mistake } from '../model/mistake.ts';
import type { OutcomeLabel } from '../model/validity.ts';
import { type Entry, isRecord, readList, wholeMistake } from './list-file.ts';

/** Limit from which a number is good, the limit included. */
export interface GoodLimit {
  readonly is: 'from' | 'up-to';
  readonly limit: number;
}

export interface OutcomeFile {
  /** The name of what holds the outcome. */
  readonly label: string;
  readonly entries: number;
  readonly outcomes: ReadonlyMap<string, FileOutcome>;
  /** Entries without an outcome. */
  readonly empty: number;
  /** Duplicate entries. */
  readonly repeated: number;
  /** Conversations that are called good and bad; they are in no outcome. */
  readonly contradicted: readonly string[];
}

/** A label with the file's own text. */
interface FileOutcome extends OutcomeLabel {
  readonly value: string;
}

interface Options {
  readonly label?: string | undefined;
  readonly good?: GoodLimit | undefined;
}

const ID = 'conversation_id';
const CASE = 'case';
const EXPECTED = `${ID}, an outcome and, if there are cases, ${CASE}, as CSV or JSON lines`;
const WORDS = new Map(Object.entries({ good: true, true: true, bad: false, false: false }));
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** More mistakes of a file than this are one line. */
const MISTAKES_MAX = 10;

export function readOutcomes(
  file: string,
  options: Options = {},
): { readonly read: OutcomeFile } | { readonly mistakes: readonly Mistake[] } {
  const { entries, mistakes: listMistakes } = readList(file, { expected: EXPECTED });
  if (listMistakes.length > 0) return { mistakes: firstOf(listMistakes, file) };
  const label = labelIn(entries, options.label);
  if (typeof label !== 'string') return { mistakes: [wholeMistake(file, label)] };
  const mistakes: Mistake[] = [];
  const said = entries.flatMap((entry): readonly Said[] => {
    const one = readEntry(entry, { label, good: options.good });
    if ('conversationId' in one) return [one];
    mistakes.push({ file, ...entry.placeOf([]), ...one });
    return [];
  });
  if (mistakes.length > 0) return { mistakes: firstOf(mistakes, file) };
  return { read: { label, entries: entries.length, ...gathered(said) } };
}

/** The error for a name that does not exist. */
function labelIn(entries: readonly Entry[], asked: string | undefined) {
  const names = new Set(entries.flatMap(({ value }) => (isRecord(value) ? Object.keys(value) : [])));
  if (entries.length === 0) return { problem: 'there are no outcomes in it', expected: EXPECTED };
  if (!names.has(ID)) return { problem: `nothing in it is called ${ID}`, expected: EXPECTED };
  const candidates = [...names].filter((name) => name !== ID && name !== CASE);
  return labelAmong(candidates, asked);
}

export function labelAmong(candidates: readonly string[], asked: string | undefined) {
  const [only] = candidates;
  if (only === undefined) return { problem: 'no outcome is in it', expected: EXPECTED };
  if (asked !== undefined && candidates.includes(asked)) return asked;
  if (asked === undefined && candidates.length === 1) return only;
  const problem =
    asked === undefined ? `${candidates.length} names may be the outcome` : `nothing in it is called ${asked}`;
  return { problem, expected: `--label with one of ${candidates.join(', ')}` };
}

interface Said {
  readonly conversationId: string;
  readonly case: string | undefined;
  /** Undefined if the entry has no outcome. */
  readonly isGood: boolean | undefined;
  readonly value: string;
}

function readEntry(
  { value }: Entry,
  { label, good }: { readonly label: string; readonly good: GoodLimit | undefined },
): Said | Pick<Mistake, 'path' | 'problem' | 'expected'> {
  if (!isRecord(value)) return { path: '', problem: 'this is no mapping of names', expected: EXPECTED };
  const conversationId = textIn(value, ID);
  if (conversationId === undefined) {
    return { path: ID, problem: 'the conversation is not named', expected: 'a text that is not empty' };
  }
  const given = Object.hasOwn(value, label) ? (value[label] ?? '') : '';
  const isGood = given === '' ? undefined : readValue(given, good);
  if (typeof isGood === 'string') return { path: label, problem: problemOf(given), expected: isGood };
  return { conversationId, case: textIn(value, CASE), isGood, value: String(given) };
}

/** The expected values, if a value is neither good nor bad. */
export function readValue(given: unknown, good: GoodLimit | undefined): boolean | string {
  if (typeof given === 'boolean') return given;
  const text = typeof given === 'string' || typeof given === 'number' ? String(given).trim().toLowerCase() : '';
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!NUMBER.test(text)) return 'good or bad, true or false, 1 or 0, or a number with --good-from or --good-up-to';
  const number = Number(text);
  if (!Number.isFinite(number)) return 'a number that a computer can hold';
  if (good !== undefined) return good.is === 'from' ? number >= good.limit : number <= good.limit;
  if (number === 0 || number === 1) return number === 1;
  return 'which numbers are good: --good-from 4 where more is better, --good-up-to 2 where less is';
}

export function problemOf(given: unknown): string {
  return `${JSON.stringify(given).slice(0, 80)} is neither good nor bad`;
}

/** Ids are numbers in many files; a person means the text. */
function textIn(value: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const given = Object.hasOwn(value, name) ? value[name] : undefined;
  if (typeof given === 'number') return String(given);
  return typeof given === 'string' && given !== '' ? given : undefined;
}

function gathered(said: readonly Said[]): Pick<OutcomeFile, 'outcomes' | 'empty' | 'repeated' | 'contradicted'> {
  const outcomes = new Map<string, FileOutcome>();
  const contradicted = new Set<string>();
  let empty = 0;
  let repeated = 0;
  for (const { conversationId, isGood, value, case: named } of said) {
    const before = outcomes.get(conversationId);
    if (isGood === undefined) empty += 1;
    else if (before === undefined) outcomes.set(conversationId, { isGood, value, case: named });
    else if (before.isGood === isGood) repeated += 1;
    else contradicted.add(conversationId);
  }
  for (const id of contradicted) outcomes.delete(id);
  return { outcomes, empty, repeated, contradicted: [...contradicted] };
}

export function firstOf(mistakes: readonly Mistake[], file: string): readonly Mistake[] {
  const more = mistakes.length - MISTAKES_MAX;
  if (more <= 0) return mistakes;
  return [...mistakes.slice(0, MISTAKES_MAX), wholeMistake(file, { problem: `${more} mistakes more`, expected: '' })];
}
