/** `assay detect --replay`: detection with other settings over the store's history. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  type Incident,
  type NotReplayed,
  type Replay,
  replayDetection,
  type ReplayedSuite,
} from '../backtest/replay-detection.ts';
import { learningFrom } from '../config/detection-settings.ts';
import { durationMs } from '../config/quantities.ts';
import { detectionSettings } from '../engine/detection/detection-start.ts';
import { counted } from '../model/counted.ts';
import { visibleJson } from '../model/visible-text.ts';
import { QUALITY_METRICS } from '../report/metrics/quality-metrics.ts';
import { levelOf, spell } from '../report/documents/backtest-document.ts';
import { openedStore } from './opened-store.ts';
import type { StoredTotal } from '../store/conversation-reader.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { load } from './load.ts';
import { sinceOf } from './since.ts';
import { safe, type Terminal } from './terminal.ts';

export interface ReplayFlags {
  readonly replay?: boolean;
  readonly url?: string;
  readonly json?: boolean;
  readonly config?: string;
  readonly dataDir?: string;
  readonly since?: string;
  readonly onlySuite?: string;
  readonly onlyAgent?: string;
  readonly incidents?: string;
  readonly falseAlarms?: string;
  readonly learnHistory?: string;
}

const MONTH_MS = 30 * 86_400_000;
const HOUR_MS = 3_600_000;

const time = z
  .union([z.string(), z.date()])
  .transform((value) => new Date(value).getTime())
  .refine(Number.isFinite, 'a time such as 2026-11-21T08:00:00Z');
const incidentsSchema = z.array(
  z
    .strictObject({ name: z.string().min(1), from: time, to: time, agent: z.string().optional() })
    .refine(({ from, to }) => to >= from, { path: ['to'], message: 'not before `from`' }),
);

const REPLAY_ONLY = {
  dataDir: '--data-dir',
  since: '--since',
  onlySuite: '--only-suite',
  onlyAgent: '--only-agent',
  incidents: '--incidents',
  falseAlarms: '--false-alarms',
  learnHistory: '--learn-history',
} as const;

/** Flags that change nothing without `--replay`. */
export function refuseReplayFlags(flags: ReplayFlags): void {
  const given = Object.entries(REPLAY_ONLY).filter(
    ([key]) => (flags as Readonly<Record<string, unknown>>)[key] !== undefined,
  );
  if (given.length > 0) throw usage(`${given.map(([, flag]) => flag).join(', ')}: only with --replay`);
}

export async function replay(terminal: Terminal, flags: ReplayFlags): Promise<void> {
  if (flags.url !== undefined) throw usage('--url: a replay reads the store itself, see --data-dir and --config');
  const incidents = flags.incidents === undefined ? [] : await incidentsIn(flags.incidents);
  const location = { config: flags.config, dataDir: flags.dataDir };
  const { settings, suites } = await load(location, { secrets: "the store's" });
  const reader = await openedStore(settings);
  try {
    const configured = new Set(suites.map(({ name }) => name));
    const others = suitesIn(await reader.totals()).filter((name) => !configured.has(name));
    const all: readonly ReplayedSuite[] = [...suites, ...others.map((name) => ({ name, criteria: [] }))];
    const chosen = all.filter(({ name }) => flags.onlySuite === undefined || name === flags.onlySuite);
    if (chosen.length === 0)
      throw usage(
        `--only-suite ${safe(flags.onlySuite ?? '')}: no such suite, there are ${all.map(({ name }) => safe(name)).join(', ')}`,
      );
    const found = await replayDetection({
      reader,
      suites: chosen,
      settings: detectionSettings({ ...settings.detection, ...changesIn(flags) }),
      incidents,
      since: sinceOf(flags.since),
      agent: flags.onlyAgent,
      onProgress: (evaluations) => terminal.progress(`${counted(evaluations, 'evaluation')} looked at`),
    });
    terminal.progressDone();
    if (flags.json === true) terminal.out(visibleJson(json(found, configured), 2));
    else print(terminal, found, configured);
  } finally {
    await reader.close();
  }
}

const suiteLabel = z.object({ suite: z.string() });

/** Suites by which anything was ever counted in the store. */
function suitesIn(totals: readonly StoredTotal[]): readonly string[] {
  const names = totals.flatMap(({ metric, labels }) =>
    metric === QUALITY_METRICS.evaluations.name ? suiteLabel.parse(JSON.parse(labels)).suite : [],
  );
  return [...new Set(names)].toSorted();
}

/** Their evaluations, which were replayed without criteria. */
function notConfigured({ bySuite }: Replay, configured: ReadonlySet<string>) {
  return [...bySuite].flatMap(([suite, evaluations]) => (configured.has(suite) ? [] : [{ suite, evaluations }]));
}

function changesIn(flags: ReplayFlags) {
  const { falseAlarms, learnHistory } = flags;
  return {
    ...(falseAlarms === undefined ? {} : { falseAlarmsPerMonth: positive('--false-alarms', falseAlarms) }),
    ...(learnHistory === undefined ? {} : learningFrom(duration('--learn-history', learnHistory))),
  };
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw usage(`${flag} ${safe(text, 60)}: expected a number above 0`);
  return value;
}

function duration(flag: string, text: string): number {
  const value = durationMs({ min: 1, max: 365 * 86_400_000 }).safeParse(text);
  if (!value.success) throw usage(`${flag} ${safe(text, 60)}: expected a duration such as 7d`);
  return value.data;
}

