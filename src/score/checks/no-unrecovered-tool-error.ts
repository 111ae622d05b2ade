/**
 * Was every tool error dealt with? A call that failed counts as recovered where a later call of the same tool succeeded,
 * or where the answer of its turn mentions that something went wrong: the user knows. An error that is passed over in
 * silence, or followed by a claim of success, is not.
 *
 * Where no tool failed there was nothing to recover from, and the check passes.
 */
import { z } from 'zod';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { isAnswerUnknown } from '../needs.ts';
import { toExcerpt } from '../sentences.ts';
import type { Subject } from '../subject.ts';
import { notApplicable } from '../answer.ts';
import { builtInCheck } from './built-in-check.ts';
import { mentions, normalize, TROUBLE } from './phrases.ts';

export const noUnrecoveredToolError = builtInCheck({
  summary: 'each tool error was followed by a success of that tool, or admitted in the answer',
  params: z.strictObject({}),
  needs: [],
  make: () => (subject) => {
    const failures = unrecoveredCalls(subject);
    const first = failures[0];
    if (first === undefined) return { pass: true, reason: 'No tool error was left standing.' };
    const unheard = failures.find(({ turn }) => !isUnreadable(turn) && !admitsTrouble(turn));
    if (unheard === undefined && failures.every(({ turn }) => !isUnreadable(turn))) {
      return { pass: true, reason: `${first.call.name} failed, and the answer says so.` };
    }
    if (unheard === undefined) {
      return notApplicable(
        `${first.call.name} failed, and whether the user was told is not known: no answer was recorded.`,
      );
    }
    const { call } = unheard;
    return {
      pass: false,
      reason: `${toExcerpt(call.name)} failed (${toExcerpt(call.error?.message ?? '')}), never succeeded after, and the answer does not mention it.`,
      evidence: failures.map((failure) => failure.call.spanId ?? failure.call.requestedBy),
    };
  },
});

interface FailedCall {
  readonly turn: Turn;
  readonly call: ToolCall;
}

/** Failed calls that no later call of the same tool made good. */
export function unrecoveredCalls({ turns }: Pick<Subject, 'turns'>): readonly FailedCall[] {
  const succeededLater = new Set<string>();
  const failures: FailedCall[] = [];
  for (const turn of turns.toReversed()) {
    for (const call of turn.toolCalls.toReversed()) {
      if (call.error === undefined) {
        if (call.answered) succeededLater.add(call.name);
      } else if (!succeededLater.has(call.name)) failures.push({ turn, call });
    }
  }
  return failures.reverse();
}

export function admitsTrouble(turn: Turn): boolean {
  return mentions(normalize(turn.finalAnswer.text), TROUBLE);
}

function isUnreadable(turn: Turn): boolean {
  return turn.finalAnswer.state === 'redacted' || isAnswerUnknown(turn);
}
