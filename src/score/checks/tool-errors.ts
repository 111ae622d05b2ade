/**
 * Was every tool error dealt with? A call that failed, by its span or by what its result says, counts as recovered where a later call of the
 * same tool succeeded, or where the answer of its turn says that something was not done: the user knows. An error that is passed over in
 * silence, or followed by a claim of success, is not.
 *
 * Where no tool failed there was nothing to recover from, and the check passes.
 */
import { z } from 'zod';
import { notApplicable } from '../answer.ts';
import { toExcerpt } from '../sentences.ts';
import { builtInCheck } from './built-in-check.ts';
import { admitsTrouble, messageOf, unrecoveredCalls } from './failed-calls.ts';

export const noUnrecoveredToolError = builtInCheck({
  summary: 'each tool error was followed by a success of that tool, or admitted in the answer',
  params: z.strictObject({}),
  needs: [],
  make: () => (subject) => {
    const failures = unrecoveredCalls(subject);
    const first = failures[0];
    if (first === undefined) return { pass: true, reason: 'No tool error was left standing.' };
    const told = failures.map((failure) => ({ ...failure, admitted: admitsTrouble(failure.turn) }));
    const silent = told.find(({ admitted }) => admitted === false);
    if (silent !== undefined) {
      const { call } = silent;
      return {
        pass: false,
        reason: `${toExcerpt(call.name)} failed (${messageOf(call)}), never succeeded after, and the answer does not mention it.`,
        evidence: failures.map((failure) => failure.call.spanId ?? failure.call.requestedBy),
      };
    }
    const gap = told.find(({ admitted }) => typeof admitted === 'string')?.admitted;
    if (typeof gap === 'string') return notApplicable(`${toExcerpt(first.call.name)} failed, and ${lowerFirst(gap)}`);
    return { pass: true, reason: `${toExcerpt(first.call.name)} failed, and the answer says so.` };
  },
});

/**
 * Did a tool error keep it from being done? Fails where a call failed, no later call of that tool succeeded, and the answer says that it was
 * not done. An honest answer, and still no success: that is what tells it from one. Where the answer is silent about the error, that is the
 * question above.
 */
export const noBlockingToolError = builtInCheck({
  summary: 'no tool error kept the agent from doing what was asked',
  params: z.strictObject({}),
  needs: [],
  make: () => (subject) => {
    const failures = unrecoveredCalls(subject);
    if (failures.length === 0) return { pass: true, reason: 'No tool error was left standing.' };
    const blocking = failures.find(({ turn }) => admitsTrouble(turn) === true);
    if (blocking === undefined) return notApplicable('Whether a tool error kept it from being done is not said.');
    const { call } = blocking;
    return {
      pass: false,
      reason: `${toExcerpt(call.name)} failed (${messageOf(call)}), and the answer says that it was not done.`,
      evidence: [call.spanId ?? call.requestedBy],
    };
  },
});

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
