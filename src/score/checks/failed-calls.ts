/** Failed tool calls of a conversation, and what became of them. A failure that only the result tells of is one as well. */
import type { ToolCall, Turn } from '../../model/turn.ts';
import { hasFailed } from '../failed-call.ts';
import { LANGUAGE_NOT_KNOWN, readingOf } from '../language/read-answer.ts';
import { toExcerpt } from '../sentences.ts';
import type { Subject } from '../subject.ts';
import { isAnswerUnknown } from '../turn-answer.ts';

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
      if (!hasFailed(call)) {
        if (call.answered) succeededLater.add(call.name);
      } else if (!succeededLater.has(call.name)) failures.push({ turn, call });
    }
  }
  return failures.reverse();
}

export function messageOf({ error, result }: ToolCall): string {
  return toExcerpt(error?.message ?? result.text);
}

/** Whether the answer of the turn says that something was not done; a text says why that is not known. */
export function admitsTrouble(turn: Turn): boolean | string {
  if (turn.finalAnswer.state === 'redacted' || isAnswerUnknown(turn)) {
    return 'whether the user was told is not known: no answer was recorded.';
  }
  if (turn.finalAnswer.text.trim() === '') return false;
  return readingOf(turn)?.admitsTrouble ?? LANGUAGE_NOT_KNOWN;
}
