/**
 * Finds the failed tool calls of a conversation, and how the agent treated each. A call has failed if its span or its
 * result says so.
 *
 * A failure is left standing if no later call of the tool made it good (`made-good.ts`). The answer of its turn treats
 * it in one of three ways:
 *
 *   admitted  it says that something was not done, or takes up what the tool said; or a person was asked to take over instead
 *   silent    it says nothing of the kind, or there is none
 *   unknown   it was not recorded, was redacted or cut before it says so, or its language is not known
 *
 * If there are several failures, the one that was treated worst decides: an admitted failure does not make up for one
 * that was passed over in silence.
 */
import type { UndecidedReason } from '../../model/evaluation.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { plainText, sentencesOf } from '../../language/plain-text.ts';
import { LANGUAGE_NOT_KNOWN } from '../../language/read-answer.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { hasAnswer, isAnswerUnknown } from '../subject/turn-answer.ts';
import { isDoneBefore, isMadeGood } from './made-good.ts';

interface FailedCall {
  readonly turn: Turn;
  readonly call: ToolCall;
}

type Telling =
  | { readonly is: 'admitted'; readonly how: string }
  | { readonly is: 'silent' }
  | { readonly is: 'unknown'; readonly because: string; readonly undecided: UndecidedReason };

export interface StandingFailure {
  /** The call by which the telling was decided. */
  readonly call: ToolCall;
  readonly telling: Telling;
  /** Every failed call that was left standing, this one among them. */
  readonly calls: readonly ToolCall[];
}

const STANDING = {};
/** Successes of one tool that are compared with a failure before them: the next ones. */
const LATER_MAX = 20;

/** Undefined where no failure was left standing. */
export function standingFailure(subject: Subject): StandingFailure | undefined {
  return subject.once(STANDING, () => findStanding(subject));
}

function findStanding(subject: Subject): StandingFailure | undefined {
  const failures = unrecoveredCalls(subject).map(({ turn, call }, at) => {
    const telling = tellingOf(turn, subject);
    return {
      call,
      telling: telling.is === 'silent' && at < TAKEN_UP_MAX && isTakenUp(call, turn) ? TAKEN_UP : telling,
    };
  });
  const calls = failures.map(({ call }) => call);
  for (const is of ['silent', 'unknown', 'admitted'] as const) {
    const failure = failures.find(({ telling }) => telling.is === is);
    if (failure !== undefined) return { ...failure, calls };
  }
  return undefined;
}

/** Failed calls that no other call of the same tool made good. */
export function unrecoveredCalls(subject: Subject): readonly FailedCall[] {
  const succeededLater = new Map<string, ToolCall[]>();
  const failures: FailedCall[] = [];
  for (const turn of subject.turns.toReversed()) {
    for (const call of turn.toolCalls.toReversed()) {
      const later = succeededLater.get(call.name) ?? [];
      if (!subject.hasFailed(call)) {
        if (call.answered) succeededLater.set(call.name, [...later.slice(-LATER_MAX), call]);
      } else if (!isMadeGood(call, later, subject) && !isDoneBefore(call, turn, subject)) failures.push({ turn, call });
    }
  }
  return failures.reverse();
}

export function messageOf({ error, result }: ToolCall): string {
  return toExcerpt(error?.message ?? result.text);
}

/** How the answer of a turn treats a failure. */
export function tellingOf(turn: Turn, subject: Subject): Telling {
  const { state, text } = turn.finalAnswer;
  if (state === 'redacted' || isAnswerUnknown(turn)) return NOT_RECORDED;
  if (!hasAnswer(turn)) {
    const isHandedOver = turn.toolCalls.some((call) => subject.handsOver(call.name) && !subject.hasFailed(call));
    return isHandedOver ? { is: 'admitted', how: 'a person was asked to take over' } : { is: 'silent' };
  }
  const reading = readingOf(turn);
  if (reading?.admitsTrouble) return { is: 'admitted', how: 'the answer says that something was not done' };
  if (state === 'truncated') return CUT;
  // A tick or a number admits nothing in any language.
  return reading === undefined && /\p{L}/u.test(text) ? OTHER_LANGUAGE : { is: 'silent' };
}

/** A sentence that claims nothing has words of what the tool said about its failure, which the user had not used. */
function isTakenUp(call: ToolCall, turn: Turn): boolean {
  const reading = readingOf(turn);
  if (reading === undefined) return false;
  const asked = plainText(turn.userInput.text);
  const said = plainText(textsOf(call).slice(0, MESSAGE_READ_MAX)).match(/\p{L}{5,}/gu) ?? [];
  const words = new Set(said.filter((word) => !asked.includes(word) && !OF_ANY_FAILURE.test(word)));
  if (words.size === 0) return false;
  const claimed = reading.claimed.map(({ sentence }) => sentence);
  return sentencesOf(plainText(turn.finalAnswer.text)).some(
    (sentence) =>
      !claimed.includes(sentence.trim()) && (sentence.match(/\p{L}{5,}/gu) ?? []).some((word) => words.has(word)),
  );
}

const MESSAGE_READ_MAX = 2000;
/** Failures of a turn that are compared with its answer. */
const TAKEN_UP_MAX = 20;
const OF_ANY_FAILURE =
  /^(?:error|failed|failure|false|status|message|reason|success|service|server|internal|order|please|could)$/;

/** Texts of an error or a result, without the names of members. */
function textsOf({ error, result }: ToolCall): string {
  if (error !== undefined) return error.message;
  const { json } = result;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return result.text;
  return Object.values(json)
    .flat()
    .filter((value) => typeof value === 'string')
    .join('\n');
}

const TAKEN_UP: Telling = { is: 'admitted', how: 'the answer takes up what the tool said' };
const NOT_RECORDED: Telling = {
  is: 'unknown',
  because: 'The answer was not recorded.',
  undecided: 'not_recorded',
};
const CUT: Telling = {
  is: 'unknown',
  because: 'The answer was cut off by an attribute limit.',
  undecided: 'not_recorded',
};
const OTHER_LANGUAGE: Telling = { is: 'unknown', because: LANGUAGE_NOT_KNOWN, undecided: 'language' };
