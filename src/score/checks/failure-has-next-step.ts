/**
 * Checks that the user knows what comes next where a tool failed and the answer says so: it asks, says what can be done or what will happen,
 * or a person takes over. Fails if nobody can read whether it does: an answer that cannot be read must not score more than an honest one. Silence about the failure is for `no_unrecovered_tool_error`.
 */
import { notApplicable } from '../subject/answer.ts';
import { readingOf } from '../subject/answer-reading.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { builtInCheck } from './built-in-check.ts';
import { standingFailure } from './failed-calls.ts';

export const failureHasNextStep = builtInCheck({
  summary: 'where the answer admits that a tool failed, it says what comes next',
  needs: ['tools'],
  make: () => (subject) => {
    const { turn } = subject;
    const failure = standingFailure(subject);
    if (failure === undefined) return NONE_STANDING;
    if (failure.telling.is === 'silent') return SILENT;
    if (!hasAnswer(turn) && failure.telling.is === 'admitted') return { pass: true, reason: 'A person takes over.' };
    const reading = failure.telling.is === 'admitted' ? readingOf(turn) : undefined;
    const evidence = [failure.call.spanId ?? failure.call.requestedBy];
    if (reading === undefined)
      return { pass: false, reason: 'Whether the user was told what comes next is not known.', evidence };
    if (!reading.isBare && (reading.asks || reading.saysWhatNext))
      return { pass: true, reason: 'The answer says what comes next, or asks.' };
    return { pass: false, reason: 'The answer neither asks nor says what can be done.', evidence };
  },
});

const NONE_STANDING = notApplicable('No known tool error was left standing.');
const SILENT = notApplicable('The answer does not mention the failure, which another criterion checks.');
