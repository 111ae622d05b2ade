/**
 * Does the answer take up what was asked? A share of the request's own words (names, nouns, numbers; not "please" or
 * "could") must come back, in the answer or in the tool calls that were made for it, compared by their first five
 * letters so that "booked" answers to "book".
 *
 * A rule of thumb: it cannot tell a right answer from one that repeats the question. Requests of fewer than two such
 * words, or in scripts written without spaces, are not decided. An empty answer takes up nothing, whatever was asked and done.
 */
import { z } from 'zod';
import type { Subject } from '../subject.ts';
import { notApplicable } from '../answer.ts';
import { EMPTY_ANSWER } from './answer-says-something.ts';
import { builtInCheck } from './built-in-check.ts';
import { normalize } from './phrases.ts';

const STEM_LENGTH = 5;
const WORDS_IN_REQUEST_MIN = 2;
const CALL_TEXT_MAX = 4000;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const SAYS_NOTHING = new Set(
  (
    'about after again also and any anything are been before but can could did does doing done dont for from get give ' +
    'going good have having hello help her here him his how into its just know let like make may maybe might more much ' +
    'must need not now off one only other our out please same see she should some someone something tell than thank ' +
    'thanks that the their them then there these they thing this those very want was way well were what when where ' +
    'which while who why will with would yes you your'
  ).split(' '),
);

export const addressesRequest = builtInCheck({
  summary: "the answer, or the work done for it, takes up the request's words",
  params: z.strictObject({ share: z.number('a number').min(0, 'from 0').max(1, 'to 1').default(0.25) }),
  needs: ['user_input', 'final_answer'],
  make:
    ({ share }) =>
    (subject) => {
      if (subject.finalAnswer.trim() === '') return EMPTY_ANSWER;
      if (WITHOUT_SPACES.test(subject.userInput)) return notApplicable('The request is in a script without spaces.');
      const asked = stemsOf(subject.userInput);
      if (asked.size < WORDS_IN_REQUEST_MIN) return notApplicable('The request has too few words of its own.');
      const given = stemsOf(`${subject.finalAnswer} ${workDone(subject)}`);
      const taken = [...asked].filter((stem) => given.has(stem)).length;
      const wanted = Math.max(1, Math.ceil(asked.size * share));
      const reason = `${taken} of the request's ${asked.size} words come back; at least ${wanted} should.`;
      return { pass: taken >= wanted, reason };
    },
});

function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const [word] of normalize(text).matchAll(/\p{L}{3,}|\d+/gu)) {
    if (!SAYS_NOTHING.has(word)) stems.add(word.slice(0, STEM_LENGTH));
  }
  return stems;
}

function workDone({ turn }: Subject): string {
  return turn.toolCalls
    .filter(({ error }) => error === undefined)
    .map(({ name, args }) => `${name.replaceAll(/[_-]/g, ' ')} ${args.text.slice(0, CALL_TEXT_MAX)}`)
    .join(' ')
    .slice(0, 4 * CALL_TEXT_MAX);
}
