/**
 * `GET /api/v1/trend`: a suite's figures over time. They come from the history, so that a year costs as little as a day.
 * The history knows no users, so how much wider intervals are for them is measured on the latest conversations.
 */
import { type Trend, type TrendFigures, trend, trendQuery } from '../../../api/trend.ts';
import { OUTCOMES, type Outcome } from '../../../model/evaluation.ts';
import { failureKinds } from '../../../model/failure-kinds.ts';
import { isGood, isInSuccessRate } from '../../../model/severity.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { HISTORY_WIDTHS, type SummedHistory } from '../../../store/history.ts';
import { versionsFirstSeen } from './agent-versions.ts';
import { chosenSuite } from './chosen-suite.ts';
import { effectsOf, meanEstimate, relatedOf, shareEstimate } from './estimates.ts';
import { isoTime } from './iso-time.ts';
import { type LatestEvaluation, latestEvaluations } from './latest-evaluations.ts';
import { grownEffect } from '../../../statistics/compare/online/related.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const MILLION = 1_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const UNITS_MS = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };
const BUCKETS_WANTED = 100;
const BUCKETS_MAX = 1_000;
const SERIES_MAX = 20;
const VERSIONS_MAX = 100;
/** Conversations on which it is measured how related they are. */
const RELATED_MAX = 2_000;
/** Widths that a person reads easily. */
const WIDTHS_MS = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 10_080].map((minutes) => minutes * MINUTE_MS);

export const getTrend = v1Read({
  path: '/api/v1/trend',
  summary: `?suite= &agent= &agent_version= &environment= &segment= &since=24h &until=
&by=none|agent_version|agent|segment|environment &bucket=1h
a suite's success rate, mean score and outcomes over time, with their intervals`,
  query: trendQuery,
  answer: trend,
  read: async ({ reader, suites }: Pick<V1Side, 'reader' | 'suites'>, query): Promise<Trend | Refusal> => {
    const suite = chosenSuite(suites(), query.suite);
    if (suite instanceof Refusal) return suite;
    const now = Date.now();
    const asked = { since: query.since ?? now - DAY_MS, until: query.until ?? now };
    if (asked.until <= asked.since) return refused('until: it has to be after since');
    const bucketMs = bucketOf(query.bucket, asked);
    const width = widthFor(bucketMs, asked.since, now);
    const step = Math.ceil(bucketMs / width) * width;
    if ((asked.until - asked.since) / step > BUCKETS_MAX)
      return refused(`bucket: ${BUCKETS_MAX} buckets at most; it is ${query.bucket} and would be more`);
    const since = query.bucket === undefined ? beginOf(asked) : Math.floor(asked.since / step) * step;
    const until = Math.ceil(asked.until / step) * step;
    const filters = {
      agents: query.agent,
      agentVersions: query.agent_version,
      environments: query.environment,
      segments: query.segment,
    };
    const by = query.by === 'none' ? undefined : query.by;
    const rows = await reader.summedHistory({ suite: suite.name, ...{ width, since, until, step }, by, ...filters });
    const read = { ...filters, since, until, conversationsMax: RELATED_MAX };
    const { evaluations: latest } = await latestEvaluations(reader, suite, read);
    const ofSeries = Map.groupBy(latest, (one) => (by === undefined ? '' : one[KEYS[by]]));
    const bySeries = [...Map.groupBy(rows, ({ key }) => key)]
      .map(([key, own]) => {
        const figures = figuresWith(ofSeries.get(key) ?? []);
        return { key, own, figures, whole: figures(own) };
      })
      .toSorted((a, b) => b.whole.evaluations - a.whole.evaluations || (a.key < b.key ? -1 : 1));
    const versions = await versionsFirstSeen(reader, ({ agent, environment }) =>
      [query.agent?.includes(agent), query.environment?.includes(environment)].every((is) => is !== false),
    );
    return {
      suite: suite.name,
      about: suite.about,
      scope: suite.scope,
      bucket_ms: step,
      related: relatedOf(latest),
      agents: [...new Set(latest.map(({ agent }) => agent))].toSorted(),
      since: isoTime(since),
      until: isoTime(until),
      series: bySeries.slice(0, SERIES_MAX).map(({ key, own, figures, whole }) => ({
        key,
        buckets: [...Map.groupBy(own, ({ begins }) => begins)]
          .toSorted(([a], [b]) => a - b)
          .map(([at, inBucket]) => ({ at: isoTime(at), ...figures(inBucket) }))
          .filter(({ evaluations }) => evaluations > 0),
        whole,
        because: failureKinds(ofSeries.get(key) ?? []),
      })),
      series_left_out: Math.max(0, bySeries.length - SERIES_MAX),
      versions: versions
        .filter(({ at }) => at >= since && at < until)
        .slice(-VERSIONS_MAX)
        .map(({ agent, agentVersion, at }) => ({ agent, agent_version: agentVersion, at: isoTime(at) })),
    };
  },
});