async function incidentsIn(file: string): Promise<readonly Incident[]> {
  let read: unknown;
  try {
    read = parse(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`--incidents ${safe(file)}: ${safe(why, 300)}`, EXIT.input);
  }
  const incidents = incidentsSchema.safeParse(read);
  if (incidents.success) return incidents.data;
  const [first] = incidents.error.issues;
  const where = first === undefined || first.path.length === 0 ? '' : `${first.path.join('.')}: `;
  const what = where === '' ? 'expected a list of {name, from, to, agent?}' : (first?.message ?? '');
  throw usage(`--incidents ${safe(file)}: ${where}${what}`);
}

function usage(message: string): CommandFailure {
  return new CommandFailure(message, EXIT.usage);
}

function print({ out, paint }: Terminal, found: Replay, configured: ReadonlySet<string>): void {
  const { evaluations, from, to, alarms, incidents, withoutVerdicts, agents } = found;
  if (from === undefined || to === undefined) {
    out('No evaluations that these options choose are stored, so there is nothing to replay.');
    return;
  }
  const days = (to - from) / (MONTH_MS / 30);
  const span = days < 2 ? `${(24 * days).toFixed(1)} hours` : `${days.toFixed(0)} days`;
  out(`${counted(evaluations, 'evaluation')} over ${span}, in the order in which they were scored`);
  const others = notConfigured(found, configured);
  const unnamed = others.reduce((sum, one) => sum + one.evaluations, 0);
  if (withoutVerdicts > unnamed)
    out(`of ${withoutVerdicts - unnamed} only the score and the outcome are kept, so their criteria were not watched`);
  for (const { suite, evaluations: of } of others)
    out(
      `${counted(of, 'evaluation')} by ${safe(suite)}, which the configuration does not have: without its criteria (give it with --config <file>)`,
    );
  for (const alarm of alarms) {
    const why = alarm.incident === undefined ? '' : `  in ${safe(alarm.incident)}`;
    out(`  ${paint(alarm.incident === undefined ? 'yellow' : 'red', spell(alarm))}  ${safe(levelOf(alarm))}${why}`);
  }
  if (agents.learnt < agents.all)
    out(
      `${agents.all - agents.learnt} of ${counted(agents.all, 'agent')} (for each suite) could have no alarm at the end: detection was still learning (--learn-history)`,
    );
  const unknown = alarms.filter(({ incident }) => incident === undefined).length;
  out(
    alarms.length === 0
      ? 'There would have been no alarm.'
      : `There would have been ${counted(alarms.length, 'alarm')}, ${alarmsText(unknown, days, incidents.length > 0)}.`,
  );
  for (const { name, foundAfterMs, notReplayed } of incidents) {
    if (foundAfterMs !== undefined)
      out(`  found ${(foundAfterMs / HOUR_MS).toFixed(1)} h after it began  ${safe(name)}`);
    else if (notReplayed === undefined) out(`  ${paint('red', 'not found')}  ${safe(name)}`);
    else out(`  ${paint('yellow', NOT_REPLAYED[notReplayed])}  ${safe(name)}`);
  }
  const tried = incidents.filter(({ notReplayed }) => notReplayed === undefined).length;
  if (incidents.length > 0)
    out(`${tried - missedOf(found)} of ${counted(tried, 'known incident')} in the history found`);
  out(
    'Users, tools and models are not stored with evaluations, so they are not known here (docs/operate/detection.md).',
  );
}

const NOT_REPLAYED = {
  outside_of_history: 'outside of the history',
  no_such_agent: 'no such agent in the history',
} satisfies Record<NotReplayed, string>;

function missedOf({ incidents }: Replay): number {
  return incidents.filter((one) => one.foundAfterMs === undefined && one.notReplayed === undefined).length;
}

/** History from which on a rate for thirty days is shown. */
const RATE_FROM_DAYS = 7;

function alarmsText(unknown: number, days: number, areKnown: boolean): string {
  const each =
    days < RATE_FROM_DAYS ? 'in too little time for a rate' : `${((unknown / days) * 30).toFixed(1)} in 30 days`;
  return areKnown ? `${unknown} of them outside every known incident: ${each}` : each;
}

function json(found: Replay, configured: ReadonlySet<string>) {
  const { evaluations, from, to, alarms, incidents, withoutVerdicts, agents } = found;
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    evaluations,
    without_verdicts: withoutVerdicts,
    agents: agents.all,
    agents_learnt: agents.learnt,
    /** Suites that were replayed without their criteria, since the configuration does not have them. */
    not_configured: notConfigured(found, configured),
    from: iso(from),
    to: iso(to),
    alarms: alarms.map(({ suite, agent, environment, metric, criterion, part, beganAt, endedAt, incident }) => ({
      ...{ suite, agent, environment, metric },
      ...(criterion === undefined ? {} : { criterion }),
      ...(part === undefined ? {} : { segment: part }),
      began_at: iso(beganAt),
      ended_at: iso(endedAt),
      incident: incident ?? null,
    })),
    incidents: incidents.map(({ name, from: began, to: ended, agent, foundAfterMs, notReplayed }) => ({
      name,
      from: iso(began),
      to: iso(ended),
      ...(agent === undefined ? {} : { agent }),
      result: foundAfterMs === undefined ? (notReplayed ?? 'not_found') : 'found',
      found_after_hours: foundAfterMs === undefined ? null : foundAfterMs / HOUR_MS,
    })),
    incidents_missed: missedOf(found),
  };
}
