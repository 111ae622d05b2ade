/** Builds before the baseline: how often each of its cases passes, and how alike the runs of a case are in one build. */
import type { PassedRuns } from '../../../model/gate.ts';
import { correlationOf } from '../correlation.ts';
import { passRateOf } from '../measure.ts';
import type { RunsOfCase, SuiteRun } from '../suite-runs.ts';
import { hasPassed } from './counted-cases.ts';
import type { Sides } from './sides.ts';

/** Runs of a case that are known to pass or not: of a criterion, or as a whole. */
export function passesOf({ runs }: RunsOfCase, criterion: string | undefined): PassedRuns {
  const passed = (run: SuiteRun) => (criterion === undefined ? hasPassed(run) : passesIn(run, criterion));
  const known = runs.map(passed).filter((value) => value !== undefined);
  return { passes: known.filter(Boolean).length, of: known.length };
}

/** A run without spans says nothing of the agent. */
function passesIn(run: SuiteRun, criterion: string): boolean | undefined {
  const rate = run.run.end === 'no_spans' ? undefined : passRateOf(run, criterion);
  return rate === undefined ? undefined : rate === 1;
}

/** A case by its key, in each earlier build that ran it as it is now. */
export function earlierRuns({ earlier }: Pick<Sides, 'earlier'>, key: string, criterion: string | undefined) {
  return earlier.flatMap(({ cases }) => {
    const ofCase = cases.get(key);
    return ofCase === undefined ? [] : [passesOf(ofCase, criterion)];
  });
}

/** Undefined where too few builds say anything of it. */
export function correlationIn(sides: Sides, criterion: string | undefined): number | undefined {
  return correlationOf([...sides.candidate.cases.keys()].map((key) => earlierRuns(sides, key, criterion)));
}

export function sumOf(all: readonly PassedRuns[]): PassedRuns {
  const sum = (of: (one: PassedRuns) => number) => all.reduce((total, one) => total + of(one), 0);
  return { passes: sum(({ passes }) => passes), of: sum(({ of }) => of) };
}
