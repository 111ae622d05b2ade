/**
 * Detection on traffic that people really have (detect-traffic.ts), on the shipped classes with the shipped settings.
 * The reference of a row is what detection did before it knew of users, correlation and the calendar: measured once, on
 * the same worlds with the same seeds, and kept here.
 */
import { ClusterSlots } from '../src/statistics/detect/cluster-slots.ts';
import { Detection } from '../src/statistics/detect/detection.ts';
import { LevelWatch } from '../src/statistics/detect/level-watch.ts';
import { DEFAULT_DETECTION } from '../src/statistics/detect/settings.ts';
import { BEFORE } from './detect-before.ts';
import { arrivals, type Breakage, isNamedFirst, observation, PLANTED, segmentFound } from './detect-parts.ts';
import { DAY, dayOf, type Fall, MONDAY_MS, WORLDS, type WorldName } from './detect-traffic.ts';
import { randomFrom } from './detect-world.ts';
import type { BenchRow } from './row.ts';

const HOUR = 3_600_000;
/** Learning takes seven days. */
const JUDGED_FROM = 7;
const CHANGED_ON = 12;
const SEARCH_DAYS = 20;

/** Worlds with a calendar, which takes two weeks to be learnt. */
const CALENDARS: readonly WorldName[] = [
  'weekends -3, less traffic',
  'weekends -6, less traffic',
  'weekends -3, same traffic',
  'Mondays -5',
  'day and night mixed',
];

export function benchWorlds({
  runs,
  rates,
  isWhole,
}: {
  readonly runs: number;
  readonly rates: readonly number[];
  /** With parts of the traffic, versions and the fleet, which take minutes. */
  readonly isWhole: boolean;
}) {
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  // The casts hold because these are the table's own keys.
  for (const world of Object.keys(WORLDS) as WorldName[])
    for (const rate of rates) {
      const from = CALENDARS.includes(world) ? 14 : JUDGED_FROM;
      const alarms = months(runs, (seed) => falseAlarms(world, { seed, rate, from }));
      rows.push(row(`false alarms in 30 days: ${world}, ${rate}/h`, alarms.mean));
      notes.push(`${world}, ${rate}/h: ${shown(alarms)} false alarms in 30 days from day ${from} on, ${runs} runs`);
    }
  for (const rate of rates)
    for (const to of [0.85, 0.8, 0.7]) {
      const found = Array.from({ length: runs }, (_, run) => fallFound({ seed: 1 + run, rate, to }));
      const delays = found.flatMap(({ hours }) => hours ?? []);
      rows.push(row(`hours to find .90→${to.toFixed(2)}: flat, ${rate}/h`, median(delays)));
      const recovered = found.filter((one) => one.recovered).length;
      rows.push(row(`falsely recovered in 20 days: .90→${to.toFixed(2)} for good, ${rate}/h`, recovered / runs));
    }
  for (const rate of rates) {
    const first = median(
      Array.from({ length: runs }, (_, run) => fallFound({ seed: 1 + run, rate, to: 0.6, usual: 0.83 }).hours ?? NaN),
    );
    const further = Array.from({ length: runs }, (_, run) => furtherFall({ seed: 1 + run, rate }));
    const told = further.filter((hours) => hours !== undefined);
    notes.push(
      `.90→.83, a week later .60, ${rate}/h: the further fall is told in ${told.length} of ${further.length} runs, median ${median(told).toFixed(2)} h; a first fall .83→.60 takes ${first.toFixed(2)} h`,
    );
  }
  if (isWhole) notes.push(...benchParts(runs), ...benchSticky(runs), ...benchFleet(Math.max(1, Math.round(runs / 20))));
  return { rows, notes };
}

interface Asked {
  readonly seed: number;
  readonly rate: number;
}

function falseAlarms(world: WorldName, { seed, rate, from }: Asked & { readonly from: number }): number {
  let alarms = 0;
  watched(world, { seed, perHour: rate, days: from + 30 }, ({ to }, day) => {
    if (to === 'regressed' && day >= from) alarms += 1;
  });
  return alarms;
}

