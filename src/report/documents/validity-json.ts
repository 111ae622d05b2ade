/** What suites say held against outcomes, as JSON. Intervals are at 95 %. */
import type { Estimate } from '../../model/estimate.ts';
import type { SuiteValidity } from '../../model/validity.ts';
import { validityRemarks } from './validity-remarks.ts';

interface Counted {
  readonly label: string;
  readonly entries: number;
  readonly empty: number;
  readonly repeated: number;
  readonly contradicted: readonly string[];
  readonly unknown: readonly string[];
  readonly labelled: number;
  readonly withoutOutcome: number;
}

export function validityJson(suites: readonly SuiteValidity[], counted: Counted): unknown {
  return {
    label: counted.label,
    confidence: 0.95,
    entries: counted.entries,
    labelled: counted.labelled,
    without_outcome: counted.withoutOutcome,
    unknown: counted.unknown,
    empty: counted.empty,
    repeated: counted.repeated,
    contradicted: counted.contradicted,
    suites: suites.map(suiteJson),
  };
}

function suiteJson(suite: SuiteValidity): unknown {
  return {
    suite: suite.suite,
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
    criteria: suite.criteria.map(({ criterion, decided, failed, precision, recall }) => ({
      criterion,
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
