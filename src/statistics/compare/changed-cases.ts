/** Cases that two experiments know by the same id, and that are not the same any more: another input, or another truth. */
import type { RunsOfCase, SuiteRuns } from './suite-runs.ts';

interface ChangedCase {
  /** Key of the case in the first experiment. */
  readonly key: string;
  readonly before: RunsOfCase;
  readonly now: RunsOfCase;
}

export function changedCases(a: SuiteRuns, b: SuiteRuns): readonly ChangedCase[] {
  const byId = new Map([...b.cases.values()].map((ofCase) => [ofCase.case, ofCase]));
  return [...a.cases].flatMap(([key, before]) => {
    const now = byId.get(before.case);
    return now === undefined || b.cases.has(key) ? [] : [{ key, before, now }];
  });
}
