/**
 * `GET /api/v1/sub-agents`: what each sub-agent did, and how the conversations went in which it took part, beside the
 * other conversations of the same agent. A criterion that fails far more often with a sub-agent than without it points
 * at the sub-agent, or at the questions that only it is asked.
 */
import { type SubAgentFigures, type SubAgents, subAgents, subAgentsQuery } from '../../../api/sub-agents.ts';
import { decisionOf } from '../../../model/decision.ts';
import { designEffectOf } from '../../../statistics/compare/online/related.ts';
import { decodeSubAgents, type KeptSubAgent } from '../../../store/sub-agents-codec.ts';
import { chosenSuite } from './chosen-suite.ts';
import { relatedOf, shareEstimate } from './estimates.ts';
import { isoTime } from './iso-time.ts';
import { type LatestEvaluation, latestEvaluations } from './latest-evaluations.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const DAY_MS = 86_400_000;
const NANO = 1e9;
const CONVERSATIONS_MAX = 5_000;
const ROWS_MAX = 100;

export const getSubAgents = v1Read({
  path: '/api/v1/sub-agents',
  summary: `?suite= &agent= &agent_version= &environment= &segment= &since=24h &until=
steps, errors and cost of each sub-agent, and pass rates of the conversations with it and without it`,
  query: subAgentsQuery,
  answer: subAgents,
  read: async ({ reader, suites }: Pick<V1Side, 'reader' | 'suites'>, query): Promise<SubAgents | Refusal> => {
    const suite = chosenSuite(suites(), query.suite);
    if (suite instanceof Refusal) return suite;
    const until = query.until ?? Date.now();
    const since = query.since ?? until - DAY_MS;
    const { evaluations, others, isCut } = await latestEvaluations(reader, suite, {
      agents: query.agent,
      agentVersions: query.agent_version,
      environments: query.environment,
      segments: query.segment,
      ...{ since, until, conversationsMax: CONVERSATIONS_MAX },
    });
    const known = evaluations.flatMap((one) =>
      one.subAgents === undefined ? [] : { ...one, parts: decodeSubAgents(one.subAgents) },
    );
    const rows = [...Map.groupBy(known, ({ agent }) => agent)].flatMap(([agent, own]) => figuresOf(agent, own));
    return {
      suite: suite.name,
      since: isoTime(since),
      until: isoTime(until),
      sub_agents: rows
        .toSorted((a, b) => b.conversations - a.conversations || (a.sub_agent < b.sub_agent ? -1 : 1))
        .slice(0, ROWS_MAX),
      sub_agents_left_out: Math.max(0, rows.length - ROWS_MAX),
      related: relatedOf(known),
      not_known: evaluations.length - known.length,
      other_versions: others,
      looked_at: evaluations.length + others,
      cut: isCut,
    };
  },
});

interface Known extends LatestEvaluation {
  readonly parts: readonly KeptSubAgent[];
}

/** Figures of each sub-agent of one agent. */
function figuresOf(agent: string, evaluations: readonly Known[]): readonly SubAgentFigures[] {
  const parts = new Map<string, Map<Known, KeptSubAgent>>();
  for (const one of evaluations)
    for (const part of one.parts) parts.set(part.name, (parts.get(part.name) ?? new Map()).set(one, part));
  return [...parts].map(([name, own]) => {
    const took = [...own.values()];
    const sum = (of: (part: KeptSubAgent) => number) => took.reduce((all, part) => all + of(part), 0);
    const withErrors = took.filter(({ errors }) => errors > 0).length;
    const costs = took.flatMap(({ costNanos }) => costNanos ?? []);
    const cost = costs.reduce((all, nanos) => all + nanos, 0) / NANO;
    return {
      agent,
      sub_agent: name,
      conversations: took.length,
      steps: sum(({ steps }) => steps),
      errors: sum(({ errors }) => errors),
      conversations_with_errors: withErrors,
      error_share: withErrors / took.length,
      ...(costs.length === 0
        ? {}
        : { cost_usd: { sum: cost, mean: cost / costs.length, conversations: costs.length } }),
      criteria: criteriaOf(
        [...own.keys()],
        evaluations.filter((one) => !own.has(one)),
      ),
    };
  });
}

function criteriaOf(took: readonly Known[], others: readonly Known[]): SubAgentFigures['criteria'] {
  const criteria = [...(took[0]?.verdicts.keys() ?? [])];
  return criteria
    .map((criterion) => ({ criterion, with: passesOf(took, criterion), without: passesOf(others, criterion) }))
    .filter((one) => one.with.pass_rate !== undefined)
    .toSorted((a, b) => (a.with.pass_rate?.value ?? 1) - (b.with.pass_rate?.value ?? 1));
}

function passesOf(evaluations: readonly Known[], criterion: string): SubAgentFigures['criteria'][number]['with'] {
  const decided = evaluations.flatMap((one) => {
    const decision = decisionOf(one.verdicts.get(criterion) ?? 'skipped');
    return decision === undefined ? [] : { ...one, value: decision === 'pass' ? 1 : 0 };
  });
  const passed = decided.filter(({ value }) => value === 1).length;
  const rate = shareEstimate(passed, decided.length, designEffectOf(decided));
  return { passed, failed: decided.length - passed, ...(rate === undefined ? {} : { pass_rate: rate }) };
}
