/** Holds the comments of the source to the rules of wording. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sentencesOf } from './passages.ts';
import { wordingMistakeIn } from './rules.ts';

test('every comment of src is in plain English', () => {
  const files = globSync('src/**/*.ts');
  const sentences = files.flatMap((file) =>
    sentencesOf(file, readFileSync(file, 'utf8')).map(({ line, text }) => ({ place: `${file}:${line}`, text })),
  );
  const mistakes = sentences.flatMap(({ place, text }) => {
    const mistake = wordingMistakeIn(text);
    return mistake === undefined ? [] : [`${place}: ${mistake}: ${text}`];
  });

  expect(files.length).toBeGreaterThan(500);
  expect(sentences.length).toBeGreaterThan(5000);
  expect(mistakes).toEqual([]);
});
