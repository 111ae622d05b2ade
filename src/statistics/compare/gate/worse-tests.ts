/**
 * Tests of whether a candidate passes less often than the baseline: of success, and of each criterion. They count the
 * single runs of the cases that both ran unchanged (`../stratified-test.ts`).
 */
import type { PassedRuns } from '../../../model/gate.ts';
import { chanceOfNone, evidenceOfWorse, mayDiffer, type Stratum } from '../stratified-test.ts';
import type { RunsOfCase, SuiteRuns } from '../suite-runs.ts';
import { correlationIn, earlierRuns, passesOf, sumOf } from './earlier-builds.ts';
import type { Sides } from './sides.ts';

/** A test, before it is known at which tail it is decided. */
export interface AskedTest {
  readonly criterion: string | undefined;
  readonly p: number;
  /** Natural logarithm of the e-value. */
  readonly log: number;
  /** p value with everything unknown counted as a failure. */
  readonly pAtWorst: number;
  /** The smallest that it could be. */
  readonly pAtLeast: number;
  readonly baseline: PassedRuns;
  readonly candidate: PassedRuns;
  /** Correlation of the runs of a case in one build, from earlier ones; undefined where it is taken to be 0. */
  readonly correlation: number | undefined;
}

interface Compared {
  readonly sides: Sides & { readonly baseline: SuiteRuns };
  /** Ids of cases of which not enough is known. */
  readonly undecided: ReadonlySet<string>;
}

export function worseTests(compared: Compared): readonly AskedTest[] {
  const { baseline, candidate } = compared.sides;
  const criteria = baseline.criteria.filter((name) => candidate.criteria.includes(name));
  return [undefined, ...criteria].flatMap((criterion) => testOf(criterion, compared));
}

function testOf(criterion: string | undefined, { sides, undecided }: Compared): readonly AskedTest[] {
  const { baseline, candidate } = sides;
  const [strata, atWorst]: [Stratum[], Stratum[]] = [[], []];
  for (const [key, before] of baseline.cases) {
    const now = candidate.cases.get(key);
    if (now === undefined) continue;
    const [a, b] = [passesOf(before, criterion), passesOf(now, criterion)];
    if (a.of === 0) continue;
    const earlier = sumOf(earlierRuns(sides, key, criterion));
    strata.push({ a, b, earlier });
    const owed = Math.max(now.runs.length, before.runs.length);
    atWorst.push({ a, b: undecided.has(now.case) || lacksSpans(now) ? { ...b, of: owed } : b, earlier });
  }
  // The test takes the results of both sides together as given, so leaving out a criterion with one result for all costs no level.
  if (strata.length === 0 || (criterion !== undefined && !atWorst.some(mayDiffer))) return [];
  const correlation = correlationIn(sides, criterion);
  return [
    {
      criterion,
      ...evidenceOfWorse(strata, correlation),
      pAtWorst: evidenceOfWorse(atWorst, correlation).p,
      pAtLeast: chanceOfNone(strata, correlation),
      baseline: sumOf(strata.map(({ a }) => a)),
      candidate: sumOf(strata.map(({ b }) => b)),
      correlation,
    },
  ];
}

function lacksSpans({ runs }: RunsOfCase): boolean {
  return runs.some(({ run }) => run.end === 'no_spans');
}
