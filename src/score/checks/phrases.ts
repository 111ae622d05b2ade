/**
 * The English phrases by which the rules of thumb recognise apologies, mentions of trouble, questions and next steps.
 * They are compared with text in lower case and with straight apostrophes. Answers in other languages are not
 * recognised by them: such checks are guides, to be replaced by a judge where they matter.
 *
 * Each list is one regular expression of literal alternatives: a single pass over the text, ten times as fast as one
 * search per phrase.
 */

/** "I can't", in the first person: "the server is unable to connect" is a diagnosis, not an apology. */
const APOLOGIES_LIST = [
  'sorry',
  'apologize',
  'apologise',
  'apologies',
  "i can't",
  'i cannot',
  "i couldn't",
  'i could not',
  "i'm unable",
  'i am unable',
  'i was unable',
  "i'm not able",
  'i am not able',
  "i wasn't able",
  "we can't",
  'we cannot',
  "we couldn't",
  "we're unable",
  'we are unable',
  'as an ai',
  'unfortunately',
  'something went wrong',
  'an error occurred',
  'an unexpected error',
  'try again',
  'technical difficulties',
];

/** What makes a sentence say something: a reason, another way, a person to ask. */
const SUBSTANCE_LIST = [
  'because',
  ' but ',
  'however',
  'instead',
  'you can',
  'you could',
  'you may want',
  'would you like',
  'alternative',
  'due to',
  'since ',
  'contact',
  'here is',
  'here are',
  "here's",
];

const TROUBLE_LIST = [
  ...APOLOGIES_LIST,
  'error',
  'problem',
  'an issue',
  'issues with',
  'fail',
  'unable',
  'unavailable',
  'not available',
  'not found',
  "couldn't",
  'could not',
  "can't",
  'cannot',
  "wasn't",
  "didn't work",
  'did not work',
  'timed out',
  'timeout',
  'trouble',
  'unsuccessful',
  'not possible',
];

const QUESTIONS_LIST = [
  '?',
  'please provide',
  'please confirm',
  'please specify',
  'please clarify',
  'please share',
  'please tell me',
  'please let me know',
  'let me know',
  'tell me',
];

const NEXT_STEPS_LIST = [
  ...QUESTIONS_LIST,
  'please',
  'you can',
  'you could',
  'you may',
  'you should',
  "you'll",
  'you will',
  'if you',
  'next',
  "i'll",
  'i will',
  "we'll",
  'we will',
  'shall i',
  'would you like',
  'feel free',
  'to confirm',
  'contact',
  'click',
  'reply',
  'visit',
  'try ',
  'instead',
  'alternative',
  'available',
];

/** Nothing is left to do, and the user is told so: that is a next step, too. */
const ALL_DONE_LIST = [
  'booked',
  'scheduled',
  'confirmed',
  'completed',
  'all set',
  'is done',
  'has been',
  'have been',
  'no further action',
  'successfully',
];

export const APOLOGIES = anyOf(APOLOGIES_LIST);
export const SUBSTANCE = anyOf(SUBSTANCE_LIST);
export const TROUBLE = anyOf(TROUBLE_LIST);
export const QUESTIONS = anyOf(QUESTIONS_LIST);
export const NEXT_STEPS = anyOf(NEXT_STEPS_LIST);
export const ALL_DONE = anyOf(ALL_DONE_LIST);

/** Lower case, with straight apostrophes and no more text than a rule of thumb should read. */
export function normalize(text: string): string {
  return text.slice(0, TEXT_READ_MAX).toLowerCase().replaceAll('’', "'");
}

const TEXT_READ_MAX = 20_000;

export function mentions(normalized: string, phrases: RegExp): boolean {
  return phrases.test(normalized);
}

function anyOf(phrases: readonly string[]): RegExp {
  return new RegExp(phrases.map((phrase) => RegExp.escape(phrase)).join('|'));
}
