/**
 * `GET /api/v1/versions/compare`: two versions of an agent online, side by side. They saw different conversations, so
 * nothing is compared case by case: the statistics are those of experiments that share no case.
 */
import { compareSamples, type Sample } from '../../../compare/compare-samples.ts';
import { meanOf } from '../../../compare/measure.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { type VersionsCompared, versionsCompared, versionsQuery } from '../../../model/api/versions.ts';
import { decisionOf } from '../../../model/decision.ts';
import type { Outcome } from '../../../model/evaluation.ts';
import { isGood, isInSuccessRate, isScored } from '../../../model/severity.ts';
import { comparedJson } from '../../../report/documents/comparison-json.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { chosenSuite } from './chosen-suite.ts';
import type { ComparingSide } from './comparing-side.ts';
import { meanEstimate, shareEstimate } from './estimates.ts';
import { isoTime } from './iso-time.ts';
import { type LatestEvaluation, latestEvaluations } from './latest-evaluations.ts';
import { Refusal, v1Read } from './v1-read.ts';

const DAY_MS = 86_400_000;
/** Default of `since`. */
const SINCE_MS = 30 * DAY_MS;
/** The latest so many of each version. */
const CONVERSATIONS_MAX = 5_000;
/** Effort for a success is a ratio, whose draws take longer the more conversations there are. */
const EFFORTS_MAX = 500;
const NANO = 1e9;
const ALPHA = 0.05;

type Evaluations = readonly LatestEvaluation[];
type Found = Awaited<ReturnType<typeof latestEvaluations>>;

export const compareVersions = v1Read({
  path: '/api/v1/versions/compare',
  summary: `?agent= &a= &b= (versions) &suite= &environment= &segment= &since=30d &until= &smallest=0.05
two versions online side by side: rates, mean score, criteria and effort, with intervals and a conclusion`,
  query: versionsQuery,
  answer: versionsCompared,
  read: async ({ reader, suites }: Pick<ComparingSide, 'reader' | 'suites'>, query) => {
    const suite = chosenSuite(suites(), query.suite);
    if (suite instanceof Refusal) return suite;
    const until = query.until ?? Date.now();
    const since = query.since ?? until - SINCE_MS;
    if (until <= since)
      return new Refusal(
        jsonAnswer(400, { error: 'the query has mistakes', problems: ['until: it has to be after since'] }),
      );
    const foundOf = async (version: string): Promise<Found> => {
      const found = await latestEvaluations(reader, suite, {
        agents: [query.agent],
        agentVersions: [version],
        environments: query.environment,
        segments: query.segment,
        since,
        until,
        conversationsMax: CONVERSATIONS_MAX,
      });
      // A conversation belongs to the version under which it was counted.
      const evaluations = found.evaluations.filter(({ agentVersion }) => agentVersion === version);
      return { ...found, evaluations };
    };
    const [a, b] = [await foundOf(query.a), await foundOf(query.b)];
    const samples = [a, b].map(({ evaluations }) => sampleOf(suite, evaluations)) as [Sample, Sample];
    const criteria = suite.criteria.map(({ name }) => name);
    const called = { unit: 'conversation', a: query.a, b: query.b } as const;
    const compared = compareSamples(...samples, {
      criteria,
      alpha: ALPHA,
      smallest: query.smallest,
      about: suite.about,
      called,
    });
    return {
      agent: query.agent,
      suite: suite.name,
      about: suite.about,
      since: isoTime(since),
      until: isoTime(until),
      smallest_difference: query.smallest,
      a: sideJson(query.a, a),
      b: sideJson(query.b, b),
      score: comparedJson(compared.score),
      success: comparedJson(compared.success),
      criteria: compared.criteria.map(({ criterion, compared: of }) => ({
        criterion,
        compared: comparedJson(of),
        failed: { a: failedIn(a.evaluations, criterion), b: failedIn(b.evaluations, criterion) },
      })),
      steps_per_success: comparedJson(compared.stepsPerSuccess),
      tokens_per_success: comparedJson(compared.tokensPerSuccess),
      cost_per_success: comparedJson(compared.costPerSuccess),
    };
  },
});

/** The turns of a conversation are averaged, because they are not independent of one another. */
function sampleOf(suite: SuiteOutline, evaluations: Evaluations): Sample {
  const conversations = [...Map.groupBy(evaluations, ({ conversation }) => conversation).values()];
  const valuesOf = (of: (turns: Evaluations) => number | undefined) =>
    conversations.map(of).filter((value) => value !== undefined);
  const effortsOf = (of: (used: LatestEvaluation['used']) => number | undefined) =>
    conversations
      .flatMap((turns) => {
        const [used, success] = [turns.map((turn) => of(turn.used)), successForEffort(turns)];
        const known = used.filter((amount) => amount !== undefined);
        if (success === undefined || known.length < used.length) return [];
        return [{ effort: known.reduce((sum, amount) => sum + amount, 0), success }];
      })
      // The newest come first.
      .slice(0, EFFORTS_MAX);
  return {
    scores: valuesOf((turns) => meanOf(turns.flatMap(({ score }) => score ?? []))),
    successes: valuesOf(successOf),
    passes: new Map(suite.criteria.map(({ name }) => [name, valuesOf((turns) => passRateOf(turns, name))])),
    steps: effortsOf(({ steps }) => steps),
    tokens: effortsOf(({ tokens }) => tokens),
    cost: effortsOf(({ costNanos }) => (costNanos === undefined ? undefined : costNanos / NANO)),
  };
}

function successOf(turns: Evaluations): number | undefined {
  return meanOf(
    turns.filter(({ outcome }) => isInSuccessRate(outcome)).map(({ outcome }) => (isGood(outcome) ? 1 : 0)),
  );
}

/** Rate of successes among all scored turns: effort for a turn that was handed over was spent, and is no success. */
function successForEffort(turns: Evaluations): number | undefined {
  return meanOf(turns.filter(({ outcome }) => isScored(outcome)).map(({ outcome }) => (isGood(outcome) ? 1 : 0)));
}

function passRateOf(turns: Evaluations, criterion: string): number | undefined {
  const decided = turns.flatMap(({ verdicts }) => decisionOf(verdicts.get(criterion) ?? 'skipped') ?? []);
  return meanOf(decided.map((decision) => (decision === 'pass' ? 1 : 0)));
}

function failedIn(evaluations: Evaluations, criterion: string): number {
  return evaluations.filter(({ verdicts }) => decisionOf(verdicts.get(criterion) ?? 'skipped') === 'fail').length;
}

function sideJson(version: string, { evaluations, others, isCut }: Found): VersionsCompared['a'] {
  const scores = evaluations.flatMap(({ score }) => score ?? []);
  const tcr = meanEstimate({
    n: scores.length,
    sum: scores.reduce((sum, score) => sum + score, 0),
    squares: scores.reduce((sum, score) => sum + score * score, 0),
  });
  const success = shareEstimate(
    evaluations.filter(({ outcome }) => isGood(outcome)).length,
    evaluations.filter(({ outcome }) => isInSuccessRate(outcome)).length,
  );
  const outcomes: { [Of in Outcome]?: number } = {};
  for (const { outcome } of evaluations) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return {
    agent_version: version,
    conversations: new Set(evaluations.map(({ conversation }) => conversation)).size,
    evaluations: evaluations.length,
    ...(tcr === undefined ? {} : { tcr }),
    ...(success === undefined ? {} : { success }),
    outcomes,
    other_versions: others,
    cut: isCut,
  };
}
