/** Writes validity as JSON. Intervals are at 95 %. */
import type { Estimate } from '../../model/estimate.ts';
import type { SuiteValidity } from '../../model/validity.ts';
import { validityRemarks } from './validity-remarks.ts';

/** With what was counted, by its name in the document. */
type Counted = { readonly label: string } & Readonly<Record<string, string | number | readonly string[]>>;

export function validityJson(suites: readonly SuiteValidity[], { label, ...counted }: Counted): unknown {
  return { label, confidence: 0.95, ...counted, suites: suites.map(suiteJson) };
}

function suiteJson(suite: SuiteValidity): unknown {
  return {
    suite: suite.suite,
    suite_version: suite.suiteVersion,
    scope: suite.scope,
    about: suite.about ?? null,
    labelled: suite.good + suite.bad,
    good: suite.good,
    bad: suite.bad,
    good_share: estimateJson(suite.shareGood),
    outcomes: Object.fromEntries(suite.said.map(({ outcome, good, bad }) => [outcome, { good, bad }])),
    said_good: suite.saidGood,
    said_bad: suite.saidBad,
    said_neither: suite.saidNeither,
    agreement: estimateJson(suite.agreement),
    kappa: estimateJson(suite.kappa),
    without_score: suite.withoutScore,
    area_under_curve: estimateJson(suite.area),
    area_within_cases:
      suite.withinCases === undefined
        ? null
        : {
            ...estimateJson(suite.withinCases.area),
            cases: suite.withinCases.cases,
            pairs: suite.withinCases.pairs,
          },
    criteria: suite.criteria.map(({ criterion, judgedBy, decided, failed, precision, recall }) => ({
      criterion,
      ...(judgedBy === undefined ? {} : { judge: judgedBy.judge, judge_version: judgedBy.version }),
      decided,
      failed,
      precision: estimateJson(precision),
      recall: estimateJson(recall),
    })),
    remarks: validityRemarks(suite),
  };
}

function estimateJson(estimate: Estimate | undefined): Estimate | null {
  if (estimate === undefined) return null;
  const { value, lower, upper } = estimate;
  return { value, lower, upper };
}
