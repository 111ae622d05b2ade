/** Lines of `GET /api/v1/fleet`, from counts of the history. Changes of all agents are judged together. */
import type { FleetAgent } from '../../../api/fleet.ts';
import type { ApiEstimate } from '../../../api/shapes.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { OTHER } from '../../../model/agent-labels.ts';
import type { Outcome } from '../../../model/evaluation.ts';
import { type FleetChange, type Failures, fleetSentence, harmPerHour, rankedByHarm } from '../../../model/fleet.ts';
import { isFailure, isInSuccessRate } from '../../../model/severity.ts';
import { WIDE } from '../../../model/wide.ts';
import { fleetChanges } from '../../../statistics/compare/online/fleet-changes.ts';
import type { FleetHistory } from '../../../store/fleet-history.ts';
import { type Effects, effectsOfMany, meanEstimate, shareEstimate } from './estimates.ts';
import type { LatestEvaluation } from './latest-evaluations.ts';
import { isoTime } from './iso-time.ts';

const MILLION = 1_000_000;
const HOUR_MS = 3_600_000;

export interface FleetWindow {
  readonly width: number;
  /** When the window before begins. */
  readonly before: number;
  readonly since: number;
  /** End of the last stretch. */
  readonly until: number;
  /** When the window ends. */
  readonly now: number;
  /** As it was asked for; stretches begin before that. */
  readonly askedMs: number;
}

export interface CountedAgent {
  readonly agent: string;
  readonly suite: SuiteOutline;
  /** Rows of this suite, in both windows. */
  readonly rows: readonly FleetHistory[];
}

export interface Newest {
  readonly version: string;
  readonly at: number;
}

export interface Alarms {
  readonly count: number;
  /** When the first seems to have begun; undefined where that is not known. */
  readonly since: number | undefined;
}

interface Known {
  readonly window: FleetWindow;
  readonly effects: ReadonlyMap<CountedAgent, Effects>;
  readonly versions: ReadonlyMap<string, Newest>;
  readonly alarms: ReadonlyMap<string, Alarms>;
}

/** Evaluations of an agent that tell how related its own are. */
const ALONE_MIN = 40;

/** An outage of one agent must not hide what happens to others. Small ones have one effect together. */
export function effectsOfAgents(
  counted: readonly CountedAgent[],
  evaluations: readonly LatestEvaluation[],
): ReadonlyMap<CountedAgent, Effects> {
  const latest = Map.groupBy(evaluations, ({ agent }) => agent);
  const alone = counted.filter(({ agent }) => (latest.get(agent)?.length ?? 0) >= ALONE_MIN);
  const together = counted.filter((one) => !alone.includes(one));
  const effects = new Map<CountedAgent, Effects>();
  for (const group of [...alone.map((one) => [one]), together]) {
    const count = group.reduce((sum, { rows }) => sum + evaluationsOf(rows), 0);
    const ofGroup = effectsOfMany(
      group.flatMap(({ agent }) => latest.get(agent) ?? []),
      count,
    );
    for (const one of group) effects.set(one, ofGroup);
  }
  return effects;
}

/** Most harm first. */
export function fleetLines(counted: readonly CountedAgent[], known: Known): readonly FleetAgent[] {
  const pairs = counted.flatMap((one) => pairsOf(one, known));
  const changes = fleetChanges(pairs.map(({ pair }) => pair));
  const changeOf = new Map(pairs.map(({ agent, is }, place) => [keyOf(is, agent), changes[place]]));
  const lines = counted.flatMap((one) => {
    const change = changeOf.get(keyOf('window', one.agent));
    return change === undefined ? [] : [lineOf(one, known, change, changeOf.get(keyOf('version', one.agent)))];
  });
  const ranked = lines.map((line) => ({ agent: line.agent, harm: line.harm_per_hour, alarms: line.alarms, line }));
  return rankedByHarm(ranked).map(({ line }) => line);
}

function keyOf(is: 'window' | 'version', agent: string): string {
  return `${is} ${agent}`;
}

