/**
 * Simulated traffic for detectors: conversations minute by minute, from a seed. Ten days of history, then thirty
 * without a change, or a change at a random minute of the second day and fourteen days to find it.
 */

export const SCENARIOS = ['flat', 'diurnal', 'mix-jump', 'weighted', 'hourly-wobble'] as const;
export type Scenario = (typeof SCENARIOS)[number];

export interface World {
  readonly scenario: Scenario;
  /** Conversations an hour. */
  readonly rate: number;
  readonly seed: number;
  /** The mean score after the change, 0.90 before; undefined without a change. */
  readonly after: number | undefined;
}

export interface Plan {
  readonly changeMinute: number;
  readonly minutes: number;
}

export const MINUTE_MS = 60_000;
export const HISTORY_MINUTES = 10 * 1440;
/** Start of log time; not zero. */
export const BEGIN_MS = Date.UTC(2026, 0, 5);
const BEFORE = 0.9;
const WEIGHTS = [0.4, 0.2, 0.2, 0.1, 0.1];

/** Calls `conversation` for each one and `minute` after each minute, until one of them returns true. */
export function simulate(
  world: World,
  hear: {
    readonly conversation: (segment: number, score: number, at: number, minute: number) => boolean;
    readonly minute: (minute: number) => boolean;
  },
): Plan {
  const random = randomFrom(world.seed);
  const { scenario, rate, after } = world;
  const changeMinute =
    after === undefined ? Number.POSITIVE_INFINITY : HISTORY_MINUTES + 1440 + Math.floor(random() * 1440);
  const minutes = after === undefined ? HISTORY_MINUTES + 30 * 1440 : changeMinute + 14 * 1440;
  const plan = { changeMinute, minutes };
  const usual = scenario === 'diurnal' ? [0.94, 0.74] : scenario === 'mix-jump' ? [0.95, 0.75] : [BEFORE, BEFORE];
  let wobble = 0;
  for (let minute = 0; minute < minutes; minute += 1) {
    const { arrivals, hard } = traffic(scenario, rate, minute);
    if (scenario === 'hourly-wobble' && minute % 60 === 0)
      wobble = 0.9 * wobble + Math.sqrt(1 - 0.81) * 0.01 * normal(random);
    const ratio = after !== undefined && minute >= changeMinute ? after / BEFORE : 1;
    const easyRate = Math.min(1, (usual[0] as number) * ratio + wobble);
    const hardRate = Math.min(1, (usual[1] as number) * ratio + wobble);
    const count = poisson(arrivals, random);
    const at = BEGIN_MS + minute * MINUTE_MS;
    for (let index = 0; index < count; index += 1) {
      const segment = hard > 0 && random() < hard ? 2 : 1;
      const score =
        scenario === 'weighted'
          ? weightedScore(BEFORE * ratio, random)
          : random() < (segment === 2 ? hardRate : easyRate)
            ? 1
            : 0;
      if (hear.conversation(segment, score, at + index, minute)) return plan;
    }
    if (hear.minute(minute)) return plan;
  }
  return plan;
}

function traffic(
  scenario: Scenario,
  rate: number,
  minute: number,
): { readonly arrivals: number; readonly hard: number } {
  if (scenario === 'mix-jump') return { arrivals: rate / 60, hard: minute >= HISTORY_MINUTES + 5 * 1440 ? 0.55 : 0.25 };
  if (scenario !== 'diurnal') return { arrivals: rate / 60, hard: 0 };
  const day = Math.cos((2 * Math.PI * (((minute / 60) % 24) - 14)) / 24);
  return { arrivals: (rate / 60) * (1 + 0.7 * day), hard: 0.25 - 0.15 * day };
}

/** Five weighted criteria that mostly fail together. */
function weightedScore(mean: number, random: () => number): number {
  const pass = random() < (mean - 0.5) / 0.48 ? 0.98 : 0.5;
  let score = 0;
  for (const weight of WEIGHTS) if (random() < pass) score += weight;
  return Math.min(1, score);
}

export function poisson(mean: number, random: () => number): number {
  if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** sfc32. */
export function randomFrom(seed: number): () => number {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88 | 0;
  let c = 0xb7e15162 | 0;
  let d = seed | 0;
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let warm = 0; warm < 20; warm += 1) next();
  return next;
}
