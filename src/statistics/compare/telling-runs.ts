/** Picks two repeats of a case that show how two experiments differ: one that succeeded and one that did not, if any. */
import type { CaseRun, ExperimentResult } from '../../model/experiment.ts';
import { suitesOf } from './compare-experiments.ts';
import { successOf } from './measure.ts';
import { SuiteRuns } from './suite-runs.ts';

interface TellingRuns {
  /** Undefined where the experiment did not run the case. */
  readonly a: CaseRun | undefined;
  readonly b: CaseRun | undefined;
}

/** Undefined where neither ran the case. */
export function tellingRuns(
  name: string,
  { a, b }: { readonly a: ExperimentResult; readonly b: ExperimentResult },
  suites: readonly string[] = suitesOf(a),
): TellingRuns | undefined {
  const [ofA, ofB] = [runsOf(a, name), runsOf(b, name)];
  if (ofA.length === 0 && ofB.length === 0) return undefined;
  for (const suite of suites) {
    const [inA, inB] = [successes(a, suite, name), successes(b, suite, name)];
    for (const [success, other] of [
      [1, 0],
      [0, 1],
    ] as const)
      if (inA.has(success) && inB.has(other)) return { a: inA.get(success)?.[0], b: inB.get(other)?.[0] };
  }
  return { a: ofA[0], b: ofB[0] };
}

function runsOf({ runs }: ExperimentResult, name: string): readonly CaseRun[] {
  return runs.filter((run) => run.case === name).toSorted((x, y) => x.repeat - y.repeat);
}

/** Runs of the case by success: 1 or 0. */
function successes(result: ExperimentResult, suite: string, name: string): ReadonlyMap<number | undefined, CaseRun[]> {
  const ofCase = [...new SuiteRuns(result, suite).cases.values()].find((one) => one.case === name);
  const grouped = Map.groupBy(ofCase?.runs ?? [], successOf);
  return new Map([...grouped].map(([success, runs]) => [success, runs.map(({ run }) => run)]));
}
