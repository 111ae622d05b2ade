/**
 * Which criteria moved the score: the exact split of `src/model/tcr-split.ts`, with a segment for each case where cases are held beside themselves. A case is one
 * observation, whatever its repeats: what its runs brought is averaged.
 */
import { countedAs } from '../../model/decision.ts';
import type { ScoreSplit } from '../../model/comparison.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import type { ExperimentSuite } from '../../model/experiment.ts';
import { HARD_FAILURES, SPLIT_FIRST, splitChange, takenByHardFailure } from '../../model/tcr-split.ts';
import { leftNoScore, meanOf, scoreOf } from './measure.ts';
import type { RunsOfCase, SuiteRun, SuiteRuns } from './suite-runs.ts';

/** Uses the cases that have a score in both, if there are any; otherwise all cases. */
export function splitScore(a: SuiteRuns, b: SuiteRuns, isPaired: boolean): ScoreSplit | undefined {
  if (a.definition === undefined || b.definition === undefined) return undefined;
  const criteria = [...new Set([...a.criteria, ...b.criteria]), HARD_FAILURES];
  const [ofA, ofB] = [cellsOf(a, a.definition, criteria), cellsOf(b, b.definition, criteria)];
  const both = [...ofA.keys()].filter((key) => ofB.has(key));
  const split = isPaired
    ? splitChange(
        both.map((key) => ofA.get(key)),
        both.map((key) => ofB.get(key)),
        criteria,
      )
    : splitChange([sumOf(ofA.values(), criteria)], [sumOf(ofB.values(), criteria)], criteria);
  if (split === undefined) return undefined;
  return {
    change: split.observed - split.baseline,
    criteria: [...split.criteria]
      .filter(([criterion, part]) => criterion !== HARD_FAILURES || part !== 0)
      .map(([criterion, part]) => ({ criterion, part })),
    mix: split.mix,
  };
}

/** Columns of `tcr-split.ts` for each case. */
function cellsOf(runs: SuiteRuns, suite: ExperimentSuite, criteria: readonly string[]): Map<string, Float64Array> {
  const cells = new Map<string, Float64Array>();
  for (const [key, ofCase] of runs.cases) {
    const cell = cellOf(ofCase, suite, criteria);
    if (cell !== undefined) cells.set(key, cell);
  }
  return cells;
}

function cellOf({ runs }: RunsOfCase, suite: ExperimentSuite, criteria: readonly string[]): Float64Array | undefined {
  const counted = runs.filter((run) => scoreOf(run) !== undefined);
  if (counted.length === 0) return undefined;
  const cell = new Float64Array(SPLIT_FIRST + 2 * criteria.length);
  const mean = (of: (run: SuiteRun) => number | undefined) => meanOf(counted.map((run) => of(run) ?? 0)) ?? 0;
  cell[0] = 1;
  cell[1] = 1;
  cell[2] = mean(scoreOf);
  for (const [index, criterion] of criteria.entries()) {
    cell[SPLIT_FIRST + 2 * index] = mean((run) => partOfRun(run, suite, criterion).share);
    cell[SPLIT_FIRST + 2 * index + 1] = mean((run) => partOfRun(run, suite, criterion).brought);
  }
  return cell;
}

interface Part {
  readonly share: number;
  readonly brought: number;
}

function partOfRun(run: SuiteRun, suite: ExperimentSuite, criterion: string): Part {
  if (leftNoScore(run)) return partOfBrokenOff(suite, criterion);
  const scored = run.evaluations.filter(({ score }) => score !== undefined);
  const parts = scored.map((evaluation) => partOf(evaluation, suite, criterion));
  const mean = (of: (part: Part) => number) => meanOf(parts.map(of)) ?? 0;
  return { share: mean(({ share }) => share), brought: mean(({ brought }) => brought) };
}

/** Attributes the whole loss to the hard failure, because no criterion is known to have failed. */
function partOfBrokenOff({ criteria }: ExperimentSuite, criterion: string): Part {
  if (criterion === HARD_FAILURES) return { share: 1, brought: -1 };
  const whole = criteria.reduce((sum, { weight }) => sum + weight, 0);
  const share = (criteria.find(({ name }) => name === criterion)?.weight ?? 0) / whole;
  return { share, brought: share };
}

/** A criterion's share of the score, and how much of that share was earned. */
function partOf(evaluation: Evaluation, { criteria }: ExperimentSuite, criterion: string): Part {
  let [decided, passed, share, brought] = [0, 0, 0, 0];
  for (const { name, weight, whenNotApplicable } of criteria) {
    const counted = countedAs(evaluation.verdicts.get(name)?.verdict ?? 'skipped', whenNotApplicable);
    if (counted === 'exclude') continue;
    decided += weight;
    if (counted === 'pass') passed += weight;
    if (name !== criterion) continue;
    share = weight;
    if (counted === 'pass') brought = weight;
  }
  if (decided === 0) return { share: 0, brought: 0 };
  if (criterion === HARD_FAILURES)
    return { share: 1, brought: takenByHardFailure(evaluation.score ?? 0, passed / decided) };
  return { share: share / decided, brought: brought / decided };
}

function sumOf(cells: Iterable<Float64Array>, criteria: readonly string[]): Float64Array {
  const sum = new Float64Array(SPLIT_FIRST + 2 * criteria.length);
  for (const cell of cells) for (const [column, value] of cell.entries()) sum[column] = (sum[column] ?? 0) + value;
  return sum;
}
