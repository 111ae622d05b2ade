/**
 * Does the answer take up what was asked? By words, compared by their first five letters and with a few synonyms, so
 * that "parcel" answers to "package" and "booked" to "book":
 *
 *   pass            a share of the request's own words come back; or what tools found out for it does; or the answer does what an answer may do
 *                   to any request: it asks, refuses, admits that something was not done, hands over, says that it is done
 *   fail            an English answer of several words of its own shares none with the request or with what tools gave
 *   not applicable  all between: a paraphrase and an answer to another question look the same to a check that counts words
 *
 * Text that the agent wrote itself, the arguments of its calls, is no evidence for the answer. Not decided either:
 * requests of fewer than two words of their own, answers in another language than the request, scripts written without
 * spaces.
 */
import { z } from 'zod';
import type { Subject } from '../subject/subject.ts';
import { type Answer, notApplicable } from '../subject/answer.ts';
import { plainText } from '../../language/plain-text.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { isWrittenWithoutSpaces, languageOf } from '../../language/recognise.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { withoutAnswer } from '../subject/no-answer.ts';
import { builtInCheck } from './built-in-check.ts';

const STEM_LENGTH = 5;
const WORDS_IN_REQUEST_MIN = 2;
const WORDS_TO_FAIL_MIN = 3;
const WORDS_FOUND_MIN = 2;
const FOUND_TEXT_MAX = 20_000;
const SAYS_NOTHING = new Set(
  (
    'about after again also and any anything are been before but can could did does doing done dont for from get give ' +
    'going good have having hello help her here him his how into its just know let like make may maybe might more much ' +
    'must need not now off one only other our out please same see she should some someone something tell than thank ' +
    'thanks that the their them then there these they thing this those very want was way well were what when where ' +
    'which while who why will with would yes you your today try one'
  ).split(' '),
);
/** Each line is one thing to a customer. */
const SYNONYMS: readonly string[] = [
  'parcel package packet shipment delivery order item goods purchase',
  'arrive arrival come deliver delivered delivery due reach get ship shipped shipping track tracking transit',
  'refund refunded reimburse reimbursement money back credit credited return repay',
  'cancel cancelled canceled cancellation call terminate end stop annul',
  'book booked booking reserve reserved reservation schedule scheduled appointment meeting slot calendar event invite',
  'flight fly trip plane airline depart departure travel journey',
  'change modify update edit move reschedule switch adjust alter',
  'price cost fee charge amount pay payment bill invoice expensive cheap total',
  'phone call ring telephone number contact reach',
  'person human colleague agent representative someone staff support team',
  'problem issue error bug fault broken fail failing fails crash wrong fix fixed repair solve resolve',
  'test tests suite assertion spec check',
  'delete remove erase drop clear',
  'address street location place where city town',
  'buy purchase order get',
  'account profile login password sign user',
  'room hotel stay night accommodation suite',
  'doctor physician appointment clinic',
  'open opening hours closed weekdays',
  'weather rain sunny forecast temperature degrees umbrella cloudy',
  'send sent mail email message forward',
  'people person population inhabitants residents',
];

const GROUPS = new Map<string, Set<string>>();
for (const [at, line] of SYNONYMS.entries()) {
  for (const word of line.split(' ')) {
    const stem = word.slice(0, STEM_LENGTH);
    GROUPS.set(stem, (GROUPS.get(stem) ?? new Set()).add(`#${at}`));
  }
}

export const addressesRequest = builtInCheck({
  summary: 'the answer takes up the words of the request, or what tools found out for it',
  params: z.strictObject({ share: z.number('a number').min(0, 'from 0').max(1, 'to 1').default(0.25) }),
  needs: ['user_input', 'final_answer'],
  make:
    ({ share }) =>
    (subject) => {
      const { finalAnswer, userInput, turn } = subject;
      if (!hasAnswer(turn)) return withoutAnswer(subject);
      if (isWrittenWithoutSpaces(userInput)) return notApplicable('The request is in a script without spaces.');
      const asked = stemsOf(userInput);
      if (asked.size < WORDS_IN_REQUEST_MIN) return notApplicable('The request has too few words of its own.');
      const language = languageOf(finalAnswer);
      const askedIn = languageOf(userInput);
      if (language !== undefined && askedIn !== undefined && language !== askedIn) {
        return notApplicable('The answer is in another language than the request.', 'language');
      }
      const given = stemsOf(finalAnswer);
      const taken = [...asked].filter((stem) => given.has(stem)).length;
      const wanted = Math.max(1, Math.ceil(asked.size * share));
      const counted = `${taken} of the request's ${asked.size} words come back; at least ${wanted} should.`;
      if (taken >= wanted) return { pass: true, reason: counted };
      const found = takenUp(given, subject);
      if (found >= Math.min(WORDS_FOUND_MIN, given.size) && found > 0)
        return { pass: true, reason: 'The answer says what tools found out.' };
      const reading = readingOf(turn);
      if (
        reading?.refuses ||
        reading?.admitsTrouble ||
        reading?.asks ||
        reading?.handsOver ||
        reading?.claims !== undefined
      ) {
        return { pass: true, reason: 'The answer asks, refuses, or says what was or was not done.' };
      }
      const isStrange = taken === 0 && found === 0 && !sharesMeaning(asked, given);
      return language === 'English' && isStrange && given.size >= WORDS_TO_FAIL_MIN ? offTopic(counted) : UNDECIDED;
    },
});

const UNDECIDED = notApplicable(
  'Too few words of the request come back, and a paraphrase has others: this can be told by a judge.',
);

function offTopic(counted: string): Answer {
  return { pass: false, reason: `The answer has nothing of the request, nor of what tools gave. ${counted}` };
}

function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const [word] of plainText(text).matchAll(/\p{L}{3,}|\d+/gu)) {
    if (!SAYS_NOTHING.has(word)) stems.add(word.slice(0, STEM_LENGTH));
  }
  return stems;
}

function sharesMeaning(asked: ReadonlySet<string>, given: ReadonlySet<string>): boolean {
  const meant = new Set([...asked].flatMap((stem) => [...(GROUPS.get(stem) ?? [])]));
  return [...given].some((stem) => [...(GROUPS.get(stem) ?? [])].some((group) => meant.has(group)));
}

/** The words of the answer that tools and retrievals said. */
function takenUp(given: ReadonlySet<string>, subject: Subject): number {
  const { turn } = subject;
  const found = [
    ...turn.toolCalls.filter((call) => !subject.hasFailed(call)).map(({ result }) => result.text),
    ...turn.steps
      .filter(({ kind }) => kind === 'retrieval' || kind === 'rerank' || kind === 'memory')
      .map(({ output }) => output.text),
  ];
  const stems = new Set<string>();
  for (const text of found) for (const stem of stemsOf(text.slice(0, FOUND_TEXT_MAX))) stems.add(stem);
  return [...given].filter((stem) => stems.has(stem)).length;
}
