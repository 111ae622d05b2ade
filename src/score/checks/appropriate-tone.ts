/**
 * Is the tone what one would use to a customer? Fails on insults in English, and in any language on shouting in
 * capitals and on rows of exclamation marks. An answer in another language that does not shout is not judged, because
 * insults in it are not known.
 */
import { notApplicable } from '../subject/answer.ts';
import { languageOf } from '../../language/recognise.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { NO_ANSWER } from '../subject/no-answer.ts';
import { builtInCheck } from './built-in-check.ts';
import { plainText } from '../../language/plain-text.ts';

const RUDE =
  /\b(?:idiot|idiotic|stupid|dumb|moron|shut up|damn|crap|shit|bullshit|fuck\w*|asshole|bitch|bastard|wtf)\b/;
const SHOUTED_WORDS_MAX = 3;

export const appropriateTone = builtInCheck({
  summary: 'no insults, no shouting (English)',
  needs: ['final_answer'],
  make:
    () =>
    ({ finalAnswer, turn }) => {
      if (!hasAnswer(turn)) return NO_ANSWER;
      const rude = RUDE.exec(plainText(finalAnswer))?.[0];
      if (rude !== undefined) return { pass: false, reason: `The answer says "${rude}".` };
      if (finalAnswer.includes('!!!')) return { pass: false, reason: 'The answer shouts with exclamation marks.' };
      if (shouts(finalAnswer)) return { pass: false, reason: 'The answer shouts in capitals.' };
      const language = languageOf(finalAnswer);
      if (language !== undefined && language !== 'English') return notApplicable('Insults are only known in English.');
      return { pass: true, reason: 'No insults and no shouting.' };
    },
});

/** More than three words of four or more capitals in a row: acronyms come in ones and twos. */
function shouts(text: string): boolean {
  let inARow = 0;
  for (const [word] of text.slice(0, 20_000).matchAll(/[\p{L}\d]+/gu)) {
    inARow = /^\p{Lu}{4,}$/u.test(word) ? inARow + 1 : 0;
    if (inARow > SHOUTED_WORDS_MAX) return true;
  }
  return false;
}
