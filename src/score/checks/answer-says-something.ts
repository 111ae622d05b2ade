/**
 * Is the answer more than nothing, or than "I'm sorry, I can't help with that"?
 *
 * An answer is a bare apology where, without the sentences that only apologise, refuse or say that something went wrong,
 * hardly a word is left. A sentence that gives a reason or another way ("because", "instead", "you can", a number) says
 * something, even if it begins with "Sorry". Long answers are never bare. A refusal of what ought to be refused fails
 * this check as well: it cannot tell what ought to be.
 */
import { z } from 'zod';
import { notApplicable, type ReasonedAnswer } from '../answer.ts';
import { toExcerpt } from '../sentences.ts';
import { builtInCheck } from './built-in-check.ts';
import { APOLOGIES, mentions, normalize, SUBSTANCE } from './phrases.ts';

export const EMPTY_ANSWER: ReasonedAnswer = { pass: false, reason: 'The answer is empty.' };

const NEVER_BARE_FROM = 400;
const WORDS_LEFT_MIN = 6;

export const answerSaysSomething = builtInCheck({
  summary: 'the answer is not empty, and not a bare apology or refusal',
  params: z.strictObject({}),
  needs: ['final_answer'],
  make: () => (subject) => {
    const answer = subject.finalAnswer.trim();
    if (answer === '') return EMPTY_ANSWER;
    if (!isBareApology(answer)) return { pass: true, reason: 'The answer says something.' };
    return { pass: false, reason: `The answer is a bare apology or refusal: "${toExcerpt(answer)}"` };
  },
});

export function isBareApology(answer: string): boolean {
  if (answer.length >= NEVER_BARE_FROM) return false;
  // "Sorry, but I can't" is no contrast; "Sorry, but the room is closed" is.
  const text = normalize(answer).replace(/\bbut (?=(?:i|we)\b|as an ai)/g, '');
  if (!mentions(text, APOLOGIES)) return false;
  const rest = text
    .split(/[.!?\n]+/)
    .filter((sentence) => !isEmptyOfSubstance(sentence))
    .join(' ');
  return (rest.match(/\p{L}+/gu)?.length ?? 0) < WORDS_LEFT_MIN;
}

function isEmptyOfSubstance(sentence: string): boolean {
  return mentions(sentence, APOLOGIES) && !mentions(sentence, SUBSTANCE) && !/\d/.test(sentence);
}

/** For checks that have nothing to look at in an answer that is not there. */
export const NO_ANSWER = notApplicable('There was no answer.');
