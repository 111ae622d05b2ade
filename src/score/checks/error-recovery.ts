/**
 * How an agent behaves once something went wrong: in a tool, in a model call, anywhere. Rules of thumb over what it did
 * and said from the first error on; each is a check of its own.
 */
import type { SpanId } from '../../model/ids.ts';
import type { Turn } from '../../model/turn.ts';
import { hasAnswer, isAnswerUnknown } from '../subject/turn-answer.ts';
import { type AnswerReading, LANGUAGE_NOT_KNOWN } from '../../language/read-answer.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { type Answer, notApplicable } from '../subject/answer.ts';
import { type BuiltInCheck, builtInCheck } from './built-in-check.ts';
import { tellingOf, unrecoveredCalls } from './failed-calls.ts';

/** The agent noticed: it tried the failed tool again, or the user learned of it. */
export const errorDetected = afterAnError(
  'the agent tried again after an error, or told the user',
  (error, subject) => {
    const { turn, what, toolName } = error;
    const triedAgain = turn.toolCalls.some(
      ({ name, startedAtMs }) => name === toolName && startedAtMs > error.endedAtMs,
    );
    if (triedAgain) return { pass: true, reason: `${what} failed, and was tried again.` };
    const told = answersFrom(error, subject).some((answer) => tellingOf(answer, subject).is === 'admitted');
    return told
      ? { pass: true, reason: `${what} failed, and the user was told.` }
      : { pass: false, reason: `${what} failed, and nothing the agent did or said shows that it noticed.` };
  },
);

/** The agent asked the user for what would help. Needless if it recovered by itself. */
export const clarificationRequested = afterAnError('after an error the agent asked the user', (error, subject) => {
  if (isRecovered(error, subject))
    return notApplicable(`The agent recovered from the failure of ${error.what} by itself.`);
  const asked = isSaid(error, subject, ({ asks }) => asks);
  return asked
    ? { pass: true, reason: 'The user was asked.' }
    : { pass: false, reason: `${error.what} failed, and the user was not asked anything.` };
});

/** The agent said what can be done now. Needless if it recovered by itself. */
export const errorMessageActionable = afterAnError('after an error the agent said what to do', (error, subject) => {
  if (isRecovered(error, subject))
    return notApplicable(`The agent recovered from the failure of ${error.what} by itself.`);
  const told = isSaid(error, subject, ({ isBare, asks, saysWhatNext }) => !isBare && (asks || saysWhatNext));
  return told
    ? { pass: true, reason: 'The user was told what can be done.' }
    : { pass: false, reason: `${error.what} failed, and the user was not told what can be done.` };
});

/** The agent went on to give an answer. */
export const survivedError = afterAnError(
  'the agent did not break on the error',
  ({ what }, { turn }) => {
    if (turn.error === undefined && (hasAnswer(turn) || isAnswerUnknown(turn))) {
      return { pass: true, reason: `${what} failed, and the agent carried on.` };
    }
    const end = turn.error === undefined ? 'without an answer' : `with ${toExcerpt(turn.error.message)}`;
    return { pass: false, reason: `${what} failed, and the conversation ended ${end}.` };
  },
  { readsWords: false },
);

interface FirstError {
  readonly turn: Turn;
  readonly spanId: SpanId | undefined;
  readonly endedAtMs: number;
  readonly what: string;
  readonly toolName: string | undefined;
}

function afterAnError(
  summary: string,
  check: (error: FirstError, subject: Subject) => Answer,
  { readsWords = true }: { readonly readsWords?: boolean } = {},
): BuiltInCheck {
  return builtInCheck({
    summary,
    needs: ['tools'],
    make: () => (subject) => {
      const error = subject.once(firstErrorOf, () => firstErrorOf(subject));
      if (error === undefined) return notApplicable('Nothing went wrong.');
      const answer = check(error, subject);
      if (typeof answer === 'boolean' || 'notApplicable' in answer) return answer;
      if (!answer.pass && answersFrom(error, subject).some(isUnreadable)) {
        return notApplicable('What the user was told is not known: the answer was not recorded.', 'not_recorded');
      }
      if (!answer.pass && readsWords && answersFrom(error, subject).some(isInUnknownLanguage))
        return notApplicable(LANGUAGE_NOT_KNOWN, 'language');
      return { ...answer, evidence: [error.spanId] };
    },
  });
}

/**
 * A step that failed, or a tool call whose result says so. Leaves first: an agent's span that failed because its tool did is not what went
 * wrong.
 */
function firstErrorOf(subject: Subject): FirstError | undefined {
  for (const turn of subject.turns) {
    const failed = turn.steps.filter((step) => step.error !== undefined);
    const parents = new Set(failed.map(({ parentSpanId }) => parentSpanId));
    const step = failed.find(({ spanId }) => !parents.has(spanId)) ?? failed[0];
    const call = turn.toolCalls.find((one) => subject.hasFailed(one));
    if (call !== undefined && (step === undefined || call.endedAtMs < step.endedAtMs)) {
      const { name, spanId = call.requestedBy } = call;
      return { turn, spanId, endedAtMs: call.endedAtMs, what: toExcerpt(name), toolName: name };
    }
    if (step === undefined) continue;
    const toolName = step.kind === 'tool' ? (step.tool?.name ?? step.name) : undefined;
    return { turn, spanId: step.spanId, endedAtMs: step.endedAtMs, what: toExcerpt(toolName ?? step.name), toolName };
  }
  return undefined;
}

function answersFrom({ turn }: FirstError, { turns }: Subject): readonly Turn[] {
  return turns.slice(turns.indexOf(turn));
}

/** Every failed tool succeeded later, and the conversation ended well: there was nothing to bother the user with. */
function isRecovered(_error: FirstError, subject: Subject): boolean {
  return unrecoveredCalls(subject).length === 0 && subject.turn.error === undefined && hasAnswer(subject.turn);
}

function isSaid(error: FirstError, subject: Subject, says: (reading: AnswerReading) => boolean): boolean {
  return answersFrom(error, subject).some((turn) => {
    const reading = readingOf(turn);
    return reading !== undefined && says(reading);
  });
}

function isInUnknownLanguage(turn: Turn): boolean {
  return hasAnswer(turn) && readingOf(turn) === undefined;
}

function isUnreadable(turn: Turn): boolean {
  return turn.finalAnswer.state === 'redacted' || isAnswerUnknown(turn);
}
