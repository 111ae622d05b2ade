/** `GET /api/v1/suites`: the suites that run, and how often their criteria passed lately. */
import { isLive, type SuiteOutline } from '../../../engine/suite-outline.ts';
import { type SuiteList, suiteList, suiteListQuery } from '../../../api/suite-list.ts';
import { decisionOf, isBroken } from '../../../model/decision.ts';
import type { VerdictKind } from '../../../model/evaluation.ts';
import { fromSuiteKey } from '../../../model/suite-key.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { ONE } from '../../../score/subject/weigh.ts';
import { designEffectOf } from '../../../statistics/compare/online/related.ts';
import { certificateJson } from './certificate-json.ts';
import { shareEstimate } from './estimates.ts';
import { latestEvaluations, type LatestEvaluation } from './latest-evaluations.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** Conversations that are read for each suite, and for one that is named. */
const CONVERSATIONS_MAX = 1_000;
const OF_NAMED_MAX = 5_000;

export const listSuites = v1Read({
  path: '/api/v1/suites',
  summary: `?suite= &agent= &agent_version= &environment= &since=7d &until=
the suites that run: criteria, weights, and how often each passed lately`,
  query: suiteListQuery,
  answer: suiteList,
  read: async ({ reader, suites }: Pick<V1Side, 'reader' | 'suites'>, query): Promise<SuiteList | Refusal> => {
    const named = query.suite;
    const chosen = suites().filter(({ name }) => named === undefined || fromSuiteKey(name).suite === named);
    if (named !== undefined && chosen.length === 0)
      return new Refusal(jsonAnswer(404, { error: `no suite ${JSON.stringify(named)} runs here` }));
    const shown = [];
    const now = Date.now();
    for (const suite of chosen) {
      const { evaluations, others, isCut } = await latestEvaluations(reader, suite, {
        // A suite in shadow has no evaluations that a search finds.
        ...(named === undefined || !isLive(suite) ? {} : { suites: [suite.name] }),
        ...(query.agent === undefined ? {} : { agents: [query.agent] }),
        agentVersions: query.agent_version,
        environments: query.environment,
        since: query.since ?? 0,
        until: query.until ?? Number.MAX_SAFE_INTEGER,
        conversationsMax: named === undefined ? CONVERSATIONS_MAX : OF_NAMED_MAX,
      });
      shown.push({
        name: fromSuiteKey(suite.name).suite,
        version: suite.version,
        ...(suite.description === '' ? {} : { description: suite.description }),
        scope: suite.scope,
        live: isLive(suite),
        about: suite.about,
        looked_at: evaluations.length + others,
        cut: isCut,
        criteria: await Promise.all(
          suite.criteria.map(async (criterion) => ({
            ...criterionJson(criterion, suite, evaluations),
            ...(await certificateJson(reader.frame, { suite: suite.name, ...criterion }, now)),
          })),
        ),
      });
    }
    return { suites: shown };
  },
});

function criterionJson(
  { name, question, isJudged, needs, about, weight, capsAt }: SuiteOutline['criteria'][number],
  { totalWeight }: SuiteOutline,
  evaluations: readonly LatestEvaluation[],
) {
  const kinds = evaluations.map(({ verdicts }) => verdicts.get(name) ?? 'skipped');
  const countOf = (isCounted: (kind: VerdictKind) => boolean) => kinds.filter(isCounted).length;
  const decided = evaluations.flatMap((one) => {
    const decision = decisionOf(one.verdicts.get(name) ?? 'skipped');
    return decision === undefined ? [] : { ...one, value: decision === 'pass' ? 1 : 0 };
  });
  const passes = decided.filter(({ value }) => value === 1).length;
  const passRate = shareEstimate(passes, decided.length, designEffectOf(decided));
  const asked = kinds.length;
  return {
    name,
    question,
    kind: isJudged ? ('judge' as const) : ('check' as const),
    about,
    needs,
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
