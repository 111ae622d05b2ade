/**
 * How b differs from a on the cases that both ran, and on no others. Chance is how often each would
 * pass if it were run again, so runs are the units, and several runs of a case tell more. How b differs on cases like these is
 * another question, for which the case is the unit (`change.ts`).
 *
 * Each run of b stands beside each one of a, of the same case. All of these differences together count as many as there
 * are independent ones. That is as many of a case as the side with fewer runs has, since the other may not vary at all;
 * fewer where the runs of a build are alike. The bounds are those
 * for means of few values (`unseen-case.ts`). Cases differ in how often they pass, which makes the mean of so many runs
 * vary less than that of runs of one case would (Hoeffding, 1956): the bounds err less often for it.
 */
import type { EstimatedChange, NotEstimable } from '../../model/estimated.ts';
import { type ChangeOptions, pairedChange } from './change.ts';
import { perTail } from './level.ts';
import { type BoundedMeasure, meanOf, valueOfCase } from './measure.ts';
import type { RunsOfCase, SuiteRuns } from './suite-runs.ts';
import { lowerBound, upperBound } from './unseen-case.ts';

export function changeOnCases(
  a: SuiteRuns,
  b: SuiteRuns,
  measure: BoundedMeasure,
  { unknownInB, correlation = 0 }: ChangeOptions & { readonly correlation?: number | undefined } = {},
): EstimatedChange | NotEstimable {
  const cases = [...a.cases].flatMap(([key, before]) => {
    const now = b.cases.get(key);
    const [ofA, ofB] = [valuesOfRuns(before, measure), now === undefined ? [] : valuesOfRuns(now, measure)];
    const unknown = unknownInB?.get(key);
    const known = ofB.length === 0 && unknown !== undefined ? ofA.map(() => unknown) : ofB;
    return ofA.length === 0 || known.length === 0 ? [] : [{ ofA, ofB: known }];
  });
  const paired = pairedChange(cases.map(({ ofA, ofB }) => [mean(ofA), mean(ofB)]));
  if ('because' in paired) return paired;
  const runs = Math.min(...cases.flatMap(({ ofA, ofB }) => [ofA.length, ofB.length]));
  const alike = 1 + (runs - 1) * correlation;
  const differences = cases.flatMap(({ ofA, ofB }) => ofA.flatMap((before) => ofB.map((now) => now - before)));
  const worth = cases.flatMap(({ ofA, ofB }) => {
    const pairs = ofA.length * ofB.length;
    return Array.from({ length: pairs }, () => runs / alike / pairs);
  });
  return {
    ...paired,
    runs,
    lower: perTail((tail) => Math.min(paired.value, lowerBound(differences, -1, tail, worth))),
    upper: perTail((tail) => Math.max(paired.value, upperBound(differences, 1, tail, worth))),
  };
}

function valuesOfRuns(ofCase: RunsOfCase, measure: BoundedMeasure): readonly number[] {
  return ofCase.runs
    .map((run) => valueOfCase({ ...ofCase, runs: [run] }, measure))
    .filter((value) => value !== undefined);
}

/** The cast holds: no mean of nothing is asked for. */
function mean(values: readonly number[]): number {
  return meanOf(values) as number;
}
