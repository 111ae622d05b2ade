/**
 * Labels from a file: YAML or JSON (a list), JSON lines, or CSV with a line of names. All of it is checked before anything is sent, and every
 * mistake is told with its line.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { LABELS } from '../model/labels.ts';
import type { Mistake } from '../model/mistake.ts';
import { shapeMistakes } from '../model/shape-mistakes.ts';
import { type Path, type Place, readWrittenDocument } from '../model/written-document.ts';

const idText = z.union([z.string('a text').min(1, 'a text that is not empty'), z.number().transform(String)]);
const name = z.string('a text').min(1, 'a text that is not empty');
const FIELDS = ['conversation', 'suite', 'criterion', 'label', 'by', 'turn_id', 'note'] as const;
const labelSchema = z.strictObject({
  conversation: idText,
  suite: name,
  criterion: name,
  label: z.enum(LABELS),
  by: name,
  turn_id: idText.optional(),
  note: z.string('a text').optional(),
});
export type WrittenLabel = z.output<typeof labelSchema>;

/** What entries have where they do not say it themselves. */
interface Given {
  readonly by?: string | undefined;
  readonly suite?: string | undefined;
}

interface ReadLabels {
  readonly labels: readonly WrittenLabel[];
  readonly mistakes: readonly Mistake[];
}

interface Entry {
  readonly value: unknown;
  readonly placeOf: (path: Path) => Place;
  readonly placeOfKey: (path: Path) => Place;
}

export function readLabels(file: string, given: Given): ReadLabels {
  const mistakes: Mistake[] = [];
  const labels: WrittenLabel[] = [];
  for (const { value, placeOf, placeOfKey } of entriesIn(file, mistakes)) {
    const filled = isRecord(value) ? { ...defined(given), ...value } : value;
    const parsed = labelSchema.safeParse(filled);
    if (parsed.success) labels.push(parsed.data);
    else mistakes.push(...shapeMistakes(parsed.error, { file, placeOf, placeOfKey }, filled, () => FIELDS));
  }
  if (labels.length === 0 && mistakes.length === 0) mistakes.push(wholeMistake(file, 'there are no labels in it'));
  return { labels, mistakes };
}

function entriesIn(file: string, mistakes: Mistake[]): readonly Entry[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    mistakes.push(wholeMistake(file, error instanceof Error ? error.message : String(error)));
    return [];
  }
  if (/\.csv$/i.test(file)) return csvEntries(text, file, mistakes);
  if (/\.(jsonl|ndjson)$/i.test(file)) return lineEntries(text, file, mistakes);
  const document = readWrittenDocument(text, file);
  mistakes.push(...document.mistakes);
  if (document.mistakes.length > 0) return [];
  const { value } = document;
  if (!Array.isArray(value)) {
    mistakes.push(wholeMistake(file, 'the file holds no list'));
    return [];
  }
  return value.map((entry: unknown, index) => ({
    value: entry,
    placeOf: (path) => document.placeOf([index, ...path]),
    placeOfKey: (path) => document.placeOfKey([index, ...path]),
  }));
}

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
function csvEntries(text: string, file: string, mistakes: Mistake[]): readonly Entry[] {
  const mistake = (line: number, problem: string, expected: string) =>
    mistakes.push({ file, line, column: undefined, path: '', problem, expected });
  const { rows, brokenAt } = csvRows(text);
  if (brokenAt !== undefined)
    mistake(brokenAt, 'a quote stands where none may', 'quotes around the whole field, and "" for a quote in it');
  const [names, ...others] = rows;
  const unknown = names?.fields.filter((field) => !FIELDS.some((known) => known === field)) ?? [];
  if (unknown.length > 0)
    mistake(1, `there is no field ${unknown.join(', ')}`, `a line of names from ${FIELDS.join(', ')}`);
  if (names === undefined || brokenAt !== undefined || unknown.length > 0) return [];
  return others.flatMap(({ fields, line }) => {
    if (fields.length === 1 && fields[0] === '') return [];
    if (fields.length !== names.fields.length) {
      mistake(line, `${fields.length} fields`, `${names.fields.length} fields, as in the first line`);
      return [];
    }
    // What is empty was not said.
    const pairs = names.fields.flatMap((field, index) => (fields[index] === '' ? [] : [[field, fields[index]]]));
    return [entryAt(line, Object.fromEntries(pairs))];
  });
}

interface CsvRow {
  readonly fields: readonly string[];
  readonly line: number;
}

const CSV_FIELD = /(^|,|\r?\n)(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))/g;

function csvRows(text: string): { readonly rows: readonly CsvRow[]; readonly brokenAt: number | undefined } {
  const rows: CsvRow[] = [];
  let fields: string[] = [];
  let begun = 1;
  let line = 1;
  let end = 0;
  for (const match of text.matchAll(CSV_FIELD)) {
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

function wholeMistake(file: string, problem: string): Mistake {
  const expected = `a list of {${FIELDS.slice(0, 5).join(', ')}}, as YAML, JSON, JSON lines or CSV`;
  return { file, line: undefined, column: undefined, path: '', problem, expected };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function defined(given: Given): Partial<Given> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