/** The window against the one before, and the newest version against earlier ones if it began in either. */
function pairsOf(one: CountedAgent, { window, effects, versions }: Known) {
  const { agent, suite, rows } = one;
  const newest = versions.get(agent);
  const pair = (isLater: (row: FleetHistory) => boolean) => ({
    later: failuresOf(rows.filter(isLater)),
    earlier: failuresOf(rows.filter((row) => !isLater(row))),
    about: suite.about,
    effect: effects.get(one)?.success ?? 1,
  });
  return [
    { agent, is: 'window' as const, pair: pair(({ isLater }) => isLater) },
    ...(newest === undefined || newest.at < window.before
      ? []
      : [{ agent, is: 'version' as const, pair: pair(({ agentVersion }) => agentVersion === newest.version) }]),
  ];
}

function lineOf(
  one: CountedAgent,
  { window: { since, now, askedMs }, effects, versions, alarms: open }: Known,
  change: FleetChange,
  ofVersion: FleetChange | undefined,
): FleetAgent {
  const { agent, suite, rows } = one;
  const { name, about, scope } = suite;
  const later = rows.filter(({ isLater }) => isLater);
  const evaluations = { later: evaluationsOf(later), earlier: evaluationsOf(rows) - evaluationsOf(later) };
  const hours = (now - since) / HOUR_MS;
  const newest = versions.get(agent);
  const alarms = open.get(agent) ?? { count: 0, since: undefined };
  const began = alarms.since;
  const said = fleetSentence({
    ...{ about, scope, windowMs: askedMs, evaluations, change },
    newest:
      newest === undefined || ofVersion === undefined
        ? undefined
        : { ...ofVersion, version: newest.version, agoMs: now - newest.at },
    alarms: { count: alarms.count, agoMs: began === undefined ? undefined : now - began },
  });
  const sentence = agent === OTHER ? `Several agents, counted together. ${said}` : said;
  const failures = failuresPerHour(change.later, hours, effects.get(one)?.success);
  const score = scoreOf(later, effects.get(one)?.tcr);
  return {
    ...{ agent, sentence, suite: name, about, scope, change, alarms: alarms.count },
    harm_per_hour: harmPerHour(outcomesOf(later), hours),
    ...(failures === undefined ? {} : { failures_per_hour: failures }),
    per_hour: evaluations.later / hours,
    ...(score === undefined ? {} : { score }),
    ...(newest === undefined ? {} : { newest: newestJson(newest, ofVersion) }),
    ...(began === undefined ? {} : { regressed_since: isoTime(began) }),
  };
}

function newestJson({ version, at }: Newest, change: FleetChange | undefined): FleetAgent['newest'] {
  return { agent_version: version, since: isoTime(at), ...(change === undefined ? {} : { change }) };
}

/** The interval is that of the share of failures, at the traffic that there was. */
function failuresPerHour({ failed, of }: Failures, hours: number, effect: number | undefined): ApiEstimate | undefined {
  const share = shareEstimate(failed, of, effect);
  if (share === undefined || share.high - share.low > WIDE) return undefined;
  const { value, low, high, n } = share;
  const perHour = of / hours;
  return { value: value * perHour, low: low * perHour, high: high * perHour, n };
}

function scoreOf(rows: readonly FleetHistory[], effect: number | undefined): ApiEstimate | undefined {
  const sum = (of: (row: FleetHistory) => number) => rows.reduce((all, row) => all + of(row), 0);
  return meanEstimate(
    {
      n: sum(({ scored }) => scored),
      sum: sum(({ scores }) => scores) / MILLION,
      squares: sum(({ squares }) => squares) / MILLION,
    },
    effect,
  );
}

/** Never below nothing, whatever was withdrawn. */
export function evaluationsOf(rows: readonly FleetHistory[]): number {
  return Math.max(
    0,
    rows.reduce((sum, { evaluations }) => sum + evaluations, 0),
  );
}

function outcomesOf(rows: readonly FleetHistory[]): ReadonlyMap<Outcome, number> {
  return new Map(
    [...Map.groupBy(rows, ({ outcome }) => outcome)].map(([outcome, own]) => [outcome, evaluationsOf(own)]),
  );
}

function failuresOf(rows: readonly FleetHistory[]): Failures {
  const failed = evaluationsOf(rows.filter(({ outcome }) => isFailure(outcome)));
  return { failed, of: Math.max(failed, evaluationsOf(rows.filter(({ outcome }) => isInSuccessRate(outcome)))) };
}
