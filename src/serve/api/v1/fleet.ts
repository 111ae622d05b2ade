/**
 * `GET /api/v1/fleet`: which agents need somebody, one line each. Counts come from the history in one statement for all
 * agents, and alarms from detection. The history knows no users, so how much wider intervals are for them is measured
 * on the latest conversations of all agents together, each against the level of its own agent.
 */
import { type Fleet, fleet, fleetQuery } from '../../../api/fleet.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { OTHER, TEST_AGENT } from '../../../model/agent-labels.ts';
import { isWorse } from '../../../model/detection.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import type { FleetHistory } from '../../../store/fleet-history.ts';
import { HISTORY_WIDTHS } from '../../../store/history.ts';
import { versionsFirstSeen } from './agent-versions.ts';
import { chosenSuite, liveSuites } from './chosen-suite.ts';
import { type Effects, relatedOf } from './estimates.ts';
import {
  type Alarms,
  type CountedAgent,
  effectsOfAgents,
  evaluationsOf,
  fleetLines,
  type FleetWindow,
  type Newest,
} from './fleet-lines.ts';
import { isoTime } from './iso-time.ts';
import { latestEvaluations } from './latest-evaluations.ts';
import { beginOf, FINE_BELOW_MS } from './trend.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const DAY_MS = 86_400_000;
/** A thousand agents have two million rows in this and the window before: seconds, of the ten that a read may take. */
const WINDOW_MAX_MS = 8 * DAY_MS;
const [FINE, COARSE] = HISTORY_WIDTHS;
/** Beyond it so many are left out, or more. */
const AGENTS_COUNTED_MAX = 10_000;
/** Conversations on which it is measured how related they are. */
const RELATED_MAX = 2_000;

type Side = Pick<V1Side, 'reader' | 'suites' | 'detectionState'>;

export const getFleet = v1Read({
  path: '/api/v1/fleet',
  summary: `?environment= &suite= &since=24h &until= &limit=1000
one line for each agent, most harm first: failures an hour, how they changed, since which version, and open alarms`,
  query: fleetQuery,
  answer: fleet,
  read: async ({ reader, suites, detectionState }: Side, query): Promise<Fleet | Refusal> => {
    const asked = query.suite === undefined ? undefined : chosenSuite(suites(), query.suite);
    if (asked instanceof Refusal) return asked;
    const window = windowOf(query, Date.now());
    if (window === undefined) return refused('since: it has to be before until, by 8 days at most');
    const { width, before, since, until, now } = window;
    const among = asked === undefined ? liveSuites(suites()) : [asked];
    const environments = query.environment;
    const rows = await reader.pages.fleetHistory({
      suites: among.map(({ name }) => name),
      ...{ width, since: before, middle: since, until, environments },
    });
    const counted = [...Map.groupBy(rows, ({ agent }) => agent)].flatMap(([agent, own]) => {
      const suite = tellingSuite(among, own);
      const ofSuite = own.filter((row) => row.suite === suite?.name);
      return suite === undefined || agent === TEST_AGENT ? [] : [{ agent, suite, rows: ofSuite }];
    });
    const { effects, related } = await effectsIn(reader, counted, { environments, since, until });
    const versions = await newestVersions(reader, { environments, until: now });
    const alarms = alarmsOf(detectionState(), { environments, suite: asked?.name });
    const lines = fleetLines(counted, { window, effects, versions, alarms });
    return {
      since: isoTime(since),
      until: isoTime(now),
      before: isoTime(before),
      agents: lines.slice(0, query.limit),
      agents_left_out: await agentsLeftOut(reader, lines, query.limit),
      alarms_known: detectionState().report !== undefined,
      related,
    };
  },
});

/** Agents beyond the limit and, if some are counted together, all others that the store knows. */
async function agentsLeftOut(
  reader: V1Side['reader'],
  lines: readonly { readonly agent: string }[],
  limit: number,
): Promise<number> {
  const own = lines.filter(({ agent }) => agent !== OTHER).length;
  const known = own === lines.length ? own : await reader.pages.countAgents(AGENTS_COUNTED_MAX);
  return Math.max(0, Math.max(known, own) - Math.min(own, limit));
}

function refused(problem: string): Refusal {
  return new Refusal(jsonAnswer(400, { error: 'the query has mistakes', problems: [problem] }));
}

/** Undefined where it ends before it begins, or is too long. */
function windowOf(
  asked: { readonly since?: number | undefined; readonly until?: number | undefined },
  today: number,
): FleetWindow | undefined {
  const now = Math.min(asked.until ?? today, today);
  const from = asked.since ?? now - DAY_MS;
  const askedMs = now - from;
  if (askedMs <= 0 || askedMs > WINDOW_MAX_MS) return undefined;
  const isFine = askedMs < FINE_BELOW_MS && from - askedMs > today - FINE.keptMs;
  const width = isFine ? FINE.ms : COARSE.ms;
  const since = Math.floor(beginOf({ since: from, until: now }) / width) * width;
  const until = Math.ceil(now / width) * width;
  return { width, before: since - (until - since), since, until, now, askedMs };
}

/** The first suite with evaluations in the window, or else in the one before: suites about the task come first. */
function tellingSuite(among: readonly SuiteOutline[], rows: readonly FleetHistory[]): SuiteOutline | undefined {
  const has = (suite: SuiteOutline, isLater: boolean) =>
    evaluationsOf(rows.filter((row) => row.suite === suite.name && row.isLater === isLater)) > 0;
  return among.find((suite) => has(suite, true)) ?? among.find((suite) => has(suite, false));
}

/** Effects of each agent in its suite. */
async function effectsIn(
  reader: V1Side['reader'],
  counted: readonly CountedAgent[],
  asked: { readonly environments: readonly string[] | undefined; readonly since: number; readonly until: number },
): Promise<{ readonly effects: ReadonlyMap<CountedAgent, Effects>; readonly related: Fleet['related'] }> {
  const effects = new Map<CountedAgent, Effects>();
  const all = [];
  for (const [suite, own] of Map.groupBy(counted, (one) => one.suite)) {
    const { evaluations } = await latestEvaluations(reader, suite, { ...asked, conversationsMax: RELATED_MAX });
    for (const [one, ofOne] of effectsOfAgents(own, evaluations)) effects.set(one, ofOne);
    all.push(...evaluations);
  }
  return { effects, related: relatedOf(all) };
}

async function newestVersions(
  reader: V1Side['reader'],
  { environments, until }: { readonly environments: readonly string[] | undefined; readonly until: number },
): Promise<ReadonlyMap<string, Newest>> {
  const all = await versionsFirstSeen(reader, ({ environment }) => environments?.includes(environment) !== false);
  const known = all.filter(({ at }) => at <= until);
  return new Map(known.map(({ agent, agentVersion, at }) => [agent, { version: agentVersion, at }]));
}

function alarmsOf(
  { report }: ReturnType<V1Side['detectionState']>,
  { environments, suite }: { readonly environments: readonly string[] | undefined; readonly suite: string | undefined },
): ReadonlyMap<string, Alarms> {
  const open = (report?.levels ?? []).filter(
    (level) =>
      isWorse(level.state) &&
      environments?.includes(level.environment) !== false &&
      (suite === undefined || level.suite === suite),
  );
  return new Map(
    [...Map.groupBy(open, ({ agent }) => agent)].map(([agent, levels]) => [
      agent,
      { count: levels.length, since: levels.flatMap(({ onset }) => onset ?? []).toSorted((a, b) => a - b)[0] },
    ]),
  );
}
