/** Parts of an evaluation that only the running suite says: weights, questions, and what a failure cost. */
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { countedAs } from '../../../model/decision.ts';
import type { Evaluation } from '../../../model/evaluation.ts';
import { keyOfSuite } from '../../../model/suite-key.ts';

const MILLION = 1_000_000;

/** The suite that made the evaluation; undefined where that version does not run any more. */
export function suiteOf(suites: readonly SuiteOutline[], evaluation: Evaluation): SuiteOutline | undefined {
  const { suite: name, shadow, suiteVersion } = evaluation;
  const key = keyOfSuite({ name, shadow });
  return suites.find((suite) => suite.name === key && suite.version === suiteVersion);
}

export function criterionIn(
  suite: SuiteOutline | undefined,
  name: string,
): SuiteOutline['criteria'][number] | undefined {
  return suite?.criteria.find((criterion) => criterion.name === name);
}

/** Shares of the score that failed criteria cost. Empty where the suite is not known. */
export function lostIn(suite: SuiteOutline | undefined, { verdicts }: Evaluation): ReadonlyMap<string, number> {
  const counted = (suite?.criteria ?? []).map(({ name, weight, whenNotApplicable }) => ({
    name,
    weight,
    as: countedAs(verdicts.get(name)?.verdict ?? 'skipped', whenNotApplicable),
  }));
  const decided = counted.reduce((sum, { weight, as }) => (as === 'exclude' ? sum : sum + weight), 0);
  return new Map(counted.flatMap(({ name, weight, as }) => (as === 'fail' ? [[name, weight / decided] as const] : [])));
}

export function shareOf(millionths: number): number {
  return millionths / MILLION;
}
