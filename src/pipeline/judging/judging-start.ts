/** What the owner of the judges is started with, from the settings. */
import type { Judge, JudgingRules } from '../../ask/judge.ts';
import type { JudgingSettings } from '../../config/judge-settings.ts';
import { JudgeCounters } from '../../report/judge-counters.ts';

/** Plain data: it goes to the thread that asks. */
export interface JudgingStart {
  readonly judges: readonly Judge[];
  readonly rules: JudgingRules;
}

/** The store counts money in billionths. */
const NANOS = 1e9;

/** Undefined where no judge is configured. */
export function judgingStart({ judges, budget, limitMs, keepAnswersMs }: JudgingSettings): JudgingStart | undefined {
  if (judges.length === 0) return undefined;
  const limits = { hourNanos: Math.floor(budget.perHour * NANOS), dayNanos: Math.floor(budget.perDay * NANOS) };
  return { judges, rules: { budget: limits, limitMs, keepAnswersMs } };
}

export function judgeCounters({ judges, rules }: JudgingStart): JudgeCounters {
  return new JudgeCounters({ names: judges.map(({ name }) => name), budget: rules.budget });
}
