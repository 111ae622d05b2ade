/**
 * Tests of whether a candidate passes less often than the baseline: of success, and of each criterion. They count the
 * single runs of the cases that both ran unchanged (`../stratified-test.ts`).
 */
import type { PassedRuns } from '../../../model/gate.ts';
import { passRateOf } from '../measure.ts';
import { chanceOfFewer, chanceOfNone, mayDiffer, type Stratum } from '../stratified-test.ts';
import type { RunsOfCase, SuiteRun, SuiteRuns } from '../suite-runs.ts';
import { hasPassed } from './counted-cases.ts';

/** A test, before it is known at which tail it is decided. */
export interface AskedTest {
  readonly criterion: string | undefined;
  readonly p: number;
  /** p value with everything unknown counted as a failure. */
  readonly pAtWorst: number;
  /** The smallest that it could be. */
  readonly pAtLeast: number;
  readonly baseline: PassedRuns;
  readonly candidate: PassedRuns;
}

interface Compared {
  readonly baseline: SuiteRuns;
  readonly candidate: SuiteRuns;
  /** Ids of cases of which not enough is known. */
  readonly undecided: ReadonlySet<string>;
}

export function worseTests(compared: Compared): readonly AskedTest[] {
  const { baseline, candidate } = compared;
  const criteria = baseline.criteria.filter((name) => candidate.criteria.includes(name));
  return [undefined, ...criteria].flatMap((criterion) => testOf(criterion, compared));
}

function testOf(criterion: string | undefined, { baseline, candidate, undecided }: Compared): readonly AskedTest[] {
  const passed = (run: SuiteRun) => (criterion === undefined ? hasPassed(run) : passesIn(run, criterion));
  const [strata, atWorst]: [Stratum[], Stratum[]] = [[], []];
  for (const [key, before] of baseline.cases) {
    const now = candidate.cases.get(key);
    if (now === undefined) continue;
    const [a, b] = [passesOf(before, passed), passesOf(now, passed)];
    if (a.of === 0) continue;
    strata.push({ a, b });
    const owed = Math.max(now.runs.length, before.runs.length);
    atWorst.push({ a, b: undecided.has(now.case) || lacksSpans(now) ? { ...b, of: owed } : b });
  }
  // The test takes the results of both sides together as given, so leaving out a criterion with one result for all costs no level.
  if (strata.length === 0 || (criterion !== undefined && !atWorst.some(mayDiffer))) return [];
  return [
    {
      criterion,
      p: chanceOfFewer(strata),
      pAtWorst: chanceOfFewer(atWorst),
      pAtLeast: chanceOfNone(strata),
      baseline: sumOf(strata.map(({ a }) => a)),
      candidate: sumOf(strata.map(({ b }) => b)),
    },
  ];
}

function lacksSpans({ runs }: RunsOfCase): boolean {
  return runs.some(({ run }) => run.end === 'no_spans');
}

/** A run without spans says nothing of the agent. */
function passesIn(run: SuiteRun, criterion: string): boolean | undefined {
  const rate = run.run.end === 'no_spans' ? undefined : passRateOf(run, criterion);
  return rate === undefined ? undefined : rate === 1;
}

function passesOf({ runs }: RunsOfCase, passed: (run: SuiteRun) => boolean | undefined): PassedRuns {
  const known = runs.map(passed).filter((value) => value !== undefined);
  return { passes: known.filter(Boolean).length, of: known.length };
}

function sumOf(all: readonly PassedRuns[]): PassedRuns {
  const sum = (of: (one: PassedRuns) => number) => all.reduce((total, one) => total + of(one), 0);
  return { passes: sum(({ passes }) => passes), of: sum(({ of }) => of) };
}
