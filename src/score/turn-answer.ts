/** Whether a turn has an answer, as far as its spans show. */
import type { Turn } from '../model/turn.ts';

/**
 * Whether there may have been an answer that was not recorded. It is known that there was none where the turn failed,
 * or where the last model call shows its content and still there is no answer.
 */
export function isAnswerUnknown(turn: Turn): boolean {
  if (turn.finalAnswer.state !== 'missing' || turn.error !== undefined) return false;
  const lastModelCall = turn.steps.findLast((step) => step.kind === 'llm');
  if (lastModelCall === undefined) return turn.userInput.state === 'missing';
  return lastModelCall.flags.includes('content-missing');
}

/** White space, or what a program prints for a value that is not there: a loop that ran out of steps answers `None`. */
const PRINTED_NOTHING = /^\s*(?:None|null|undefined)?\s*$/;

/** Whether the turn gave the user something: an answer that is there, redacted or not, or may have been. */
export function hasAnswer({ finalAnswer }: Turn): boolean {
  switch (finalAnswer.state) {
    case 'redacted':
    case 'truncated':
      return true;
    case 'whole':
      return !PRINTED_NOTHING.test(finalAnswer.text);
    case 'missing':
      return false;
  }
}
