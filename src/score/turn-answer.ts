/** Whether a turn has an answer, as far as its spans show. */
import type { Turn } from '../model/turn.ts';
import { isProgramText } from './program-text.ts';

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

/** Whether the turn gave the user something: an answer that is there, redacted or not, and no program text in place of one. */
export function hasAnswer(turn: Turn): boolean {
  switch (turn.finalAnswer.state) {
    case 'redacted':
    case 'truncated':
      return true;
    case 'whole':
      return !isProgramText(turn);
    case 'missing':
      return false;
  }
}
