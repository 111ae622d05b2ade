/**
 * node bench/detect-calm.ts <seed> <runs> <conversations an hour> <days until a fall, or 0> [world ...]
 *
 * All levels of an agent in calm worlds: alarms a month, and how long the false ones of the score last. With a fall: how
 * soon it is found. Seeds are given, so that those of a report need not be those that something was built on.
 */
import { Detection } from '../src/statistics/detect/detection.ts';
import { DEFAULT_DETECTION } from '../src/statistics/detect/settings.ts';
import { observation } from './detect-parts.ts';
import { DAY, HOLIDAYS, MONDAY_MS, WORLDS, type WorldName } from './detect-traffic.ts';
import { randomFrom } from './detect-world.ts';

const HOUR = 3_600_000;
const JUDGED_FROM = 7;
const CALM_DAYS = 37;
const SEARCH_DAYS = 12;
const HARD_SHARE = 0.3;

const [seed = 1, runs = 10, perHour = 20, fallOn = 0] = process.argv.slice(2, 6).map(Number);
const chosen = process.argv.slice(6);
const holidays = new Set(HOLIDAYS.map((day) => MONDAY_MS / DAY + day));
const settings = { ...DEFAULT_DETECTION, watch: { ...DEFAULT_DETECTION.watch, holidays } };

// The casts hold because these are the table's own keys.
for (const world of Object.keys(WORLDS) as WorldName[])
  if (chosen.length === 0 || chosen.includes(world)) console.log(fallOn > 0 ? falls(world) : calm(world));

function calm(world: WorldName): string {
  const counts = Array.from({ length: runs }, (_, run) => calmMonth(world, seed + run));
  const perMonth = 30 / (CALM_DAYS - JUDGED_FROM);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const all = counts.map(({ alarms }) => alarms.size * perMonth);
  const error = Math.sqrt(mean(all.map((one) => (one - mean(all)) ** 2)) / runs);
  const byMetric = new Map<string, number>();
  for (const { metrics } of counts) for (const one of metrics) byMetric.set(one, (byMetric.get(one) ?? 0) + 1);
  const hours = counts.flatMap((one) => one.hours);
  const days = hours.length === 0 ? 0 : mean(hours) / 24;
  const worse = counts.filter(({ isWorse }) => isWorse).length;
  return `${world}, ${perHour}/h: ${mean(all).toFixed(2)} ± ${error.toFixed(2)} alarms a month (${[...byMetric].map(([metric, count]) => `${metric} ${count}`).join(', ')} in ${runs} runs); one of the score lasts ${days.toFixed(1)} days; a version worse in ${worse}`;
}

function calmMonth(world: WorldName, of: number) {
  const result = { alarms: new Set<string>(), metrics: [] as string[], hours: [] as number[], isWorse: false };
  let since: number | undefined;
  let last = 0;
  watched(
    world,
    { seed: of, perHour, days: CALM_DAYS },
    ({ detection, at, day }) => {
      last = at;
      for (const { metric, from, to, part, criterion } of detection.takeTransitions()) {
        if (to === 'regressed' && from !== 'regressed' && day >= JUDGED_FROM) {
          result.metrics.push(metric);
          result.alarms.add([metric, part, criterion, at].join());
          if (metric === 'tcr') since = at;
        } else if (metric === 'tcr' && to === 'recovered' && since !== undefined) {
          result.hours.push((at - since) / HOUR);
          since = undefined;
        }
      }
      return false;
    },
    (detection) => {
      for (const reading of detection.readings())
        if (reading.of === 'version' && reading.race.verdict === 'worse') result.isWorse = true;
    },
  );
  if (since !== undefined) result.hours.push((last - since) / HOUR);
  return result;
}

function falls(world: WorldName): string {
  const parts = [0.85, 0.8, 0.7].map((to) => {
    const hours: number[] = [];
    let early = 0;
    let recovered = 0;
    for (let run = 0; run < runs; run += 1) {
      let found: number | undefined;
      let isBack = false;
      watched(
        world,
        { seed: seed + run, perHour, days: fallOn + SEARCH_DAYS, falls: [{ fromDay: fallOn, to }] },
        ({ detection, day }) => {
          for (const change of detection.takeTransitions()) {
            if (change.metric !== 'tcr') continue;
            if (change.to === 'regressed') found ??= (day - fallOn) * 24;
            if (change.to === 'recovered' && found !== undefined && found >= 0) isBack = true;
          }
          return found !== undefined && found < 0;
        },
      );
      if (found !== undefined && found < 0) early += 1;
      else hours.push(found ?? Number.POSITIVE_INFINITY);
      if (isBack) recovered += 1;
    }
    hours.sort((a, b) => a - b);
    const at = (share: number) => (hours[Math.floor(share * hours.length)] ?? Number.NaN).toFixed(1);
    return `to ${to}: median ${at(0.5)} h, p90 ${at(0.9)}, early ${early}, called recovered ${recovered}`;
  });
  return `${world}, ${perHour}/h, fall from .90 on day ${fallOn}, ${runs} runs: ${parts.join('; ')}`;
}

interface Moment {
  readonly detection: Detection;
  readonly at: number;
  readonly day: number;
}

function watched(
  world: WorldName,
  traffic: Parameters<(typeof WORLDS)[WorldName]>[0],
  look: (moment: Moment) => boolean,
  atEnd: (detection: Detection) => void = () => undefined,
): void {
  const detection = new Detection(settings);
  const random = randomFrom(traffic.seed + 31_000_000);
  let looked = 0;
  for (const { at, user, success, intent, version } of WORLDS[world](traffic)) {
    const isHard = !success && random() < HARD_SHARE;
    const traits = intent === undefined ? [] : [`intent: ${intent}`];
    detection.observe({
      ...observation(at, success, { traits, ...(version === undefined ? {} : { version }) }),
      user,
      outcome: success ? 'successful_completion' : isHard ? 'hard_failure' : 'partial_failure',
      steps: 4 + Math.floor(random() * 5),
    });
    if (at < looked) continue;
    looked = at + HOUR / 10;
    detection.advance(at);
    if (look({ detection, at, day: (at - MONDAY_MS) / DAY })) return;
  }
  atEnd(detection);
}
