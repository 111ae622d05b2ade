/**
 * Regression detection by simulation, on the shipped classes with the shipped settings. It measures how often detection
 * is wrong in thirty days without a change, how many conversations it needs to find one, and the cost of an
 * observation. The naive rule and Page–Hinkley run on the same conversations with their usual settings; read their
 * figures together with how often they are wrong.
 */
import { DEFAULT_DETECTION, type DetectionSettings } from '../src/statistics/detect/settings.ts';
import { Detection } from '../src/statistics/detect/detection.ts';
import { LevelWatch } from '../src/statistics/detect/level-watch.ts';
import { NaiveRule, PageHinkley } from './detect-rivals.ts';
import { benchLevels } from './detect-levels.ts';
import { benchVersions } from './detect-versions.ts';
import { benchWorlds } from './detect-worlds.ts';
import { HISTORY_MINUTES, type Scenario, SCENARIOS, simulate, type World } from './detect-world.ts';
import type { BenchRow } from './row.ts';

export interface DetectSize {
  /** Runs per cell at 20 and 200 an hour; at 2000 an hour a quarter of them. */
  readonly runs: number;
  readonly rates: readonly number[];
  readonly scenarios: readonly Scenario[];
  /** Rates for the worlds of detect-traffic.ts. */
  readonly worldRates: readonly number[];
  /** Number of timed observations; 0 also leaves out versions and other levels. */
  readonly timed: number;
}

export const DETECT_FULL: DetectSize = {
  runs: 240,
  rates: [20, 200, 2000],
  scenarios: SCENARIOS,
  worldRates: [20, 200],
  timed: 2_000_000,
};
export const DETECT_SMALL: DetectSize = {
  runs: 6,
  rates: [20],
  scenarios: ['flat', 'diurnal'],
  worldRates: [5],
  timed: 20_000,
};

const DROPS = [0.85, 0.8, 0.7];

export function benchDetect(size: DetectSize): { readonly rows: BenchRow[]; readonly notes: string[] } {
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  for (const scenario of size.scenarios)
    for (const rate of size.rates) {
      const runs = runsAt(rate, size.runs);
      const calm = calmMonth(scenario, rate, runs);
      rows.push(row(`any false alarm in 30 days: ${scenario}, ${rate}/h`, calm.ours / runs, calm.naive / runs));
      notes.push(
        `${scenario} ${rate}/h, ${runs} runs: naive rule begins to fire ${(calm.onsets / runs).toFixed(1)} times in 30 days; ` +
          `Page-Hinkley fires in ${percent(calm.pageHinkley / runs)} of runs; suspected ${(calm.suspected / runs).toFixed(1)} times`,
      );
      if (scenario === 'mix-jump') continue;
      for (const after of DROPS) {
        const found = drop(scenario, rate, after, runs);
        rows.push(
          row(
            `conversations to find .90→${after.toFixed(2)}: ${scenario}, ${rate}/h`,
            found.ours.median,
            found.pageHinkley.median,
          ),
        );
        notes.push(
          `${scenario} ${rate}/h .90→${after.toFixed(2)}: ours p90 ${shown(found.ours.p90)}, found ${percent(found.ours.found)} in 14 days` +
            ` (alarm before the change in ${found.early} of ${runs}); naive rule median ${shown(found.naive.median)}, found ${percent(found.naive.found)};` +
            ` Page-Hinkley found ${percent(found.pageHinkley.found)}`,
        );
      }
    }
  if (size.timed === 0) return { rows, notes };
  const versions = benchVersions({ runs: Math.max(4, size.runs), rate: Math.min(200, Math.max(...size.rates)) });
  const levels = benchLevels({ runs: Math.max(4, Math.round(size.runs / 2)), rates: size.rates });
  const worlds = benchWorlds({
    runs: Math.max(2, Math.round(size.runs / 4)),
    rates: size.worldRates,
    isWhole: size.runs > 10,
  });
  rows.push(...versions.rows, ...levels.rows, ...worlds.rows);
  notes.push(...versions.notes, ...levels.notes, ...worlds.notes, ...timing(size.timed));
  return { rows, notes };
}

export interface CalmMonth {
  readonly ours: number;
  readonly naive: number;
  readonly pageHinkley: number;
  readonly onsets: number;
  readonly suspected: number;
}

/** The share of the runs in which each detector gave a false alarm. Ours counts from the first conversation on. */
export function calmMonth(scenario: Scenario, rate: number, runs: number, settings = DEFAULT_DETECTION): CalmMonth {
  const wrong = { ours: 0, naive: 0, pageHinkley: 0, onsets: 0, suspected: 0 };
  for (let run = 0; run < runs; run += 1) {
    const result = watchWorld({ scenario, rate, seed: 1 + run, after: undefined }, settings);
    if (result.ours !== undefined) wrong.ours += 1;
    if (result.naiveOnsets > 0) wrong.naive += 1;
    if (result.pageHinkley !== undefined) wrong.pageHinkley += 1;
    wrong.onsets += result.naiveOnsets;
    wrong.suspected += result.suspected;
  }
  return wrong;
}

