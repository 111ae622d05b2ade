/**
 * Failed tool calls of a conversation, and what became of them. A failure that only the result tells of is one as well.
 *
 * A failure that no later call of the tool made good is left standing. How the answer of its turn treats it is one of three:
 *
 *   admitted  it says that something was not done, or a person was asked to take over instead
 *   silent    it says nothing of the kind, or there is none
 *   unknown   it was not recorded, was redacted or cut before it says so, or is in a language that is not known
 *
 * Several failures are treated as the worst of them is: one that is passed over in silence is not made up for by another that is admitted.
 */
import type { UndecidedReason } from '../../model/evaluation.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { LANGUAGE_NOT_KNOWN, readingOf } from '../language/read-answer.ts';
import { toExcerpt } from '../sentences.ts';
import type { Subject } from '../subject.ts';
import { hasAnswer, isAnswerUnknown } from '../turn-answer.ts';

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

/** Undefined where no failure was left standing. */
export function standingFailure(subject: Subject): StandingFailure | undefined {
  return subject.once(STANDING, () => findStanding(subject));
}

function findStanding(subject: Subject): StandingFailure | undefined {
  const failures = unrecoveredCalls(subject).map(({ turn, call }) => ({ call, telling: tellingOf(turn, subject) }));
  const calls = failures.map(({ call }) => call);
  for (const is of ['silent', 'unknown', 'admitted'] as const) {
    const failure = failures.find(({ telling }) => telling.is === is);
    if (failure !== undefined) return { ...failure, calls };
  }
  return undefined;
}

/** Failed calls that no later call of the same tool made good. */
export function unrecoveredCalls(subject: Subject): readonly FailedCall[] {
  const succeededLater = new Set<string>();
  const failures: FailedCall[] = [];
  for (const turn of subject.turns.toReversed()) {
    for (const call of turn.toolCalls.toReversed()) {
      if (!subject.hasFailed(call)) {
        if (call.answered) succeededLater.add(call.name);
      } else if (!succeededLater.has(call.name)) failures.push({ turn, call });
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
    const isHandedOver = turn.toolCalls.some(
      (call) => subject.effectOf(call.name) === 'hands_over' && !subject.hasFailed(call),
    );
    return isHandedOver ? { is: 'admitted', how: 'a person was asked to take over' } : { is: 'silent' };
  }
  const reading = readingOf(turn);
  if (reading?.admitsTrouble) return { is: 'admitted', how: 'the answer says that something was not done' };
  if (state === 'truncated') return CUT;
  // A tick or a number admits nothing in any language.
  return reading === undefined && /\p{L}/u.test(text) ? OTHER_LANGUAGE : { is: 'silent' };
}

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
