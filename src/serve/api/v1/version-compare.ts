/**
 * `GET /api/v1/versions/compare`: two versions of an agent online, side by side. They saw different conversations, so
 * nothing is compared case by case: `statistics/compare/online` has the statistics. Where detection has raced the two, its verdict counts.
 */
import { compareOnline, type OnlineSample, type Spent } from '../../../statistics/compare/online/compare-online.ts';
import { type Raced, withRace } from '../../../statistics/compare/online/raced.ts';
import { meanOf } from '../../../statistics/compare/measure.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { type VersionsCompared, versionsCompared, type VersionsQuery, versionsQuery } from '../../../api/versions.ts';
import { decisionOf } from '../../../model/decision.ts';
import type { Outcome } from '../../../model/evaluation.ts';
import { changeWords, wordText } from '../../../model/suite-words.ts';
import type { FrameReader } from '../../../store/frame-reader.ts';
import { failureKinds } from '../../../model/failure-kinds.ts';
import { isScored } from '../../../model/severity.ts';
import { comparedJson } from '../../../report/documents/comparison-json.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { versionsFirstSeen } from './agent-versions.ts';
import { chosenSuite } from './chosen-suite.ts';
import type { ComparingSide } from './comparing-side.ts';
import { levelsOf, relatedOf } from './estimates.ts';
import { isoTime } from './iso-time.ts';
import { type LatestEvaluation, latestEvaluations } from './latest-evaluations.ts';
import { Refusal, v1Read } from './v1-read.ts';
import { cameOf, goodShareOf, releaseJson, successOf, valuesOf } from './version-release.ts';
import { type ReadVersion, readVersion, toldApart } from './versions-read.ts';

