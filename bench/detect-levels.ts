/**
 * The other levels: skewed cost per success, rare hard failures, and ten criteria tested jointly. Cost is compared with
 * the obvious rule: cost per success of an hour > 1.10 × that of the day before, checked every hour.
 */
import { Cap } from '../src/statistics/detect/cap.ts';
import { Detection } from '../src/statistics/detect/detection.ts';
import { LevelWatch } from '../src/statistics/detect/level-watch.ts';
import { DEFAULT_DETECTION } from '../src/statistics/detect/settings.ts';
import { BEGIN_MS, MINUTE_MS, normal, poisson, randomFrom } from './detect-world.ts';
import type { BenchRow } from './row.ts';

const DAY = 1440;
const HISTORY = 10 * DAY;
const CHANGE = 12 * DAY;
const CALM_END = 40 * DAY;
const SEARCH_END = 26 * DAY;

export function benchLevels({ runs, rates }: { readonly runs: number; readonly rates: readonly number[] }) {
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  for (const rate of rates.filter((each) => each <= 200)) {
    const calm = months(runs, (seed) => costMonth(seed, rate, 1));
    rows.push({
      name: `any false alarm in 30 days: cost per success, lognormal σ 1, ${rate}/h`,
      ours: Number((calm.found / runs).toFixed(4)),
      reference: Number((calm.naive / runs).toFixed(4)),
      ratio: Number((calm.found / Math.max(1, calm.naive)).toFixed(4)),
    });
    for (const times of [1.11, 1.25, 1.5]) {
      const risen = months(runs, (seed) => costMonth(seed, rate, times));
      notes.push(`cost per success × ${times}, ${rate}/h: ${told(risen, runs)}`);
    }
    const hard = months(runs, (seed) => hardMonth(seed, rate, 0.01));
    notes.push(`hard failures stay at 1 %, ${rate}/h: false alarm in ${percent(hard.found / runs)} of months`);
    for (const after of [0.03, 0.1]) {
      const risen = months(runs, (seed) => hardMonth(seed, rate, after));
      notes.push(`hard failures 1 % → ${100 * after} %, ${rate}/h: ${told(risen, runs)}`);
    }
  }
  const few = Math.max(2, Math.round(runs / 4));
  let wrong = 0;
  for (let run = 0; run < few; run += 1) if (isAnyCriterionFound(700_001 + run, Math.min(...rates))) wrong += 1;
  notes.push(
    `ten criteria, nothing wrong, ${Math.min(...rates)}/h: any of them called regressed in ${percent(wrong / few)} of ${few} months`,
  );
  return { rows, notes };
}

interface Month {
  /** Conversations from the change to the alarm; 0 without a change. */
  readonly found: number | undefined;
  readonly isNaiveFound: boolean;
}

function months(runs: number, month: (seed: number) => Month) {
  const delays: number[] = [];
  let found = 0;
  let naive = 0;
  for (let run = 0; run < runs; run += 1) {
    const { found: delay, isNaiveFound } = month(500_001 + run);
    delays.push(delay ?? Number.POSITIVE_INFINITY);
    if (delay !== undefined) found += 1;
    if (isNaiveFound) naive += 1;
  }
  delays.sort((one, other) => one - other);
  return { found, naive, median: delays[Math.floor(runs / 2)] ?? Number.POSITIVE_INFINITY };
}

function costMonth(seed: number, rate: number, times: number): Month {
  const random = randomFrom(seed);
  const watch = new LevelWatch(DEFAULT_DETECTION.watch, DEFAULT_DETECTION.levels.cost_per_success, { together: false });
  const cap = new Cap();
  const hours: { cost: number; successes: number }[] = [];
  const result = { found: undefined as number | undefined, isNaiveFound: false };
  const changeAt = times === 1 ? CALM_END : CHANGE;
  let since = 0;
  for (let minute = 0; minute < (times === 1 ? CALM_END : SEARCH_END); minute += 1) {
    if (minute % 60 === 0) {
      if (minute >= HISTORY && isDearer(hours)) result.isNaiveFound = true;
      hours.push({ cost: 0, successes: 0 });
    }
    const hour = hours.at(-1) ?? { cost: 0, successes: 0 };
    for (let left = poisson(rate / 60, random); left > 0; left -= 1) {
      const isSuccess = random() < 0.9;
      const cost = 0.05 * Math.exp(normal(random) - 0.5) * (isSuccess ? 1 : 1.5) * (minute >= changeAt ? times : 1);
      hour.cost += cost;
      if (isSuccess) hour.successes += 1;
      if (minute >= changeAt) since += 1;
      const taken = cap.take(cost);
      if (taken !== undefined) watch.observe(1, taken, isSuccess ? 1 : 0, BEGIN_MS + minute * MINUTE_MS);
      if (watch.phase !== 'regressed') continue;
      if (result.found === undefined && (times === 1 || minute >= changeAt)) result.found = since;
      if (times > 1) return result;
    }
  }
  return result;
}

function isDearer(hours: readonly { readonly cost: number; readonly successes: number }[]): boolean {
  const last = hours.at(-1);
  const day = hours.slice(-25, -1);
  if (last === undefined || last.successes === 0) return false;
  const cost = day.reduce((sum, hour) => sum + hour.cost, 0);
  const successes = day.reduce((sum, hour) => sum + hour.successes, 0);
  return last.cost / last.successes > (1.1 * cost) / successes;
}

function hardMonth(seed: number, rate: number, after: number): Month {
  const random = randomFrom(seed);
  const watch = new LevelWatch(DEFAULT_DETECTION.watch, DEFAULT_DETECTION.levels.hard_failure, { together: false });
  const isCalm = after === 0.01;
  let since = 0;
  for (let minute = 0; minute < (isCalm ? CALM_END : SEARCH_END); minute += 1)
    for (let left = poisson(rate / 60, random); left > 0; left -= 1) {
      const isChanged = !isCalm && minute >= CHANGE;
      if (isChanged) since += 1;
      watch.observe(1, random() < (isChanged ? after : 0.01) ? 1 : 0, 1, BEGIN_MS + minute * MINUTE_MS);
      if (watch.phase === 'regressed') return { found: since, isNaiveFound: false };
    }
  return { found: undefined, isNaiveFound: false };
}

/** Criteria that fail together: half of the failures of each come from a conversation that failed as a whole. */
function isAnyCriterionFound(seed: number, rate: number): boolean {
  const random = randomFrom(seed);
  const detection = new Detection();
  const weights = new Map(Array.from({ length: 10 }, (_, index) => [`criterion ${index}`, 0.1]));
  for (let minute = 0; minute < CALM_END; minute += 1)
    for (let left = poisson(rate / 60, random); left > 0; left -= 1) {
      const isWrong = random() < 0.05;
      detection.observe({
        suite: 'suite',
        agent: 'agent',
        environment: 'production',
        version: '1',
        segment: '',
        user: '',
        traits: [],
        judgedBy: '',
        judged: new Set(),
        at: BEGIN_MS + minute * MINUTE_MS,
        score: undefined,
        outcome: 'unscored',
        verdicts: [...weights.keys()].map(
          (name) => [name, random() < (isWrong ? 0.5 : 0.97) ? 'pass' : 'fail'] as const,
        ),
        weights,
        costUsd: undefined,
        steps: 5,
      });
    }
  return detection.takeTransitions().some(({ to }) => to === 'regressed');
}

function told({ found, median }: { readonly found: number; readonly median: number }, runs: number): string {
  const delay = Number.isFinite(median) ? `median ${median} conversations` : 'median beyond 14 days';
  return `${delay}, found ${percent(found / runs)} in 14 days`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