function refused(problem: string): Refusal {
  return new Refusal(jsonAnswer(400, { error: 'the query has mistakes', problems: [problem] }));
}

function bucketOf(
  bucket: string | undefined,
  { since, until }: { readonly since: number; readonly until: number },
): number {
  const [, amount, unit] = /^(\d+)([mhd])$/.exec(bucket ?? '') ?? [];
  // The cast holds because the schema allows these units only.
  if (amount !== undefined) return Math.max(1, Number(amount)) * UNITS_MS[unit as keyof typeof UNITS_MS];
  return WIDTHS_MS.find((width) => (until - since) / width <= BUCKETS_WANTED) ?? 30 * DAY_MS;
}

/** Shorter windows begin with a bucket. Others do with an hour as well, in which the list of agents is read. */
export const FINE_BELOW_MS = 6 * UNITS_MS.h;

export function beginOf(asked: { readonly since: number; readonly until: number }): number {
  const isFine = asked.until - asked.since < FINE_BELOW_MS;
  const grain = Math.max(bucketOf(undefined, asked), isFine ? 0 : UNITS_MS.h);
  return Math.floor(asked.since / grain) * grain;
}

/** The finest that is kept for as long, unless buckets are whole stretches of a coarser one: those are fewer rows. */
function widthFor(bucketMs: number, since: number, now: number): number {
  const [fine, coarse] = HISTORY_WIDTHS;
  return bucketMs % coarse.ms === 0 || since < now - fine.keptMs ? coarse.ms : fine.ms;
}

const KEYS = {
  agent: 'agent',
  agent_version: 'agentVersion',
  environment: 'environment',
  segment: 'segment',
} as const satisfies Record<string, keyof LatestEvaluation>;

/** With intervals for conversations that are related as these are. */
function figuresWith(latest: readonly LatestEvaluation[]): (rows: readonly SummedHistory[]) => TrendFigures {
  const effects = effectsOf(latest);
  return (rows) => figuresOf(rows, (which, of) => grownEffect(effects[which], latest, of));
}

function figuresOf(
  rows: readonly SummedHistory[],
  effectOf: (which: 'tcr' | 'success', of: number) => number,
): TrendFigures {
  const sum = (of: (row: SummedHistory) => number) => rows.reduce((all, row) => all + of(row), 0);
  const counts = new Map<Outcome, number>();
  for (const { outcome, evaluations } of rows) counts.set(outcome, (counts.get(outcome) ?? 0) + evaluations);
  const countOf = (isCounted: (outcome: Outcome) => boolean) =>
    [...counts].reduce((all, [outcome, count]) => (isCounted(outcome) ? all + count : all), 0);
  const scored = sum((row) => row.scored);
  const told = countOf(isInSuccessRate);
  const success = shareEstimate(countOf(isGood), told, effectOf('success', told));
  const tcr = meanEstimate(
    { n: scored, sum: sum((row) => row.scores) / MILLION, squares: sum((row) => row.squares) / MILLION },
    effectOf('tcr', scored),
  );
  const shared = sum((row) => row.shared);
  return {
    evaluations: sum((row) => row.evaluations),
    scored,
    ...(success === undefined ? {} : { success }),
    ...(tcr === undefined ? {} : { tcr }),
    ...(shared === 0 ? {} : { decided_share: sum((row) => row.shares) / shared / MILLION }),
    outcomes: Object.fromEntries(
      OUTCOMES.flatMap((outcome) => {
        const count = counts.get(outcome) ?? 0;
        return count === 0 ? [] : [[outcome, count] as const];
      }),
    ),
  };
}
