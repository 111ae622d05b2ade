/** Start data for the owner of the judges, from the settings. */
import type { JudgingRules } from '../ask/judge.ts';
import type { JudgeSettings } from '../config/judge-settings.ts';
import type { Settings } from '../config/settings.ts';
import { NANOS } from '../model/questions.ts';
import type { Judges } from '../score/suite/judges.ts';
import type { ReportedParts } from '../report/events/event-reporter.ts';

/** Plain data: it goes to the thread that asks. */
export interface JudgingStart {
  readonly judges: readonly JudgeSettings[];
  readonly rules: JudgingRules;
}

/** Undefined where no judge is configured. Answers quote conversations, so they are kept for as long. */
export function judgingStart({ judging, store }: Pick<Settings, 'judging' | 'store'>): JudgingStart | undefined {
  const { judges, budget, limitMs } = judging;
  if (judges.length === 0) return undefined;
  const limits = { hourNanos: Math.floor(budget.perHour * NANOS), dayNanos: Math.floor(budget.perDay * NANOS) };
  return { judges, rules: { budget: limits, limitMs, keepAnswersMs: store.keepMs } };
}

/** The judges that there are metrics of. */
export function reportedJudges(start: JudgingStart | undefined): ReportedParts['judges'] {
  return start && { names: start.judges.map(({ name }) => name), budget: start.rules.budget };
}

/** Answers scoring's questions about a judge. Undefined for one that is not configured. */
export function judgeOf(start: JudgingStart | undefined): Judges['settings'] {
  const judges = new Map(
    (start?.judges ?? []).map(({ name, fingerprint, evidenceTokens, sample, strict }) => [
      name,
      { fingerprint, evidenceTokens, share: sample, strict },
    ]),
  );
  return (name) => judges.get(name);
}
