/**
 * Did each turn stay within its allowance? Steps are model calls and tool calls; tokens are input and output together.
 * An allowance is a guard against runaways rather than a budget: set it well above what is normal.
 */
import { z } from 'zod';
import { builtInCheck } from './built-in-check.ts';

const count = z.int('a whole number').min(1, 'at least 1');

export const withinAllowance = builtInCheck({
  summary: 'each turn stayed within its allowance of steps and tokens',
  params: z.strictObject({
    max_steps: count.default(50),
    max_tokens: count.default(200_000),
    max_seconds: z.number('a number').positive('above 0').optional(),
  }),
  needs: [],
  make:
    ({ max_steps, max_tokens, max_seconds }) =>
    ({ turns }) => {
      for (const { llmCalls, toolCalls, usage, rootSpanId, startedAtMs, endedAtMs } of turns) {
        const fail = (what: string) => ({ pass: false, reason: `The turn took ${what}.`, evidence: [rootSpanId] });
        const steps = llmCalls + toolCalls.length;
        if (steps > max_steps) return fail(`${steps} steps; ${max_steps} are allowed`);
        const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
        if (tokens > max_tokens) return fail(`${tokens} tokens; ${max_tokens} are allowed`);
        const seconds = (endedAtMs - startedAtMs) / 1000;
        if (max_seconds !== undefined && seconds > max_seconds) {
          return fail(`${seconds} seconds; ${max_seconds} are allowed`);
        }
      }
      return { pass: true, reason: 'Every turn stayed within its allowance.' };
    },
});
