/**
 * Does the user know what comes next? Where the answer refuses or says that something was not done, it must also say what can be done instead,
 * what will happen, or ask. An answer that leaves nothing open (it tells what was asked, says that it is done, is a thank you) needs no next
 * step. Knows the languages of `languages.ts`.
 */
import { notApplicable } from '../subject/answer.ts';
import { LANGUAGE_NOT_KNOWN } from '../../language/read-answer.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { withoutAnswer } from '../subject/no-answer.ts';
import { builtInCheck } from './built-in-check.ts';

export const providesNextStep = builtInCheck({
  summary: 'where the answer refuses or says that something was not done, it says what comes next',
  needs: ['final_answer'],
  make: () => (subject) => {
    const { turn } = subject;
    if (!hasAnswer(turn)) return withoutAnswer(subject);
    const reading = readingOf(turn);
    if (reading === undefined) return notApplicable(LANGUAGE_NOT_KNOWN, 'language');
    const { isBare, refuses, admitsTrouble, asks, saysWhatNext } = reading;
    const isOpen = isBare || refuses || admitsTrouble;
    if (!isBare && (asks || saysWhatNext)) return { pass: true, reason: 'The answer says what comes next, or asks.' };
    return isOpen
      ? {
          pass: false,
          reason: 'The answer says that something was not done, and neither asks nor says what can be done.',
        }
      : { pass: true, reason: 'The answer leaves nothing open.' };
  },
});
