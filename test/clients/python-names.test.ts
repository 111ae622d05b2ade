/** The words of Assay in the Python client: a new one that it lacks is noticed here, without Python. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FIND_SOURCES } from '../../src/model/find-sources.ts';
import { OUTCOMES, VERDICTS } from '../../src/model/evaluation.ts';
import { LABELS } from '../../src/model/labels.ts';
import { READING_ANSWERS } from '../../src/model/readings.ts';

const RESULTS = readFileSync(
  path.resolve(import.meta.dirname, '../../clients/python/src/assay_client/results.py'),
  'utf8',
);

function literal(name: string): readonly string[] {
  const text = new RegExp(`^${name} = Literal\\[([^\\]]*)\\]`, 'm').exec(RESULTS)?.[1] ?? '';
  return [...text.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word);
}

test.each([
  ['Outcome', OUTCOMES],
  ['VerdictKind', VERDICTS],
  ['LabelKind', LABELS],
  ['ReadingAnswer', READING_ANSWERS],
  ['FindSource', FIND_SOURCES],
] as const)('%s has every word, and no other', (name, words) => {
  expect(literal(name).toSorted()).toEqual(words.toSorted());
});
