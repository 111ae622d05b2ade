/** How long the documentation for users is, and that each page says for whom it is and how long it takes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hasReadingTime, userPages, withReadingTime, wordsIn } from '../../scripts/reading-time.ts';

/** Made by programs from what they describe, so that they are as long as that. */
const GENERATED = ['METRICS.md', 'configuration.md', 'conformance.md'].map((page) => `docs/reference/${page}`);
/** Holds today. A lower limit is welcome, a higher one is not. */
const WORDS_MAX = 35_000;
const README_WORDS_MAX = 700;
const WORDS_MAX_OF: Readonly<Record<string, number>> = { 'quickstart.md': 900, 'reviewers.md': 600 };

const pages = userPages();

test('each page says for whom it is', () => {
  expect(pages.length).toBeGreaterThan(25);
  expect(pages.filter(({ text }) => !hasReadingTime(text)).map(({ file }) => file)).toEqual([]);
});

test('each page says how long it takes: npm run docs:minutes', () => {
  expect(pages.filter(({ text }) => withReadingTime(text) !== text).map(({ file }) => file)).toEqual([]);
});

test('a wrong time is found, and one minute is no minutes', () => {
  const page = '# Page\n\n*For operators. 7 minutes.*\n\nWords.\n';

  expect(withReadingTime(page)).toBe('# Page\n\n*For operators. 1 minute.*\n\nWords.\n');
  expect(wordsIn('| `a` | 2 words |\n|---|---|')).toBe(3);
  expect(hasReadingTime('# Page\n\nFor operators.\n')).toBe(false);
});

test('the pages written by hand get no longer', () => {
  const words = pages.filter(({ file }) => !GENERATED.includes(file)).map(({ text }) => wordsIn(text));

  expect(words.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(WORDS_MAX);
});

test('the pages that a new reader meets first are short', () => {
  const readme = readFileSync(path.resolve(import.meta.dirname, '../../README.md'), 'utf8');

  expect(wordsIn(readme)).toBeLessThanOrEqual(README_WORDS_MAX);
  for (const [page, most] of Object.entries(WORDS_MAX_OF)) {
    const { text } = pages.find(({ file }) => file === `docs/start/${page}`) ?? { text: '' };
    expect(wordsIn(text), page).toBeGreaterThan(most / 2);
    expect(wordsIn(text), page).toBeLessThanOrEqual(most);
  }
});
