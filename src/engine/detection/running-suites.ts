/** Suites as detection has to know them: by what is written in them, their judges, and the segments of conversations. */
import { createHash } from 'node:crypto';
import type { RunningSuite } from '../../model/history-learning.ts';
import { evaluatorVersions, judgedBy } from '../../score/suite/evaluator-version.ts';
import type { Judges } from '../../score/suite/judges.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';

export function runningSuites(
  suites: readonly CompiledSuite[],
  { judge, segment }: { readonly judge: Judges['settings']; readonly segment: readonly string[] },
): readonly RunningSuite[] {
  return suites.flatMap((suite) => {
    if (suite.shadow !== undefined) return [];
    const { name, version } = suite;
    const versions = evaluatorVersions(suite, judge);
    const judges = judgedBy(suite, versions);
    // Authors forget to raise the version.
    const key = createHash('sha256').update(JSON.stringify([version, versions.suite, judges, segment]));
    return [{ suite: name, version, judgedBy: judges, key: key.digest('hex').slice(0, 12) }];
  });
}
