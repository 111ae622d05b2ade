/** The judge of the killed process. Its budget may not cover all questions. */
import type { Judge, JudgingRules } from '../../src/ask/judge.ts';
import { judgeAt, SHORT } from './asked.ts';

export const KILLED_JUDGE: Judge = judgeAt('', {
  votes: 3,
  concurrency: 4,
  prices: { inputPerMillion: 10, outputPerMillion: 30 },
});
export const KILLED_RULES: JudgingRules = {
  budget: { hourNanos: 1_000_000_000, dayNanos: Number.POSITIVE_INFINITY },
  limitMs: 3_600_000,
  keepAnswersMs: 3_600_000,
};
export const KILLED_TIMES = SHORT;
