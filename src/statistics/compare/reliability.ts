/**
 * Measures reliability from the repeats of an experiment: whether a case works once or each time, and which cases and
 * criteria are unreliable.
 */
import type { FlakyCase, Reliability } from '../../model/comparison.ts';
import type { ExperimentResult } from '../../model/experiment.ts';
import type { NotEstimable, Estimated } from '../../model/estimated.ts';
import { levelOf } from './level.ts';
import { passRateOf, successOf } from './measure.ts';
import { inOrder, type RunsOfCase, SuiteRuns } from './suite-runs.ts';

export function reliabilityOf(result: ExperimentResult, suite: string, confidence = 0.95): Reliability {
  return reliabilityOfRuns(new SuiteRuns(result, suite), confidence);
}

export function reliabilityOfRuns(runs: SuiteRuns, confidence: number): Reliability {
  const cases = [...runs.cases.values()];
  const repeats = Math.max(0, ...cases.map((ofCase) => ofCase.runs.length));
  const tail = (1 - confidence) / 2;
  return {
    suite: runs.suite,
    repeats,
    passes: sizesUpTo(repeats).flatMap((k) => {
      const [at, hat] = [levelOf(runs, { is: 'pass_at', k }), levelOf(runs, { is: 'pass_hat', k })];
      if (isMissing(at) || isMissing(hat)) return [];
      return [{ k, cases: hat.cases, passAt: interval(at, tail), passHat: interval(hat, tail) }];
    }),
    flakyCases: flakyCases(cases, runs.criteria),
    flakyCriteria: flakyCriteria(cases, runs.criteria),
  };
}

/** 1, 2, 3, 4, 5, 8, 16 and so on, and the number of repeats itself. */
function sizesUpTo(repeats: number): number[] {
  if (repeats < 2) return [];
  const sizes = [1, 2, 3, 4, 5];
  for (let size = 8; size < repeats; size *= 2) sizes.push(size);
  return [...new Set([...sizes.filter((size) => size < repeats), repeats])];
}

function flakyCases(cases: readonly RunsOfCase[], criteria: readonly string[]): FlakyCase[] {
  const flaky = cases.flatMap((ofCase): FlakyCase[] => {
    const known = ofCase.runs.map(successOf).filter((success) => success !== undefined);
    const whole = { passes: known.filter((success) => success === 1).length, runs: known.length };
    const disagreeing = criteria.flatMap((criterion) => {
      const counted = countOf(ofCase, criterion);
      return disagree(counted) ? [{ criterion, ...counted }] : [];
    });
    return disagree(whole) || disagreeing.length > 0 ? [{ case: ofCase.case, ...whole, criteria: disagreeing }] : [];
  });
  return flaky.sort(
    (x, y) => dissent(y) - dissent(x) || y.criteria.length - x.criteria.length || inOrder(x.case, y.case),
  );
}

function flakyCriteria(cases: readonly RunsOfCase[], criteria: readonly string[]): Reliability['flakyCriteria'] {
  return criteria
    .map((criterion) => {
      const counted = cases.map((ofCase) => countOf(ofCase, criterion)).filter(({ runs }) => runs > 1);
      return { criterion, cases: counted.filter(disagree).length, of: counted.length };
    })
    .filter((one) => one.cases > 0)
    .sort((x, y) => y.cases - x.cases || inOrder(x.criterion, y.criterion));
}

interface Counted {
  readonly passes: number;
  readonly runs: number;
}

/** In how many of the runs that decided it a criterion passed; with turns, in each of them. */
function countOf({ runs }: RunsOfCase, criterion: string): Counted {
  const rates = runs.map((run) => passRateOf(run, criterion)).filter((rate) => rate !== undefined);
  return { passes: rates.filter((rate) => rate === 1).length, runs: rates.length };
}

function disagree({ passes, runs }: Counted): boolean {
  return passes > 0 && passes < runs;
}

/** 0 where all agree, ½ where half do. */
function dissent({ passes, runs }: Counted): number {
  return runs === 0 ? 0 : Math.min(passes, runs - passes) / runs;
}

function interval(estimated: Estimated, tail: number) {
  return { value: estimated.value, lower: estimated.lower(tail), upper: estimated.upper(tail) };
}

function isMissing(estimated: Estimated | NotEstimable): estimated is NotEstimable {
  return 'because' in estimated;
}
