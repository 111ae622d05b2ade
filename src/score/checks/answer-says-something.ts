/**
 * Is the answer more than nothing, or than "I'm sorry, I can't help with that"? Bare is what `read-answer.ts` says: without the apology, the
 * refusal and what fills them, hardly a word is left. A refusal that says what it refuses or why, names a time, or offers another way says
 * something; whether it was right, this check cannot tell. Knows the languages of `languages.ts`; of others, what is no answer at all, and in six
 * the bare formula (`refusals-elsewhere.ts`).
 */
import { notApplicable } from '../subject/answer.ts';
import { LANGUAGE_NOT_KNOWN } from '../../language/read-answer.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { isBareRefusalElsewhere } from '../../language/refusals-elsewhere.ts';
import { toExcerpt } from '../subject/sentences.ts';
import { withoutAnswer } from '../subject/no-answer.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { builtInCheck } from './built-in-check.ts';

export const answerSaysSomething = builtInCheck({
  summary: 'the answer is not empty, and no bare apology or refusal',
  needs: ['final_answer'],
  make: () => (subject) => {
    const { turn } = subject;
    if (!hasAnswer(turn)) return withoutAnswer(subject);
    const reading = readingOf(turn);
    if (reading === undefined && !isBareRefusalElsewhere(turn.finalAnswer.text))
      return notApplicable(LANGUAGE_NOT_KNOWN, 'language');
    if (reading?.isBare === false) return { pass: true, reason: 'The answer says something.' };
    return {
      pass: false,
      reason: `The answer is a bare apology or refusal: "${toExcerpt(turn.finalAnswer.text.trim())}"`,
    };
  },
});
