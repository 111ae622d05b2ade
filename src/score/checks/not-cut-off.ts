/**
 * Did the last model call end by itself? A finish reason of `length`, `content_filter` or `error` means that it was cut
 * off, whether the call's span says so or only the agent's. So does `tool_call` where the model was never heard of again and there is no
 * answer.
 */
import { hasAnswer } from '../subject/turn-answer.ts';
import { notApplicable } from '../subject/answer.ts';
import { builtInCheck } from './built-in-check.ts';

const CUT_OFF: Readonly<Record<string, string>> = {
  length: 'it ran into the limit of output tokens',
  content_filter: 'a content filter stopped it',
  error: 'the provider had an error',
};

export const notCutOff = builtInCheck({
  summary: 'the last model call was not cut off',
  needs: [],
  make:
    () =>
    ({ turn }) => {
      const { finishReasons } = turn;
      if (finishReasons.length === 0) return notApplicable('No finish reason was recorded.');
      const lastCall = turn.steps.findLast((step) => step.kind === 'llm');
      const evidence = [lastCall?.spanId];
      const cutOff = finishReasons.find((reason) => Object.hasOwn(CUT_OFF, reason));
      if (cutOff !== undefined) {
        return { pass: false, reason: `The model was cut off: ${CUT_OFF[cutOff]} (${cutOff}).`, evidence };
      }
      if (finishReasons.includes('tool_call') && !hasAnswer(turn)) {
        return { pass: false, reason: 'The model asked for a tool and was never called again.', evidence };
      }
      return { pass: true, reason: `The last model call ended by itself (${finishReasons.join(', ')}).` };
    },
});
