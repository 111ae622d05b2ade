/** The languages that the rules of thumb know, each with its phrases. */
import { CHINESE } from './chinese.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { JAPANESE } from './japanese.ts';
import { compilePhrases, type PhraseTests } from './phrases.ts';
import { PORTUGUESE } from './portuguese.ts';
import { SPANISH } from './spanish.ts';

export const PHRASES = {
  English: compilePhrases(ENGLISH, { spaces: true }),
  German: compilePhrases(GERMAN, { spaces: true }),
  Spanish: compilePhrases(SPANISH, { spaces: true }),
  French: compilePhrases(FRENCH, { spaces: true }),
  Portuguese: compilePhrases(PORTUGUESE, { spaces: true }),
  Japanese: compilePhrases(JAPANESE, { spaces: false }),
  Chinese: compilePhrases(CHINESE, { spaces: false }),
} as const satisfies Readonly<Record<string, PhraseTests>>;

export type Language = keyof typeof PHRASES;

/** In the order in which they are named to people. */
export const LANGUAGES = [
  'English',
  'German',
  'Spanish',
  'French',
  'Portuguese',
  'Japanese',
  'Chinese',
] as const satisfies readonly Language[];
