/** `GET /api/v1/suites`: the suites that run, and how often their criteria passed lately. */
import { isLive, type SuiteOutline } from '../../../engine/suite-outline.ts';
import { type SuiteList, suiteList, suiteListQuery } from '../../../model/api/suite-list.ts';
import { decisionOf, isBroken } from '../../../model/decision.ts';
import type { VerdictKind } from '../../../model/evaluation.ts';
import { fromSuiteKey } from '../../../model/suite-key.ts';
import { ONE } from '../../../score/weigh.ts';
import { shareEstimate } from './estimates.ts';
import { latestEvaluations, type LatestEvaluation } from './latest-evaluations.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** Conversations that are read for each suite. */
const CONVERSATIONS_MAX = 1_000;

export const listSuites = v1Read({
  path: '/api/v1/suites',
  summary: '?agent= &since=7d the suites that run: criteria, weights, and how often each passed lately',
  query: suiteListQuery,
  answer: suiteList,
  read: async ({ reader, suites }: Pick<V1Side, 'reader' | 'suites'>, { agent, since }): Promise<SuiteList> => {
    const shown = [];
    for (const suite of suites()) {
      const { evaluations, others } = await latestEvaluations(reader, suite, {
        ...(agent === undefined ? {} : { agents: [agent] }),
        ...(since === undefined ? {} : { since }),
        conversationsMax: CONVERSATIONS_MAX,
      });
      shown.push({
        name: fromSuiteKey(suite.name).suite,
        version: suite.version,
        ...(suite.description === '' ? {} : { description: suite.description }),
        scope: suite.scope,
        live: isLive(suite),
        about: suite.about,
        looked_at: evaluations.length + others,
        criteria: suite.criteria.map((criterion) => criterionJson(criterion, suite, evaluations)),
      });
    }
    return { suites: shown };
  },
});

function criterionJson(
  { name, question, isJudged, about, weight, capsAt }: SuiteOutline['criteria'][number],
  { totalWeight }: SuiteOutline,
  evaluations: readonly LatestEvaluation[],
) {
  const kinds = evaluations.map(({ verdicts }) => verdicts.get(name) ?? 'skipped');
  const countOf = (isCounted: (kind: VerdictKind) => boolean) => kinds.filter(isCounted).length;
  const decided = countOf((kind) => decisionOf(kind) !== undefined);
  const passRate = shareEstimate(
    countOf((kind) => decisionOf(kind) === 'pass'),
    decided,
  );
  const asked = kinds.length;
  return {
    name,
    question,
    kind: isJudged ? ('judge' as const) : ('check' as const),
    about,
    weight: weight / totalWeight,
    written_weight: weight / ONE,
    critical: capsAt !== undefined,
    asked,
    ...(passRate === undefined ? {} : { pass_rate: passRate }),
    ...(asked === 0
      ? {}
      : {
          not_applicable_rate: countOf((kind) => kind === 'not_applicable') / asked,
          error_rate: countOf(isBroken) / asked,
        }),
  };
}