export function drop(scenario: Scenario, rate: number, after: number, runs: number, settings = DEFAULT_DETECTION) {
  const delays = { ours: [] as number[], naive: [] as number[], pageHinkley: [] as number[] };
  let early = 0;
  for (let run = 0; run < runs; run += 1) {
    const result = watchWorld({ scenario, rate, seed: 100_001 + run, after }, settings);
    if (result.isEarly) early += 1;
    else delays.ours.push(result.ours ?? Number.POSITIVE_INFINITY);
    delays.naive.push(result.naive ?? Number.POSITIVE_INFINITY);
    delays.pageHinkley.push(result.pageHinkley ?? Number.POSITIVE_INFINITY);
  }
  return {
    early,
    ours: quantiles(delays.ours),
    naive: quantiles(delays.naive),
    pageHinkley: quantiles(delays.pageHinkley),
  };
}

/** Conversations from the change (or from the end of history) to each detector's alarm. */
function watchWorld(world: World, settings: DetectionSettings) {
  const watch = new LevelWatch(settings.watch, settings.levels.tcr, { together: false });
  const naive = new NaiveRule(HISTORY_MINUTES + 31 * 1440);
  const pageHinkley = new PageHinkley();
  const isChanging = world.after !== undefined;
  let counted = 0;
  let ours: number | undefined;
  let isEarly = false;
  let hinkley: number | undefined;
  let naiveAt: number | undefined;
  let suspected = 0;
  let was = watch.phase;
  let changeMinute = Number.POSITIVE_INFINITY;
  const start = () => (isChanging ? changeMinute : HISTORY_MINUTES);
  changeMinute = simulate({ ...world }, { conversation: () => true, minute: () => true }).changeMinute;
  simulate(world, {
    conversation(segment, score, at, minute) {
      if (minute >= start()) counted += 1;
      naive.add(score);
      if (minute >= HISTORY_MINUTES && pageHinkley.add(score)) {
        if (minute < start()) pageHinkley.forget();
        else hinkley ??= counted;
      }
      if (ours !== undefined || isEarly) return false;
      watch.observe(segment, 1 - score, 1, at);
      const phase = watch.phase;
      if (phase === was) return false;
      was = phase;
      if (phase === 'suspected') suspected += 1;
      if (phase === 'regressed') {
        if (isChanging && minute < changeMinute) isEarly = true;
        else ours = counted;
      }
      return false;
    },
    minute(minute) {
      naive.endMinute();
      if (minute === start()) naive.forget();
      if (minute >= start() && naive.isFiring) naiveAt ??= counted;
      const isSettled = isEarly || ours !== undefined;
      // After two days only the naive rule and Page-Hinkley may still be pending; they get until the end.
      return isChanging && isSettled && naiveAt !== undefined && hinkley !== undefined;
    },
  });
  return { ours, isEarly, naive: naiveAt, naiveOnsets: naive.onsets, pageHinkley: hinkley, suspected };
}

/** The cost of an observation: one stream, a score and an outcome each, and with criteria. */
function timing(count: number): string[] {
  const notes: string[] = [];
  for (const criteria of [0, 5]) {
    const detection = new Detection();
    const weights = new Map(Array.from({ length: criteria }, (_, index) => [`criterion ${index}`, 0.2]));
    const passes = [...weights.keys()].map((name) => [name, 'pass'] as const);
    const fails = [...weights.keys()].map((name, index) => [name, index === 0 ? 'fail' : 'pass'] as const);
    const labels = {
      suite: 'suite',
      agent: 'agent',
      environment: 'production',
      version: '1',
      segment: '',
      user: '',
      traits: [],
      judgedBy: '',
      judged: new Set<string>(),
    };
    let began = 0n;
    for (let index = 0; index < count * 1.2; index += 1) {
      if (index === Math.floor(count * 0.2)) began = process.hrtime.bigint();
      const isGood = (index * 7919) % 1000 >= 100;
      detection.observe({
        ...labels,
        at: index * 18_000,
        score: isGood ? 1 : 0.8,
        outcome: isGood ? 'successful_completion' : 'graceful_failure',
        verdicts: isGood ? passes : fails,
        weights,
        costUsd: 0.01 + (index % 7) * 0.001,
        steps: 5 + (index % 3),
      });
    }
    const nanoseconds = Number(process.hrtime.bigint() - began) / count;
    notes.push(
      `Detection.observe with ${criteria} criteria: ${nanoseconds.toFixed(0)} ns (wall clock, shared machine)`,
    );
  }
  return notes;
}

function runsAt(rate: number, runs: number): number {
  return rate >= 2000 ? Math.max(2, Math.round(runs / 4)) : runs;
}

function quantiles(values: readonly number[]) {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { median: at(0.5), p90: at(0.9), found: sorted.filter(Number.isFinite).length / Math.max(1, sorted.length) };
}

/** JSON has no infinity: a change not found within the fourteen days is -1. */
function row(name: string, ours: number, reference: number): BenchRow {
  const written = (value: number) => (Number.isFinite(value) ? Number(value.toFixed(4)) : -1);
  return { name, ours: written(ours), reference: written(reference), ratio: written(ours / reference) };
}

function shown(value: number): string {
  return Number.isFinite(value) ? String(value) : 'not in 14 days';
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
