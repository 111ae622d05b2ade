/**
 * How alike the runs of a case are within one build: 0 if they are independent. A build may answer a case otherwise than
 * the build before, and then do so in each of its runs. Only many builds with several runs of the same case show it.
 *
 * It is the intraclass correlation by analysis of variance, with the mean squares of all cases added up:
 *
 *     (between − within) / (between + (runs − 1) within)
 */
import type { PassedRuns } from '../../model/gate.ts';

/** Fewer builds say nothing of it. */
const BUILDS_MIN = 10;

/** For each case its runs by build. Undefined where too few builds ran cases twice or more. */
export function correlationOf(cases: Iterable<readonly PassedRuns[]>): number | undefined {
  let [between, within, several, counted] = [0, 0, 0, 0];
  for (const all of cases) {
    const builds = all.filter(({ of }) => of > 1);
    if (builds.length < BUILDS_MIN) continue;
    const runs = builds.reduce((sum, { of }) => sum + of, 0);
    const mean = builds.reduce((sum, { passes }) => sum + passes, 0) / runs;
    const squares = builds.reduce((sum, { of }) => sum + of * of, 0);
    counted += 1;
    several += (runs - squares / runs) / (builds.length - 1);
    between += builds.reduce((sum, { passes, of }) => sum + of * (passes / of - mean) ** 2, 0) / (builds.length - 1);
    within += builds.reduce((sum, { passes, of }) => sum + passes * (1 - passes / of), 0) / (runs - builds.length);
  }
  if (counted === 0) return undefined;
  const all = between + (several / counted - 1) * within;
  return all === 0 ? 0 : Math.max(0, (between - within) / all);
}
