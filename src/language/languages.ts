/** The languages that the rules of thumb know. A language in the list without its words does not compile. */
import type { LanguageWords } from './language-words.ts';
import { CHINESE } from './languages/chinese.ts';
import { ENGLISH } from './languages/english.ts';
import { FRENCH } from './languages/french.ts';
import { GERMAN } from './languages/german.ts';
import { JAPANESE } from './languages/japanese.ts';
import { PORTUGUESE } from './languages/portuguese.ts';
import { SPANISH } from './languages/spanish.ts';

/** In the order in which they are named to people. */
export const LANGUAGES = ['English', 'German', 'Spanish', 'French', 'Portuguese', 'Japanese', 'Chinese'] as const;

export type Language = (typeof LANGUAGES)[number];

export const WORDS: Readonly<Record<Language, LanguageWords>> = {
  English: ENGLISH,
  German: GERMAN,
  Spanish: SPANISH,
  French: FRENCH,
  Portuguese: PORTUGUESE,
  Japanese: JAPANESE,
  Chinese: CHINESE,
};

export const WITH_SPACES = LANGUAGES.filter((language) => WORDS[language].spaces);
export const WITHOUT_SPACES = LANGUAGES.filter((language) => !WORDS[language].spaces);

/** For tables of languages that are not covered: a language that is covered may not be in one as well. */
export type NotCovered<T> = Readonly<Record<string, T>> & { readonly [language in Language]?: never };

type Part = (words: LanguageWords) => string;

/** The alternatives of all languages. */
export function inAnyLanguage(part: Part, languages: readonly Language[] = LANGUAGES): string {
  return languages
    .map((language) => part(WORDS[language]))
    .filter((alternatives) => alternatives !== '')
    .join('|');
}

/** Finds one of them, as a whole word in languages that separate words. */
export function wordTest(part: Part): RegExp {
  const words = `(?<!\\p{L})(?:${inAnyLanguage(part, WITH_SPACES)})(?!\\p{L})|${inAnyLanguage(part, WITHOUT_SPACES)}`;
  return new RegExp(words, 'u');
}
