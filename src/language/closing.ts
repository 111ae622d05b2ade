/**
 * Sentences that close an answer and say nothing: "Is there anything else I can help you with?", "I hope you understand." Behind a bare
 * refusal they leave it bare. A sentence with a number or with words that go beyond the formula stays.
 */
import { LANGUAGES, WORDS } from './languages.ts';
import { sentencesOf } from './plain-text.ts';

const CLOSINGS = LANGUAGES.flatMap((language) => WORDS[language].closings);
const CLOSING = new RegExp(`^[^\\p{L}¿]*(?:${CLOSINGS.join('|')})[^\\p{L}\\d]*$`, 'u');
const CLOSING_LENGTH_MAX = 160;

/** Works on text as `plainText` gives it. */
export function withoutClosings(plain: string): string {
  const sentences = sentencesOf(plain);
  const rest = sentences.filter((one) => !isClosing(one));
  return rest.length === sentences.length ? plain : rest.join('');
}

export function isClosing(sentence: string): boolean {
  return sentence.length <= CLOSING_LENGTH_MAX && CLOSING.test(sentence.trim());
}
