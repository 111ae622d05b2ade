/**
 * Numbers in words, as people say times and durations, in any of the languages. Numbers below ten are useful only as hours and as factors:
 * an hour, two days. As digits they are not looked at either.
 */
import { inAnyLanguage } from './languages.ts';

/** In the order of `LanguageWords.numbers`. Noon is 12, midnight 0 or 24, and a quarter 15 or 45. */
const VALUES: readonly (readonly number[])[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((value) => [value]),
  [12, 0, 24],
  [13],
  [14],
  [15, 45],
  ...[16, 17, 18, 19, 20, 30, 40, 50, 60, 90, 100, 12].map((value) => [value]),
];

const TESTS = VALUES.map((values, at) => {
  const words = inAnyLanguage(({ numbers }) => numbers.split(' ')[at]?.replace(/^-$/, '') ?? '');
  return [new RegExp(`(?<![a-zà-ÿœß])(?:${words})(?![a-zà-ÿœß])`, 'u'), values] as const;
});

/** `text` in lower case. */
export function numbersInWords(text: string): readonly number[] {
  return TESTS.flatMap(([test, values]) => (test.test(text) ? values : []));
}
