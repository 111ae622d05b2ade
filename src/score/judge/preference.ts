/**
 * Which of two answers to one request is more concise, as a request to a judge like any other: two yes/no questions, of which at most one can
 * be a yes. Judges lean towards the answer that stands first (or last); whoever wants to be free of that asks in both orders, and
 * takes for a preference only what holds in both (`inBothOrders`).
 */
import type { JudgedCriterion, JudgeOutcome, JudgeRequest } from '../../model/judging.ts';
import { instructionsFor } from './instructions.ts';
import { requestOver } from './judge-request.ts';
import type { JudgeSettings } from './judges.ts';
import type { Item } from './transcript.ts';

/** A point for the one that is more concise, and none for either where they are about equal. */
export type Preference = readonly [1, 0] | readonly [0, 1] | readonly [0, 0];

export interface AnswerPair {
  /** What both answer. */
  readonly request: string;
  readonly first: string;
  readonly second: string;
}

const NAME = 'more_concise';
const VERSION = '1';
const GUIDANCE = [
  'Concise is what comes to the point, without filler, repetition and things that nobody asked for, and still gives all that is crucial:',
  'the answer itself, the context that it needs, and the next steps that the user has to take. An answer that leaves out something crucial',
  'is not the more concise one, however short. Where the two are about equal, or both leave out something crucial, it is no.',
].join('\n');
const FIRST = question('first', 'second');
const SECOND = question('second', 'first');

/** Undefined where the judge's tokens leave no room for the three texts. */
export function moreConciseRequest(
  { request, first, second }: AnswerPair,
  judge: Pick<JudgeSettings, 'fingerprint' | 'evidenceTokens'> & { readonly name: string; readonly priority: number },
): JudgeRequest | undefined {
  const items = [itemOf('request', request), itemOf('first', first), itemOf('second', second)];
  const rendered = requestOver(items, {
    suite: NAME,
    suiteVersion: VERSION,
    judge: judge.name,
    fingerprint: judge.fingerprint,
    evidenceTokens: judge.evidenceTokens,
    priority: judge.priority,
    criteria: [FIRST, SECOND],
    instructions: instructionsFor(
      [
        { ...FIRST, guidance: GUIDANCE },
        { ...SECOND, guidance: 'As above.' },
      ],
      { about: 'pair' },
    ),
  });
  return rendered.is === 'request' ? rendered.request : undefined;
}

/** A text says why there is none: it is no tie. */
export function preferenceOf(outcome: JudgeOutcome): Preference | string {
  if (outcome.is !== 'answered') return outcome.reason;
  const first = outcome.answers.find(({ criterion }) => criterion === FIRST.name)?.pass;
  const second = outcome.answers.find(({ criterion }) => criterion === SECOND.name)?.pass;
  if (first === undefined || second === undefined) return 'What the judge answered is about other questions.';
  if (first && second) return 'The judge called each of the two the more concise one.';
  if (first) return [1, 0];
  return second ? [0, 1] : [0, 0];
}

/** The pair as it is, and as it was asked with first and second exchanged. */
export function inBothOrders(straight: Preference, exchanged: Preference): Preference {
  const agree = straight[0] === exchanged[1] && straight[1] === exchanged[0];
  return agree ? straight : [0, 0];
}

function question(one: 'first' | 'second', other: 'first' | 'second'): JudgedCriterion {
  return { name: `${one}_is_${NAME}`, question: `Is the ${one} answer more concise than the ${other}?` };
}

function itemOf(item: 'request' | 'first' | 'second', text: string): Item {
  return { item, turn: undefined, fields: [{ key: 'text', text }], rank: 'kept', spanId: undefined };
}