const DAY_MS = 86_400_000;
/** Default of `since`. */
const SINCE_MS = 30 * DAY_MS;
/** The latest so many of each version. */
const CONVERSATIONS_MAX = 5_000;
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
  read: async ({ reader, suites, races }: Pick<ComparingSide, 'reader' | 'suites' | 'races'>, query) => {
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
    const read = await readOf(reader.frame, { ...query, since, until }, { a: a.evaluations, b: b.evaluations });
    const compared = compareOnline(sampleOf(suite, a.evaluations), sampleOf(suite, b.evaluations), {
      criteria: suite.criteria.map(({ name }) => name),
      alpha: ALPHA,
      smallest: query.smallest,
      about: suite.about,
      called: { a: `version ${query.a}`, b: `version ${query.b}` },
    });
    const both = [...a.evaluations, ...b.evaluations];
    const raced = await racedOf({ reader, races }, { ...query, suite: suite.name, since }, both);
    const related = relatedOf(both);
    const { good, bad } = changeWords(suite.about);
    const success = raced === undefined ? compared.success : withRace(compared.success, raced, suite.about);
    return {
      agent: query.agent,
      suite: suite.name,
      about: suite.about,
      since: isoTime(since),
      until: isoTime(until),
      smallest_difference: query.smallest,
      a: { ...sideJson(query.a, a), ...read?.a.json },
      b: { ...sideJson(query.b, b), ...read?.b.json },
      release: releaseJson(suite, { a, b }, { ...query, raced }),
      related,
      notes: [
        ...(read === undefined ? [] : toldApart(read.a, read.b)),
        ...(related.note === undefined ? [] : [related.note]),
        ...compared.notes,
        ...(raced?.verdict === undefined
          ? []
          : [
              `Detection sees each conversation as it comes. Its verdict on ${query.b}: ${wordText({ word: raced.verdict === 'worse' ? bad : good, casesNeeded: undefined, cases: 0 })}.`,
            ]),
      ],
      score: comparedJson(compared.score),
      success: comparedJson(success),
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

/** The frame is of one environment and one segment, or of all. */
async function readOf(
  frame: FrameReader,
  { agent, a, b, environment = [], segment = [], since, until }: VersionsQuery & { since: number; until: number },
  evaluations: { readonly a: Evaluations; readonly b: Evaluations },
): Promise<{ readonly a: ReadVersion; readonly b: ReadVersion } | undefined> {
  if (environment.length > 1 || segment.length > 1) return undefined;
  const window = { agent, environment: environment[0], segment: segment[0], since, until };
  return {
    a: await readVersion(frame, { ...window, agentVersion: a }, evaluations.a),
    b: await readVersion(frame, { ...window, agentVersion: b }, evaluations.b),
  };
}

/** Verdict of detection, if it has raced these two on the traffic that is asked about: all of one environment, since b or a was new. */
async function racedOf(
  { reader, races }: Pick<ComparingSide, 'reader' | 'races'>,
  asked: Omit<VersionsQuery, 'suite' | 'since'> & { readonly suite: string; readonly since: number },
  evaluations: Evaluations,
): Promise<Raced | undefined> {
  const { agent, a, b, suite, segment, since, until } = asked;
  const race = races.find(
    (one) =>
      one.suite === suite &&
      one.agent === agent &&
      evaluations.every(({ environment }) => environment === one.environment) &&
      ((one.version === b && one.baselineVersion === a) || (one.version === a && one.baselineVersion === b)),
  );
  if (race === undefined || segment !== undefined || until !== undefined) return undefined;
  const [first] = await versionsFirstSeen(reader, (one) => one.agent === agent && one.agent_version === race.version);
  if (first === undefined || first.at < since) return undefined;
  const { verdict, logEvidenceWorse, logEvidenceBetter } = race;
  const isOfB = race.version === b;
  const isFound = verdict === 'worse' || verdict === 'better';
  return {
    log: isOfB
      ? { worse: logEvidenceWorse, better: logEvidenceBetter }
      : { worse: logEvidenceBetter, better: logEvidenceWorse },
    verdict: isFound ? ((verdict === 'worse') === isOfB ? 'worse' : 'better') : undefined,
  };
}

/** The turns of a conversation are averaged: it is the unit. */
function sampleOf(suite: SuiteOutline, evaluations: Evaluations): OnlineSample {
  const conversations = [...Map.groupBy(evaluations, ({ conversation }) => conversation).values()];
  const effortsOf = (of: (used: LatestEvaluation['used']) => number | undefined): readonly Spent[] =>
    conversations.flatMap((turns) => {
      const [used, success] = [turns.map((turn) => of(turn.used)), successForEffort(turns)];
      const known = used.filter((amount) => amount !== undefined);
      if (success === undefined || known.length < used.length) return [];
      return [{ ...cameOf(turns), effort: known.reduce((sum, amount) => sum + amount, 0), success }];
    });
  return {
    scores: valuesOf(evaluations, (turns) => meanOf(turns.flatMap(({ score }) => score ?? []))),
    successes: valuesOf(evaluations, successOf),
    passes: new Map(
      suite.criteria.map(({ name }) => [name, valuesOf(evaluations, (turns) => passRateOf(turns, name))]),
    ),
    steps: effortsOf(({ steps }) => steps),
    tokens: effortsOf(({ tokens }) => tokens),
    cost: effortsOf(({ costNanos }) => (costNanos === undefined ? undefined : costNanos / NANO)),
  };
}

/** Rate of successes among all scored turns: effort for a turn that was handed over was spent, and is no success. */
function successForEffort(turns: Evaluations): number | undefined {
  return goodShareOf(turns.filter(({ outcome }) => isScored(outcome)));
}

function passRateOf(turns: Evaluations, criterion: string): number | undefined {
  const decided = turns.flatMap(({ verdicts }) => decisionOf(verdicts.get(criterion) ?? 'skipped') ?? []);
  return meanOf(decided.map((decision) => (decision === 'pass' ? 1 : 0)));
}

function failedIn(evaluations: Evaluations, criterion: string): number {
  return evaluations.filter(({ verdicts }) => decisionOf(verdicts.get(criterion) ?? 'skipped') === 'fail').length;
}

function sideJson(version: string, { evaluations, others, isCut }: Found): VersionsCompared['a'] {
  const outcomes: { [Of in Outcome]?: number } = {};
  for (const { outcome } of evaluations) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return {
    agent_version: version,
    conversations: new Set(evaluations.map(({ conversation }) => conversation)).size,
    evaluations: evaluations.length,
    ...levelsOf(evaluations),
    outcomes,
    because: failureKinds(evaluations),
    other_versions: others,
    cut: isCut,
  };
}
