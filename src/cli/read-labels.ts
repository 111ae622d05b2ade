/**
 * Reads labels of people from a file. All of it is checked before anything is sent, and every mistake is reported with
 * its line.
 */
import { z } from 'zod';
import { LABELS } from '../model/labels.ts';
import type { Mistake } from '../model/mistake.ts';
import { shapeMistakes } from '../model/shape-mistakes.ts';
import { isRecord, readList, wholeMistake } from '../offline/list-file.ts';

const idText = z.union([z.string('a text').min(1, 'a text that is not empty'), z.number().transform(String)]);
const name = z.string('a text').min(1, 'a text that is not empty');
const FIELDS = ['conversation', 'suite', 'criterion', 'label', 'by', 'turn_id', 'note'] as const;
const EXPECTED = `a list of {${FIELDS.slice(0, 5).join(', ')}}, as YAML, JSON, JSON lines or CSV`;
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

interface ReadLabels {
  readonly labels: readonly WrittenLabel[];
  readonly mistakes: readonly Mistake[];
}

export function readLabels(file: string, given: Given): ReadLabels {
  const { entries, mistakes: listMistakes } = readList(file, { expected: EXPECTED, names: FIELDS });
  const mistakes: Mistake[] = [...listMistakes];
  const labels: WrittenLabel[] = [];
  for (const { value, placeOf, placeOfKey } of entries) {
    const filled = isRecord(value) ? { ...defined(given), ...value } : value;
    const parsed = labelSchema.safeParse(filled);
    if (parsed.success) labels.push(parsed.data);
    else mistakes.push(...shapeMistakes(parsed.error, { file, placeOf, placeOfKey }, filled, () => FIELDS));
  }
  if (labels.length === 0 && mistakes.length === 0)
    mistakes.push(wholeMistake(file, { problem: 'there are no labels in it', expected: EXPECTED }));
  return { labels, mistakes };
}

function defined(given: Given): Partial<Given> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
