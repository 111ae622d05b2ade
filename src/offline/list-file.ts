/**
 * Reads a list of entries from a file, as people and spreadsheets write them: YAML or JSON, JSON lines, or CSV with a line of names, separated by
 * commas, semicolons or tabs. Every entry knows its place, so that a mistake in it has a line.
 */
import { readFileSync } from 'node:fs';
import type { Mistake } from '../model/mistake.ts';
import { type Path, type Place, readWrittenDocument } from '../model/written-document.ts';
import { whyUnreadable } from '../model/why-unreadable.ts';

interface ListForm {
  /** Expected content, for the message about another. */
  readonly expected: string;
  /** The names that a CSV file may have; any, unless given. */
  readonly names?: readonly string[];
}

export interface Entry {
  readonly value: unknown;
  readonly placeOf: (path: Path) => Place;
  readonly placeOfKey: (path: Path) => Place;
}

interface ReadList {
  readonly entries: readonly Entry[];
  readonly mistakes: readonly Mistake[];
}

/** Entries that cannot be read are left out, and are mistakes. */
export function readList(file: string, form: ListForm): ReadList {
  const mistakes: Mistake[] = [];
  return { entries: entriesIn(file, form, mistakes), mistakes };
}

function entriesIn(file: string, form: ListForm, mistakes: Mistake[]): readonly Entry[] {
  const { expected } = form;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    mistakes.push(wholeMistake(file, { problem: whyUnreadable(error), expected }));
    return [];
  }
  if (/\.csv$/i.test(file)) return csvEntries(text, { file, known: form.names }, mistakes);
  if (/\.(jsonl|ndjson)$/i.test(file) || JSON_LINES.test(text)) return lineEntries(text, file, mistakes);
  const document = readWrittenDocument(text, file);
  mistakes.push(...document.mistakes);
  if (document.mistakes.length > 0) return [];
  // An answer of an API as it came.
  const within = isRecord(document.value) && Array.isArray(document.value.data) ? ['data'] : [];
  const value = isRecord(document.value) && within.length > 0 ? document.value.data : document.value;
  if (!Array.isArray(value)) {
    mistakes.push(wholeMistake(file, { problem: 'the file is not a list', expected }));
    return [];
  }
  return value.map((entry: unknown, index) => ({
    value: entry,
    placeOf: (path) => document.placeOf([...within, index, ...path]),
    placeOfKey: (path) => document.placeOfKey([...within, index, ...path]),
  }));
}

/** Two lines that each begin and end as an object, whatever the file is called. */
const JSON_LINES = /^\s*\{[^\n]*\}\s*\n\s*\{[^\n]*\}\s*(?:\n|$)/;

function lineEntries(text: string, file: string, mistakes: Mistake[]): readonly Entry[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [entryAt(index + 1, JSON.parse(line))];
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      mistakes.push({
        file,
        line: index + 1,
        column: undefined,
        path: '',
        problem,
        expected: 'one JSON object a line',
      });
      return [];
    }
  });
}

/** RFC 4180: fields in quotes may hold commas, line ends, and quotes written twice. */
function csvEntries(
  text: string,
  { file, known }: { readonly file: string; readonly known: readonly string[] | undefined },
  mistakes: Mistake[],
): readonly Entry[] {
  const mistake = (line: number, problem: string, expected: string) =>
    mistakes.push({ file, line, column: undefined, path: '', problem, expected });
  const { rows, brokenAt } = csvRows(text);
  if (brokenAt !== undefined)
    mistake(brokenAt, 'a quote stands where none may', 'quotes around the whole field, and "" for a quote in it');
  const [names, ...others] = rows;
  const repeated = names?.fields.find((field, index) => names.fields.indexOf(field) !== index);
  if (repeated !== undefined)
    mistake(1, `two columns are called ${JSON.stringify(repeated.slice(0, 80))}`, 'a name of its own for each column');
  const unknown = known === undefined ? [] : (names?.fields.filter((field) => !known.includes(field)) ?? []);
  if (unknown.length > 0)
    mistake(1, `there is no field ${unknown.join(', ')}`, `a line of names from ${known?.join(', ')}`);
  if (names === undefined || brokenAt !== undefined || unknown.length > 0 || repeated !== undefined) return [];
  return others.flatMap(({ fields, line }) => {
    if (fields.length === 1 && fields[0] === '') return [];
    if (fields.length !== names.fields.length) {
      mistake(line, `${fields.length} fields`, `${names.fields.length} fields, as in the first line`);
      return [];
    }
    // Empty fields count as absent.
    const pairs = names.fields.flatMap((field, index) => (fields[index] === '' ? [] : [[field, fields[index]]]));
    return [entryAt(line, Object.fromEntries(pairs))];
  });
}

interface CsvRow {
  readonly fields: readonly string[];
  readonly line: number;
}

/** In countries that write decimals with a comma, spreadsheets separate fields with semicolons. */
const SEPARATORS = [',', ';', '\t'] as const;
const CSV_FIELDS = {
  ',': /(^|,|\r?\n)(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))/g,
  ';': /(^|;|\r?\n)(?:"([^"]*(?:""[^"]*)*)"|([^";\r\n]*))/g,
  '\t': /(^|\t|\r?\n)(?:"([^"]*(?:""[^"]*)*)"|([^"\t\r\n]*))/g,
} as const;

/** The first one that the line of names has. */
function separatorIn(text: string): (typeof SEPARATORS)[number] {
  const [names = ''] = text.split('\n', 1);
  return SEPARATORS.find((separator) => names.includes(separator)) ?? ',';
}

function csvRows(text: string): { readonly rows: readonly CsvRow[]; readonly brokenAt: number | undefined } {
  const rows: CsvRow[] = [];
  let fields: string[] = [];
  let begun = 1;
  let line = 1;
  let end = 0;
  for (const match of text.matchAll(CSV_FIELDS[separatorIn(text)])) {
    const [whole, separator = '', quoted, plain = ''] = match;
    if (match.index !== end) break;
    end += whole.length;
    if (separator.endsWith('\n')) {
      rows.push({ fields, line: begun });
      fields = [];
      line += 1;
      begun = line;
    }
    fields.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += (quoted ?? '').split('\n').length - 1;
  }
  rows.push({ fields, line: begun });
  return { rows, brokenAt: end < text.length ? line : undefined };
}

function entryAt(line: number, value: unknown): Entry {
  const place = () => ({ line, column: undefined });
  return { value, placeOf: place, placeOfKey: place };
}

export function wholeMistake(
  file: string,
  { problem, expected }: { readonly problem: string; readonly expected: string },
): Mistake {
  return { file, line: undefined, column: undefined, path: '', problem, expected };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
