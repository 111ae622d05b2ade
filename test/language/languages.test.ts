import { expect, test } from 'vitest';
import { isMeantByWords } from '../../src/language/day-words.ts';
import { LANGUAGES, WORDS } from '../../src/language/languages.ts';
import { numbersInWords } from '../../src/language/number-words.ts';

test.each(LANGUAGES)('%s has as many words for numbers and for days of the week as there are', (language) => {
  const { numbers, days } = WORDS[language];

  expect([numbers.split(' ').length, days.weekdays.split(' ').length]).toEqual([27, 7]);
});

test.each([
  ['at half past seven', [7, 30]],
  ['viertel nach zwölf', [12, 0, 24, 15, 45]],
  ['diecinueve horas', [19]],
  ['quatre-vingt-dix jours', [4, 20, 10, 90]],
  ['duas noites', [2]],
  ['正午に二つ', [2, 12, 0, 24]],
  ['两百', [100, 2]],
  ['no number', []],
])('%s: numbers', (text, numbers) => {
  expect(new Set(numbersInWords(text))).toEqual(new Set(numbers));
});

/** 1 March 2026 is a Sunday. */
test.each([
  ['next sunday', true],
  ['am sonntag', true],
  ['el domingo', true],
  ['dimanche', true],
  ['日曜に', true],
  ['星期天', true],
  ['el lunes', false],
  ['pasado mañana', true],
  ['yesterday', false],
])('on 27 February, "%s" may be 1 March: %s', (said, isMeant) => {
  expect(isMeantByWords('2026-03-01', { said, known: 'today is 2026-02-27', told: '' })).toBe(isMeant);
});
