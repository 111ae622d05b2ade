/** Whether a turn has an answer, as far as its spans show. */
import type { Doubt, Turn } from '../../model/turn.ts';
import { isProgramText } from './program-text.ts';

/** Doubts that leave nothing to be said of a turn, with the reason of its verdicts. */
export const BLOCKED = {
  fragment: 'This is one model call out of a turn; the calls beside it were not found.',
  'answer-unseen': 'A model answered, and the answer did not become that of the turn: its spans were not understood.',
  'not-understood': 'Some spans hold content of an agent, and nobody knows what they are.',
} as const satisfies Partial<Record<Doubt, string>>;

/**
 * Whether there may have been an answer that was not recorded. It is known that there was none if the turn failed, or
 * if the last model call shows its content and still there is no answer. It is also known if that call asks for a tool
 * and the root of the turn never came. Whether it shows its content or not, it was not the last word of an agent that
 * came to its end.
 */
export function isAnswerUnknown(turn: Turn): boolean {
  if (turn.doubts.includes('answer-misread')) return true;
  if (turn.finalAnswer.state !== 'missing' || turn.error !== undefined) return false;
  if (turn.doubts.some((doubt) => doubt in BLOCKED)) return true;
  const lastModelCall = turn.steps.findLast((step) => step.kind === 'llm');
  if (lastModelCall === undefined) return turn.userInput.state === 'missing';
  if (turn.flags.includes('root-missing') && turn.finishReasons.includes('tool_call')) return false;
  return lastModelCall.flags.includes('content-missing');
}

/**
 * Whether nobody can know that the agent came to its end: the root never came, no answer was recorded, and a tool was
 * the last to work. The process may have been killed, or only parts of it may be instrumented.
 */
export function isEndUnknown(turn: Turn): boolean {
  // First by the answer: for the flags all content is looked at.
  if (!isAnswerUnknown(turn) || !turn.flags.includes('root-missing')) return false;
  return turn.steps.findLast(({ kind }) => kind === 'llm' || kind === 'tool')?.kind === 'tool';
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
