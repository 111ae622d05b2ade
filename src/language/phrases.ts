/** The phrases of each language, each list compiled to one regular expression. */
import type { Phrases } from './language-words.ts';
import { LANGUAGES, type Language, WORDS } from './languages.ts';

export type PhraseKind = Exclude<keyof Phrases, 'words'>;

export type PhraseTests = { readonly words: ReadonlySet<string> } & Readonly<Record<PhraseKind, RegExp>>;

/** In languages with spaces a phrase begins and ends with a word; `…` at its end stands for any ending. */
function compilePhrases(language: Language): PhraseTests {
  const { spaces, phrases } = WORDS[language];
  const compiled = (patterns: readonly string[]) => {
    if (patterns.length === 0) return NEVER;
    if (!spaces) return new RegExp(patterns.join('|'), 'u');
    const whole = patterns.map((pattern) =>
      pattern.endsWith('…') ? `(?:${pattern.slice(0, -1)})` : `(?:${pattern})(?![${LETTERS}])`,
    );
    return new RegExp(`(?<![${LETTERS}'])(?:${withFewLetters(whole.join('|'))})`, 'u');
  };
  const { words, ...patterns } = phrases;
  const tests = Object.entries<readonly string[]>(patterns).map(([kind, list]) => [kind, compiled(list)]);
  // Entries of the same kinds that went in.
  return { words: new Set(words.match(/\S+/g)), ...(Object.fromEntries(tests) as Record<PhraseKind, RegExp>) };
}

/**
 * The letters of the languages with spaces, in plain text. `\\p{L}` has hundreds of ranges, and each of the many places that it stands in is compiled
 * by itself: the first answer of a language would wait for that, on a busy machine longer than a check may take.
 */
const LETTERS = 'a-zß-öø-ÿœ';

function withFewLetters(pattern: string): string {
  return pattern.replaceAll('[^\\p{L}', `[^${LETTERS}`).replaceAll('\\p{L}', `[${LETTERS}]`);
}

const NEVER = /(?!)/u;

export const PHRASES = Object.fromEntries(
  LANGUAGES.map((language) => [language, compilePhrases(language)]),
) as Readonly<Record<Language, PhraseTests>>;
