/** Did every tool call come to an end: with a result, an error, or a finished span? Passes where no tool was called. */
import { enumerate, toExcerpt } from '../subject/sentences.ts';
import { notApplicable } from '../subject/answer.ts';
import { builtInCheck } from './built-in-check.ts';

const NAMED_MAX = 3;

export const everyToolCallAnswered = builtInCheck({
  summary: 'every tool call got a result or an error',
  needs: ['tools'],
  make: () => (subject) => {
    const open = subject.toolCalls.filter((call) => !call.answered);
    if (open.length === 0) return { pass: true, reason: 'Every tool call came to an end.' };
    const names = [...new Set(open.map(({ name }) => toExcerpt(name)))].slice(0, NAMED_MAX);
    if (subject.turns.some(({ flags }) => flags.includes('partial-trace'))) {
      return notApplicable(`The trace is partial: what became of ${enumerate(names)} may not have been recorded.`);
    }
    return {
      pass: false,
      reason: `${open.length} of ${subject.toolCalls.length} tool calls got no result: ${enumerate(names)}.`,
      evidence: open.map((call) => call.spanId ?? call.requestedBy),
    };
  },
});
