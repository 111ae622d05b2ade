/**
 * Which of two answers to one request is better in one respect, as a request to a judge like any other: two yes/no questions, of which at most
 * one can be a yes. Judges lean towards the answer that stands first (or last); whoever wants to be free of that asks in both orders, and
 * takes for a preference only what holds in both (`statistics/compare/preference/tally.ts`).
 */
import type { JudgedCriterion, JudgeOutcome, JudgeRequest } from '../../model/judging.ts';
import type { Preference } from '../../model/preference.ts';
import { instructionsFor } from './instructions.ts';
import { requestOver } from './judge-request.ts';
import type { JudgeSettings } from './judge-settings.ts';
import type { Item } from './item.ts';

interface AnswerPair {
  /** The request that both answer. */
  readonly request: string;
  readonly first: string;
  readonly second: string;
}

export interface PreferenceQuestion {
  /** Letters and underscores. */
  readonly name: string;
  /** Comparative that the better answer deserves: `more concise`. */
  readonly than: string;
  readonly guidance: string;
}

export const PREFERENCES = {
  concise: {
    name: 'more_concise',
    than: 'more concise',
    guidance: [
      'Concise is what comes to the point, without filler, repetition and things that nobody asked for, and still gives all that is crucial:',
      'the answer itself, the context that it needs, and the next steps that the user has to take. An answer that leaves out something crucial',
      'is not the more concise one, however short. Where the two are about equal, or both leave out something crucial, it is no.',
    ].join('\n'),
  },
  helpful: {
    name: 'more_helpful',
    than: 'more helpful',
    guidance: [
      'Helpful is what brings the user nearer to what they asked for: it answers the request itself, is right as far as can be told, and says what',
      'to do next where something is left to do. Length, politeness and layout by themselves are no help. Where the two are about equal, it is no.',
    ].join('\n'),
  },
} as const satisfies Readonly<Record<string, PreferenceQuestion>>;

/** Question in the user's own words. */
export function preferenceInWords(than: string): PreferenceQuestion {
  return { name: 'preferred', than, guidance: 'Where the two are about equal in this, it is no.' };
}

const VERSION = '1';

/** Undefined where the judge's tokens leave no room for the three texts. */
export function preferenceRequest(
  { request, first, second }: AnswerPair,
  question: PreferenceQuestion,
  judge: Pick<JudgeSettings, 'fingerprint' | 'evidenceTokens'> & { readonly name: string; readonly priority: number },
): JudgeRequest | undefined {
  const items = [itemOf('request', request), itemOf('first', first), itemOf('second', second)];
  const [ofFirst, ofSecond] = bothQuestions(question);
  const rendered = requestOver(items, {
    suite: question.name,
    suiteVersion: VERSION,
    judge: judge.name,
    fingerprint: judge.fingerprint,
    evidenceTokens: judge.evidenceTokens,
    priority: judge.priority,
    criteria: [ofFirst, ofSecond],
    instructions: instructionsFor(
      [
        { ...ofFirst, guidance: question.guidance },
        { ...ofSecond, guidance: 'As above.' },
      ],
      { about: 'pair' },
    ),
  });
  return rendered.is === 'request' ? rendered.request : undefined;
}

/** A text says why there is none: it is no tie. */
export function preferenceOf(outcome: JudgeOutcome, question: PreferenceQuestion): Preference | string {
  if (outcome.is !== 'answered') return outcome.reason;
  const [ofFirst, ofSecond] = bothQuestions(question);
  const first = outcome.answers.find(({ criterion }) => criterion === ofFirst.name)?.pass;
  const second = outcome.answers.find(({ criterion }) => criterion === ofSecond.name)?.pass;
  if (first === undefined || second === undefined) return 'What the judge answered is about other questions.';
  if (first && second) return `The judge called each of the two the ${question.than} one.`;
  if (first) return [1, 0];
  return second ? [0, 1] : [0, 0];
}

function bothQuestions({ name, than }: PreferenceQuestion): readonly [JudgedCriterion, JudgedCriterion] {
  const asked = (one: string, other: string): JudgedCriterion => ({
    name: `${one}_is_${name}`,
    question: `Is the ${one} answer ${than} than the ${other}?`,
  });
  return [asked('first', 'second'), asked('second', 'first')];
}

function itemOf(item: 'request' | 'first' | 'second', text: string): Item {
  return { item, turn: undefined, fields: [{ key: 'text', text }], rank: 'kept', spanId: undefined };
}