function fallFound({ seed, rate, to, usual = 0.9 }: Asked & { readonly to: number; readonly usual?: number }) {
  const result: { hours: number | undefined; recovered: boolean } = { hours: undefined, recovered: false };
  let isEarly = false;
  const falls: Fall[] = [
    { fromDay: 0, to: usual },
    { fromDay: CHANGED_ON, to },
  ];
  watched('flat', { seed, perHour: rate, days: CHANGED_ON + SEARCH_DAYS, falls }, (change, day) => {
    if (change.to === 'regressed' && day < CHANGED_ON) isEarly = true;
    else if (change.to === 'regressed') result.hours ??= isEarly ? undefined : (day - CHANGED_ON) * 24;
    if (change.to === 'recovered' && result.hours !== undefined) result.recovered = true;
  });
  return result;
}

/** Hours from the second fall until it is told; undefined where the first was not found before, or this one never. */
function furtherFall({ seed, rate }: Asked): number | undefined {
  const again = CHANGED_ON + 7;
  let hours: number | undefined;
  const falls: Fall[] = [
    { fromDay: CHANGED_ON, to: 0.83 },
    { fromDay: again, to: 0.6 },
  ];
  watched('flat', { seed, perHour: rate, days: again + 4, falls }, ({ from, to }, day) => {
    if (from === 'regressed' && to === 'regressed' && day >= again) hours ??= (day - again) * 24;
  });
  return hours;
}

type Change = ReturnType<LevelWatch['takeChanges']>[number];

function watched(
  world: WorldName,
  traffic: { readonly seed: number; readonly perHour: number; readonly days: number; readonly falls?: readonly Fall[] },
  onChange: (change: Change, day: number) => void,
): void {
  const watch = new LevelWatch(DEFAULT_DETECTION.watch, DEFAULT_DETECTION.levels.tcr, { together: false });
  const users = new ClusterSlots();
  for (const { at, user, success } of WORLDS[world](traffic)) {
    watch.observe(1, success ? 0 : 1, 1, at, users.slotOf(user, at));
    for (const change of watch.takeChanges()) onChange(change, (change.at - MONDAY_MS) / DAY);
  }
}

const BREAKAGES: readonly Breakage[] = [
  { perHour: 200, share: 0.02, after: 0.3 },
  { perHour: 200, share: 0.1, after: 0.7 },
];

function benchParts(runs: number): string[] {
  const notes = BREAKAGES.map((breakage) => {
    const found = Array.from({ length: Math.ceil(runs / 2) }, (_, run) => segmentFound(1 + run, breakage));
    const hours = found.filter((one) => one !== undefined).sort((a, b) => a - b);
    const within = hours.filter(Number.isFinite).length;
    const { perHour, share, after } = breakage;
    return `a segment of ${100 * share} % falls .90→${after.toFixed(2)}, ${perHour}/h: found in ${within} of ${hours.length} runs, median ${median(hours).toFixed(1)} h, slowest ${(hours.at(-1) ?? NaN).toFixed(1)} h`;
  });
  for (const [moment, afterHours] of [
    ['at the alarm', 0],
    ['six hours later', 6],
  ] as const) {
    let right = 0;
    let all = 0;
    for (const planted of PLANTED)
      for (let run = 0; run < Math.max(1, Math.round(runs / 8)); run += 1) {
        const isRight = isNamedFirst(1 + run, planted, { perHour: 200, afterHours });
        if (isRight === undefined) continue;
        all += 1;
        if (isRight) right += 1;
      }
    notes.push(`the planted cause is named first ${moment} in ${right} of ${all} falls (${PLANTED.length} causes)`);
  }
  return notes;
}

/** Two versions that are equally good, each user always with the same one; asked every fifty conversations for two weeks. */
function benchSticky(runs: number): string[] {
  return (['users of 5', 'users of 20'] as const).map((world) => {
    let worse = 0;
    let better = 0;
    const count = Math.max(2, Math.round(runs / 4));
    for (let run = 0; run < count; run += 1) {
      const verdicts = stickyRace(world, 1 + run);
      if (verdicts.has('worse')) worse += 1;
      if (verdicts.has('better')) better += 1;
    }
    const share = (wrong: number) => `${((100 * wrong) / count).toFixed(1)} %`;
    return `versions that are equal, ${world} who stay with theirs, 60/h: called worse in ${share(worse)}, better in ${share(better)} of ${count} races`;
  });
}

