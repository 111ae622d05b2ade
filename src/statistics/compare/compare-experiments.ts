/**
 * Two experiments side by side, through each suite that scored both. Pure: the same two give the same comparison.
 *
 * A measure is called better or worse where its test rejects that the two do the same (for criteria, with all of them in regard). Else no difference was shown where
 * the whole interval lies within the smallest difference that matters, and there is not enough evidence where it does not. The test and the interval answer two
 * questions: whether the two differ on these cases, and by how much they would over all cases there are, those that were not seen included. So an interval may have
 * 0 in it although the test rejects, where few cases differ all in one way by little.
 */
import type { Comparison, SuiteComparison } from '../../model/comparison.ts';
import type { Evaluation, Outcome } from '../../model/evaluation.ts';
import type { ExperimentResult } from '../../model/experiment.ts';
import { aboutOf, meanDecided } from '../../model/known-share.ts';
import { speaksOfSuccess } from '../../model/suite-words.ts';
import { OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import { changeOf, shareCases } from './change.ts';
import { changedCases } from './changed-cases.ts';
import { comparabilityOf, earlyEndWarnings, suiteWarnings } from './comparability.ts';
import { adjusted, figureOf, type Good, type Level, type Measured, worded } from './conclusion.ts';
import { testDifference } from './difference-test.ts';
import { flippedCases } from './flipped-cases.ts';
import { type Measure, meanOf, valuesOf } from './measure.ts';
import { reliabilityOfRuns } from './reliability.ts';
import { splitScore } from './split-score.ts';
import { SuiteRuns } from './suite-runs.ts';

interface CompareOptions {
  /** Between 0 and 1; 0.95. */
  readonly confidence?: number;
  /** The smallest difference that matters, between 0 and 1; 0.05. */
  readonly smallest?: number;
  /** Only these, where given. */
  readonly suites?: readonly string[] | undefined;
}

export function compareExperiments(
  a: ExperimentResult,
  b: ExperimentResult,
  { confidence = 0.95, smallest = 0.05, suites }: CompareOptions = {},
): Comparison {
  const [ofA, ofB] = [suitesOf(a), suitesOf(b)];
  const both = ofA.filter((suite) => ofB.includes(suite) && (suites === undefined || suites.includes(suite)));
  return {
    a: a.experiment,
    b: b.experiment,
    confidence,
    smallest,
    warnings: [
      ...comparabilityOf(a, b),
      ...earlyEndWarnings([
        ['A', a],
        ['B', b],
      ]),
    ],
    suites: both.map((suite) =>
      compareSuite(new SuiteRuns(a, suite), new SuiteRuns(b, suite), { alpha: 1 - confidence, smallest }),
    ),
  };
}

/** Suites that scored it, in the order in which they were named. */
export function suitesOf({ experiment, runs }: ExperimentResult): string[] {
  const scored = runs.flatMap(({ evaluations }) => evaluations.map(({ suite }) => suite));
  return [...new Set([...experiment.suites.map(({ name }) => name), ...scored])];
}

function compareSuite(a: SuiteRuns, b: SuiteRuns, level: Omit<Level, 'lookedAt' | 'about'>): SuiteComparison {
  const criteria = [...new Set([...a.criteria, ...b.criteria])];
  const about = aboutOf([...evaluationsOf(a), ...evaluationsOf(b)]);
  const asked = { ...level, lookedAt: criteria.length, about };
  const effortIs = speaksOfSuccess(about) ? 'less' : undefined;
  const compared = (measure: Measure, good: Good) => worded(measured(a, b, measure, asked), good, asked);
  const isPaired = shareCases(a, b);
  const ofCriteria = adjusted(
    criteria.map((name) => onlyInOne(a, b, name) ?? measured(a, b, { is: 'criterion', name }, asked)),
  );
  return {
    suite: a.suite,
    warnings: suiteWarnings(a, b),
    cases: casesOf(a, b),
    about,
    decidedShare: { a: meanDecided(evaluationsOf(a)), b: meanDecided(evaluationsOf(b)) },
    score: compared({ is: 'score' }, 'more'),
    success: compared({ is: 'success' }, 'more'),
    outcomes: OUTCOMES_IN_ORDER.map((outcome) => ({
      outcome,
      compared: compared({ is: 'outcome', outcome }, GOOD_OUTCOMES[outcome]),
    })),
    failedRuns: compared({ is: 'failed_runs' }, 'less'),
    criteria: criteria.map((criterion, index) => ({
      criterion,
      // The cast holds: there is one for each criterion.
      compared: worded(ofCriteria[index] as Measured, 'more', asked),
    })),
    stepsPerSuccess: compared({ is: 'steps_per_success' }, effortIs),
    tokensPerSuccess: compared({ is: 'tokens_per_success' }, effortIs),
    costPerSuccess: compared({ is: 'cost_per_success' }, effortIs),
    split: splitScore(a, b, isPaired),
    flipped: flippedCases(a, b),
    reliability: { a: reliabilityOfRuns(a, 1 - asked.alpha), b: reliabilityOfRuns(b, 1 - asked.alpha) },
  };
}

function evaluationsOf({ cases }: SuiteRuns): readonly Evaluation[] {
  return [...cases.values()].flatMap(({ runs }) => runs.flatMap(({ evaluations }) => evaluations));
}

const GOOD_OUTCOMES = {
  successful_completion: 'more',
  no_fault_found: 'more',
  handed_over: undefined,
  graceful_failure: undefined,
  partial_failure: undefined,
  hard_failure: 'less',
  unscored: 'less',
} as const satisfies Record<Outcome, Good>;

function measured(a: SuiteRuns, b: SuiteRuns, measure: Measure, { alpha }: Level): Measured {
  return figureOf(changeOf(a, b, measure), () => testDifference(a, b, measure), alpha);
}

/** A criterion that one of the two does not have, perhaps because it was renamed; undefined of all others. */
function onlyInOne(a: SuiteRuns, b: SuiteRuns, name: string): Measured | undefined {
  const having = a.criteria.includes(name) ? { runs: a, called: 'A' } : { runs: b, called: 'B' };
  if (a.criteria.includes(name) && b.criteria.includes(name)) return undefined;
  const rate = meanOf([...valuesOf(having.runs, { is: 'criterion', name }).values()]);
  const passed = rate === undefined ? 'where it was never decided' : `where ${(rate * 100).toFixed(1)} % passed`;
  return { is: 'not_compared', because: `only in ${having.called}, ${passed}` };
}

function casesOf(a: SuiteRuns, b: SuiteRuns): SuiteComparison['cases'] {
  const [idsOfA, idsOfB] = [idsOf(a), idsOf(b)];
  const shared = [...a.cases.keys()].filter((key) => b.cases.has(key)).length;
  const named = [...idsOfA].filter((id) => idsOfB.has(id)).length;
  return {
    shared,
    changed: changedCases(a, b).length,
    onlyInA: idsOfA.size - named,
    onlyInB: idsOfB.size - named,
  };
}

function idsOf({ cases }: SuiteRuns): Set<string> {
  return new Set([...cases.values()].map((ofCase) => ofCase.case));
}
