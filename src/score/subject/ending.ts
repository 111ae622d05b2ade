/**
 * How a conversation ended, by its last turn:
 *
 *   handed_over  a person was asked to take over, by a tool that does that
 *   no_answer    it is known that there was no answer; error: there is one, and the turn failed beside it
 *   unknown      the answer was not recorded
 *   asked        the last word is a question that waits for the user; abandoned: nobody answered it, and no end was marked
 *   refused      the agent said that it will not do it
 *   answered     all else
 *
 * Whether a hand-over or a refusal was right, only truth, a rule of one's own or a judge can say: none of them is a failure by itself.
 */
import type { Ending } from '../../model/ending.ts';
import type { SuiteScope } from '../../model/evaluation.ts';
import type { Turn } from '../../model/turn.ts';
import { type HandsOver, handOverIn } from './hand-over.ts';
import { endsAsQuestion } from '../../language/read-answer.ts';
import { readingOf } from './answer-reading.ts';
import { hasAnswer, isAnswerUnknown } from './turn-answer.ts';

/** A turn by itself is not abandoned: the next one may come. */
export function endingOf(turn: Turn, handsOver: HandsOver, { isTurn }: { readonly isTurn: boolean }): Ending {
  if (handOverIn(turn, handsOver) !== undefined) return 'handed_over';
  if (isAnswerUnknown(turn)) return 'unknown';
  if (!hasAnswer(turn)) return 'no_answer';
  if (turn.error !== undefined) return 'error';
  if (turn.finalAnswer.state !== 'whole') return 'answered';
  const reading = readingOf(turn);
  const asks = reading?.asks ?? endsAsQuestion(turn.finalAnswer.text);
  if (asks) return isTurn || turn.ended ? 'asked' : 'abandoned';
  return reading?.refuses ? 'refused' : 'answered';
}

/** How a conversation broke off: its last turn is known to have no answer, or has an error beside its answer. */
export type Broke = 'no_answer' | 'error';

const BROKEN = {
  answered: undefined,
  asked: undefined,
  refused: undefined,
  handed_over: undefined,
  abandoned: undefined,
  error: 'error',
  no_answer: 'no_answer',
  unknown: undefined,
} as const satisfies Record<Ending, Broke | undefined>;

/** Not decided for a single turn, because the suite's criteria cover its end. */
export function brokeBy(ending: Ending | undefined, scope: SuiteScope): Broke | undefined {
  return scope === 'conversation' && ending !== undefined ? BROKEN[ending] : undefined;
}
