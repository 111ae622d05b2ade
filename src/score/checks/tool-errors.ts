/**
 * Two questions about tool errors. A call that failed, by its span or by what its result says, counts as recovered
 * where a later call of the same tool succeeded. For an unrecovered error exactly one of the two fails, depending on
 * how the answer treats it (`failed-calls.ts`):
 *
 *                no_unrecovered_tool_error   no_blocking_tool_error
 *   no error     pass                        pass
 *   admitted     pass                        fail: honest, and not done
 *   silent       fail: the user was left     not applicable: counted by the other
 *                to think that it was done
 *   unknown      not applicable              fail: it was not done, whatever the answer says
 *
 * A permanent failure of a tool is seen without reading the answer, so an answer that cannot be read does not hide it.
 * It is not taken for silence either: that would hold against the agent what only its language or the capture of
 * content shows. So an answer nobody can read scores no better than an honest one, and to hide an error costs more than
 * to admit it.
 */
import { notApplicable } from '../subject/answer.ts';
import { toExcerpt } from '../subject/sentences.ts';
import { builtInCheck } from './built-in-check.ts';
import { isEndUnknown } from '../subject/turn-answer.ts';
import { messageOf, type StandingFailure, standingFailure } from './failed-calls.ts';

export const END_UNKNOWN = notApplicable(
  'Nobody knows whether the turn came to its end: its root never arrived, and the last that did is a tool.',
  'not_recorded',
);
const NONE_STANDING = { pass: true, reason: 'No known tool error was left standing.' };

/** Was every tool error dealt with, by trying again or by telling the user? */
export const noUnrecoveredToolError = builtInCheck({
  summary: 'each tool error was followed by a success of that tool, or admitted in the answer',
  needs: ['tools', 'tool_errors'],
  make: () => (subject) => {
    const failure = standingFailure(subject);
    if (failure === undefined) return isEndUnknown(subject.turn) ? END_UNKNOWN : NONE_STANDING;
    const { call, telling } = failure;
    const name = toExcerpt(call.name);
    switch (telling.is) {
      case 'admitted':
        return { pass: true, reason: `${name} failed, and ${telling.how}.` };
      case 'silent':
        return {
          pass: false,
          reason: `${name} failed (${messageOf(call)}), never succeeded after, and the answer does not mention it.`,
          evidence: evidenceOf(failure),
        };
      case 'unknown':
        return notApplicable(
          `${name} failed; whether the user was told is not known. ${telling.because}`,
          telling.undecided,
        );
    }
  },
});

/** Did it get done, whatever tool errors there were? */
export const noBlockingToolError = builtInCheck({
  summary: 'no tool error kept the agent from doing what was asked',
  needs: ['tools', 'tool_errors'],
  make: () => (subject) => {
    const failure = standingFailure(subject);
    if (failure === undefined) return isEndUnknown(subject.turn) ? END_UNKNOWN : NONE_STANDING;
    const { call, telling } = failure;
    const failed = `${toExcerpt(call.name)} failed (${messageOf(call)})`;
    switch (telling.is) {
      case 'admitted':
        return { pass: false, reason: `${failed}, and ${telling.how}.`, evidence: evidenceOf(failure) };
      case 'silent':
        return notApplicable(`${failed}, and the answer does not mention it, which another criterion checks.`);
      case 'unknown':
        return {
          pass: false,
          reason: `${failed} and never succeeded after; whether the user was told is not known. ${telling.because}`,
          evidence: evidenceOf(failure),
        };
    }
  },
});

/** The call that decided first. */
function evidenceOf({ call, calls }: StandingFailure) {
  return [call, ...calls].map(({ spanId, requestedBy }) => spanId ?? requestedBy);
}
