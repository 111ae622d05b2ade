/**
 * Reads labels of people, and readings, from a file. All of it is checked before anything is sent, and every mistake is
 * reported with its line.
 */
import { z } from 'zod';
import { LABELS } from '../model/labels.ts';
import type { Mistake } from '../model/mistake.ts';
import { KIND_CHARACTERS_MAX, kindName } from '../model/named-kinds.ts';
import { READING_ANSWERS } from '../model/readings.ts';
import { shapeMistakes } from '../model/shape-mistakes.ts';
import { present } from '../model/present.ts';
import { isRecord, readList, wholeMistake } from '../offline/list-file.ts';

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

/** Values for entries that do not give their own. */
interface Given {
  readonly by?: string | undefined;
  readonly suite?: string | undefined;
}

export function readLabels(file: string, given: Given) {
  const form = { schema: labelSchema, fields: FIELDS, needed: 5, are: 'labels' };
  const { all, mistakes } = readAll(file, form, (entry) => ({ ...present(given), ...entry }));
  return { labels: all, mistakes };
}

const READING_FIELDS = ['conversation_id', 'answer', 'by', 'first_wrong', 'note', 'kind'] as const;
const readingSchema = z
  .strictObject({
    conversation_id: idText,
    answer: z.enum(READING_ANSWERS),
    by: name,
    first_wrong: idText.optional(),
    note: z.string('a text').optional(),
    kind: name.max(KIND_CHARACTERS_MAX, `at most ${KIND_CHARACTERS_MAX} characters`).transform(kindName).optional(),
  })
  .refine(({ answer, kind }) => kind === undefined || answer === 'bad', {
    path: ['kind'],
    message: 'a kind of failure goes with the answer `bad`',
  });
const ANSWERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ true: 'good', 1: 'good', false: 'bad', 0: 'bad' }),
);

export function readReadings(file: string, given: Pick<Given, 'by'>) {
  const form = { schema: readingSchema, fields: READING_FIELDS, needed: 3, are: 'readings' };
  const { all, mistakes } = readAll(file, form, ({ answer, ...entry }) => {
    const word = ANSWERS.get(String(answer).toLowerCase()) ?? answer;
    return { ...present(given), ...entry, ...(word === undefined ? {} : { answer: word }) };
  });
  return { readings: all, mistakes };
}

interface Form<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly fields: readonly string[];
  /** So many of them come first. */
  readonly needed: number;
  readonly are: string;
}

function readAll<Schema extends z.ZodType>(
  file: string,
  { schema, fields, needed, are }: Form<Schema>,
  fill: (entry: Record<string, unknown>) => Record<string, unknown>,
): { readonly all: readonly z.output<Schema>[]; readonly mistakes: readonly Mistake[] } {
  const expected = `a list of {${fields.slice(0, needed).join(', ')}}, as YAML, JSON, JSON lines or CSV`;
  const { entries, mistakes: listMistakes } = readList(file, { expected, names: fields });
  const mistakes: Mistake[] = [...listMistakes];
  const all: z.output<Schema>[] = [];
  for (const { value, placeOf, placeOfKey } of entries) {
    const filled = isRecord(value) ? fill(value) : value;
    const parsed = schema.safeParse(filled);
    if (parsed.success) all.push(parsed.data);
    else mistakes.push(...shapeMistakes(parsed.error, { file, placeOf, placeOfKey }, filled, () => fields));
  }
  if (all.length === 0 && mistakes.length === 0)
    mistakes.push(wholeMistake(file, { problem: `there are no ${are} in it`, expected }));
  return { all, mistakes };
}
