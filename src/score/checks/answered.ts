/**
 * Did the turn end with something for the user: an answer, whatever it says, or a person who was asked to take over?
 * Output of a program in its place (`../subject/program-text.ts`) is no answer.
 */
import { hasAnswer, isAnswerUnknown, isEndUnknown } from '../subject/turn-answer.ts';
import { toExcerpt } from '../subject/sentences.ts';
import { notApplicable } from '../subject/answer.ts';
import { END_UNKNOWN } from './tool-errors.ts';
import { builtInCheck } from './built-in-check.ts';

export const answered = builtInCheck({
  summary: 'the last turn ended with an answer, or was handed over to a person',
  needs: [],
  make: () => (subject) => {
    const { turn } = subject;
    if (hasAnswer(turn)) return { pass: true, reason: 'The turn ended with an answer.' };
    if (subject.ending === 'handed_over') return { pass: true, reason: 'A person was asked to take over.' };
    if (isAnswerUnknown(turn))
      return notApplicable('The answer was not recorded: content capture may be off.', 'not_recorded');
    const text = turn.finalAnswer.text.trim();
    const given = text === '' ? '' : `: "${toExcerpt(text)}" is none`;
    const failedStep = turn.steps.findLast((step) => step.error !== undefined);
    const cause = turn.error === undefined ? given : `: ${toExcerpt(`${turn.error.type} ${turn.error.message}`)}`;
    return { pass: false, reason: `The turn ended without an answer${cause}.`, evidence: [failedStep?.spanId] };
  },
});

/**
 * Did the turn end without an error, where it gave the user something: an answer or a person who takes over? An error beside an answer may
 * have cut it short, or have come when all was said; the spans do not tell, and either way the agent broke. Without an answer the error is
 * why there is none, which is counted once, by `answered`.
 */
export const endedWithoutError = builtInCheck({
  summary: 'the last turn did not end with an error beside its answer or hand-over',
  needs: [],
  make: () => (subject) => {
    const { error, steps } = subject.turn;
    if (error === undefined && isEndUnknown(subject.turn)) return END_UNKNOWN;
    if (error === undefined) return { pass: true, reason: 'No error of the turn was recorded.' };
    if (subject.ending === 'no_answer')
      return notApplicable('The turn ended without an answer: that is counted already.');
    const given = subject.ending === 'handed_over' ? 'a person was asked to take over' : 'there is an answer';
    return {
      pass: false,
      reason: `The turn ended with an error (${toExcerpt(`${error.type} ${error.message}`)}), although ${given}.`,
      evidence: [steps.findLast((step) => step.error !== undefined)?.spanId],
    };
  },
});