function stickyRace(world: WorldName, seed: number): ReadonlySet<string> {
  const detection = new Detection();
  const route = randomFrom(seed + 77);
  const verdicts = new Set<string>();
  let last = '';
  let version = '1';
  let count = 0;
  for (const { at, user, success } of WORLDS[world]({ seed, perHour: 60, days: 26 })) {
    if (user !== last) version = dayOf(at) >= CHANGED_ON && route() < 0.1 ? '2' : '1';
    last = user;
    detection.observe({ ...observation(at, success, { version }), user });
    count += 1;
    if (count % 50 > 0) continue;
    for (const reading of detection.readings()) if (reading.of === 'version') verdicts.add(reading.race.verdict);
  }
  return verdicts;
}

const AGENTS = 50;
const CRITERIA = 8;
const FLEET_DAYS = 40;

/** Fifty agents with eight criteria, cost, steps, and a new version each week that gets a tenth; nothing is wrong. */
function benchFleet(runs: number): string[] {
  let alarms = 0;
  let versions = 0;
  for (let run = 0; run < runs; run += 1) {
    const told = healthyFleet(1 + run);
    alarms += told.alarms;
    versions += told.versions;
  }
  const perMonth = (count: number) => ((count / runs) * (30 / (FLEET_DAYS - JUDGED_FROM))).toFixed(1);
  return [
    `fleet of ${AGENTS} healthy agents × ${CRITERIA} criteria with weekly versions, 20/h each: ${perMonth(alarms)} regressions and ${perMonth(versions)} versions called worse in a month, ${runs} runs`,
  ];
}

function healthyFleet(seed: number): { readonly alarms: number; readonly versions: number } {
  const random = randomFrom(seed);
  const detection = new Detection();
  const weights = new Map(Array.from({ length: CRITERIA }, (_, index) => [`criterion ${index}`, 1 / CRITERIA]));
  const names = [...weights.keys()];
  const begun = new Set<string>();
  const worse = new Set<string>();
  let alarms = 0;
  let asked = 0;
  for (const at of arrivals(AGENTS * 20, FLEET_DAYS, random)) {
    const week = Math.floor(dayOf(at) / 7);
    const verdicts = names.map((name) => [name, random() < 0.95 ? 'pass' : 'fail'] as const);
    const score = verdicts.filter(([, verdict]) => verdict === 'pass').length / CRITERIA;
    const isCandidate = week > 0 && random() < 0.1;
    detection.observe({
      ...observation(at, score > 0.7, {
        agent: `agent ${Math.floor(random() * AGENTS)}`,
        version: isCandidate ? `week ${week}` : 'stable',
      }),
      score,
      verdicts,
      weights,
      costUsd: 0.01 * (0.5 + random()),
      steps: 4 + Math.floor(random() * 5),
    });
    if (at < asked) continue;
    asked = at + HOUR;
    detection.advance(at);
    for (const { to, metric, agent, criterion, part } of detection.takeTransitions())
      if (to === 'regressed' && dayOf(at) >= JUDGED_FROM) {
        begun.add([agent, metric, criterion, part, at].join());
        alarms += 1;
      }
    for (const reading of detection.readings())
      if (reading.of === 'version' && reading.race.verdict === 'worse')
        worse.add(`${reading.agent} ${reading.version}`);
  }
  return { alarms, versions: worse.size };
}

function months(runs: number, alarmsOf: (seed: number) => number) {
  const counts = Array.from({ length: runs }, (_, run) => alarmsOf(1 + run));
  const mean = counts.reduce((sum, count) => sum + count, 0) / runs;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / Math.max(1, runs - 1);
  return { mean, error: Math.sqrt(variance / runs) };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function row(name: string, ours: number): BenchRow {
  const reference = BEFORE[name] ?? Number.NaN;
  const written = (value: number) => (Number.isFinite(value) ? Number(value.toFixed(4)) : -1);
  return { name, ours: written(ours), reference: written(reference), ratio: written(ours / reference) };
}

function shown({ mean, error }: { readonly mean: number; readonly error: number }): string {
  return `${mean.toFixed(2)} ± ${error.toFixed(2)}`;
}
