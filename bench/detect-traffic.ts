/**
 * Traffic that people really have, as simulated conversations: users who come back, outcomes that have to do with one
 * another, weekends, Mondays, nights. The mean success is 0.90 unless a world says otherwise. Day 0 is a Monday.
 */
import { normal, poisson, randomFrom } from './detect-world.ts';

export const DAY = 86_400_000;
const HOUR = 3_600_000;
/** A Monday, 00:00 UTC. */
export const MONDAY_MS = Date.UTC(2026, 0, 5);
const MEAN = 0.9;

/** A change of everybody's mean success. */
export interface Fall {
  readonly fromDay: number;
  readonly to: number;
}

export interface Conversation {
  readonly at: number;
  /** Empty where spans name nobody. */
  readonly user: string;
  readonly success: boolean;
  /** Kind of request, where spans say it; and the version of the agent. */
  readonly intent?: string;
  readonly version?: string;
}

export interface Traffic {
  readonly seed: number;
  readonly perHour: number;
  readonly days: number;
  readonly falls?: readonly Fall[];
}

export type WorldName = keyof typeof WORLDS;

export const WORLDS = {
  flat: flat,
  'users of 5': (traffic: Traffic) => users(traffic, { size: 5, named: true }),
  'users of 10': (traffic: Traffic) => users(traffic, { size: 10, named: true }),
  'users of 20': (traffic: Traffic) => users(traffic, { size: 20, named: true }),
  'users of 5, unnamed': (traffic: Traffic) => users(traffic, { size: 5, named: false }),
  'users of 10, unnamed': (traffic: Traffic) => users(traffic, { size: 10, named: false }),
  'users of 20, unnamed': (traffic: Traffic) => users(traffic, { size: 20, named: false }),
  'users of 10, interleaved': (traffic: Traffic) => interleaved(traffic, { size: 10, named: true }),
  'users of 20, interleaved, unnamed': (traffic: Traffic) => interleaved(traffic, { size: 20, named: false }),
  'Zipf users, unnamed': zipf,
  'one user of 200': (traffic: Traffic) => oneUser(traffic, { of: 200, named: true }),
  'one user of 200, unnamed': (traffic: Traffic) => oneUser(traffic, { of: 200, named: false }),
  'one user of 60, unnamed': (traffic: Traffic) => oneUser(traffic, { of: 60, named: false }),
  'lag-1 .05': (traffic: Traffic) => lagged(traffic, 0.05),
  'lag-1 .1': (traffic: Traffic) => lagged(traffic, 0.1),
  'lag-1 .2': (traffic: Traffic) => lagged(traffic, 0.2),
  'lag-1 .4': (traffic: Traffic) => lagged(traffic, 0.4),
  'weekends -3, less traffic': (traffic: Traffic) => calendar(traffic, { weekend: -0.03, weekendTraffic: 0.4 }),
  'weekends -6, less traffic': (traffic: Traffic) => calendar(traffic, { weekend: -0.06, weekendTraffic: 0.4 }),
  'weekends -3, same traffic': (traffic: Traffic) => calendar(traffic, { weekend: -0.03 }),
  'Mondays -5': (traffic: Traffic) => calendar(traffic, { monday: -0.05 }),
  'day and night mixed': (traffic: Traffic) => calendar(traffic, { night: true }),
  'wobble 2 pt over days': (traffic: Traffic) => wobbling(traffic, 0.02, 0.98),
  'weekends -6, holidays -8': (traffic: Traffic) =>
    calendar(traffic, { weekend: -0.06, weekendTraffic: 0.4, holiday: -0.08 }),
  'harder intents with a new version': (traffic: Traffic) => harder(traffic, 1),
  'harder intents, a tenth on a new version': (traffic: Traffic) => harder(traffic, 0.1),
} as const satisfies Record<string, (traffic: Traffic) => Iterable<Conversation>>;

/** Mean success of everybody over what it was. */
function ratioAt({ falls = [] }: Traffic, day: number): number {
  let ratio = 1;
  for (const { fromDay, to } of falls) if (day >= fromDay) ratio = to / MEAN;
  return ratio;
}

function* flat(traffic: Traffic): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  for (const at of arrivals(traffic, random, () => 1))
    yield { at, user: '', success: random() < MEAN * ratioAt(traffic, dayOf(at)) };
}

/** Each user has `size` conversations, one after the other, and nobody else comes between. ICC 0.3. */
function* users(
  traffic: Traffic,
  { size, named }: { readonly size: number; readonly named: boolean },
): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  let left = 0;
  let user = 0;
  let own = 0;
  for (const at of arrivals(traffic, random, () => 1)) {
    if (left === 0) {
      left = size;
      user += 1;
      own = beta(MEAN, 0.3, random);
    }
    left -= 1;
    const success = random() < own * ratioAt(traffic, dayOf(at));
    yield { at, user: named ? `user ${user}` : '', success };
  }
}

/** Twenty users at once: each conversation is of one of those under way. */
function* interleaved(
  traffic: Traffic,
  { size, named }: { readonly size: number; readonly named: boolean },
): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  let last = 0;
  const begin = () => ({ user: ++last, left: size, own: beta(MEAN, 0.3, random) });
  const underWay = Array.from({ length: 20 }, begin);
  for (const at of arrivals(traffic, random, () => 1)) {
    const place = Math.floor(random() * underWay.length);
    const one = underWay[place] as (typeof underWay)[number];
    one.left -= 1;
    if (one.left === 0) underWay[place] = begin();
    const user = named ? `user ${one.user}` : '';
    yield { at, user, success: random() < one.own * ratioAt(traffic, dayOf(at)) };
  }
}

/** Sixty users, the n-th of whom is 1 / n times as active; half of them are absent on a day. ICC 0.15. */
function* zipf(traffic: Traffic): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  const all = Array.from({ length: 60 }, (_, place) => ({ own: beta(MEAN, 0.15, random), weight: 1 / (place + 1) }));
  let day = -1;
  let present = all;
  for (const at of arrivals(traffic, random, () => 1)) {
    if (dayOf(at) !== day) {
      day = dayOf(at);
      const some = all.filter(() => random() < 0.5);
      present = some.length > 0 ? some : all;
    }
    let left = random() * present.reduce((sum, { weight }) => sum + weight, 0);
    const one = present.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    yield { at, user: '', success: random() < (one?.own ?? MEAN) * ratioAt(traffic, day) };
  }
}

/** Every third day a user has 200 (or 60) conversations within three hours; three in ten of these users succeed in 60 %. */
function* oneUser(
  traffic: Traffic,
  { of, named }: { readonly of: number; readonly named: boolean },
): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  const heavy = randomFrom(traffic.seed + 7_000_000);
  const own: Conversation[] = [];
  for (let day = 1; day < traffic.days; day += 3) {
    const begin = MONDAY_MS + (day + heavy()) * DAY;
    const rate = heavy() < 0.3 ? 0.6 : MEAN;
    for (let index = 0; index < of; index += 1) {
      const at = begin + (index / of) * 3 * HOUR;
      own.push({ at, user: named ? `heavy ${day}` : '', success: heavy() < rate * ratioAt(traffic, dayOf(at)) });
    }
  }
  let number = 0;
  for (const at of arrivals(traffic, random, () => 1)) {
    while ((own[0]?.at ?? Number.POSITIVE_INFINITY) <= at) yield own.shift() as Conversation;
    number += 1;
    const user = named ? `user ${number}` : '';
    yield { at, user, success: random() < MEAN * ratioAt(traffic, dayOf(at)) };
  }
}

/** With chance ρ an outcome is the last one again. */
function* lagged(traffic: Traffic, correlation: number): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  let last = true;
  for (const at of arrivals(traffic, random, () => 1)) {
    if (random() >= correlation) last = random() < MEAN * ratioAt(traffic, dayOf(at));
    yield { at, user: '', success: last };
  }
}

function* calendar(
  traffic: Traffic,
  of: {
    readonly weekend?: number;
    readonly weekendTraffic?: number;
    readonly monday?: number;
    readonly holiday?: number;
    readonly night?: boolean;
  },
): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  const isWeekend = (at: number) => dayOf(at) % 7 >= 5;
  const wave = (at: number) => Math.cos((2 * Math.PI * ((at % DAY) / HOUR - 14)) / 24);
  const times = (at: number) => (of.night === true ? 1 + 0.7 * wave(at) : isWeekend(at) ? (of.weekendTraffic ?? 1) : 1);
  for (const at of arrivals(traffic, random, times)) {
    let rate = MEAN + (isWeekend(at) ? (of.weekend ?? 0) : 0) + (dayOf(at) % 7 === 0 ? (of.monday ?? 0) : 0);
    if (isHoliday(at)) rate += of.holiday ?? 0;
    // As much hard traffic as the scenario 'diurnal' has, without segments that say so.
    if (of.night === true) rate = random() < 0.25 - 0.15 * wave(at) ? 0.74 : 0.94;
    yield { at, user: '', success: random() < rate * ratioAt(traffic, dayOf(at)) };
  }
}

/** Wednesdays, 16 and 37 days after the first Monday. */
export const HOLIDAYS = [16, 37];

function isHoliday(at: number): boolean {
  return HOLIDAYS.includes(dayOf(at));
}

/** Refunds succeed less often. From day 17 on the new version has more of them, and is as good with each. */
function* harder(traffic: Traffic, share: number): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  for (const at of arrivals(traffic, random, () => 1)) {
    const version = dayOf(at) >= 17 && random() < share ? '2' : '1';
    const isHard = random() < (version === '2' ? 0.55 : 0.25);
    const rate = (isHard ? 0.75 : 0.95) * ratioAt(traffic, dayOf(at));
    yield { at, user: '', success: random() < rate, intent: isHard ? 'refund' : 'travel', version };
  }
}

function* wobbling(traffic: Traffic, size: number, from: number): Iterable<Conversation> {
  const random = randomFrom(traffic.seed);
  let wobble = 0;
  let hour = -1;
  for (const at of arrivals(traffic, random, () => 1)) {
    for (; hour < Math.floor((at - MONDAY_MS) / HOUR); hour += 1)
      wobble = from * wobble + Math.sqrt(1 - from * from) * size * normal(random);
    yield { at, user: '', success: random() < Math.min(1, MEAN * ratioAt(traffic, dayOf(at)) + wobble) };
  }
}

function* arrivals({ perHour, days }: Traffic, random: () => number, times: (at: number) => number): Iterable<number> {
  const stepMs = perHour >= 60 ? 60_000 : HOUR;
  for (let begin = MONDAY_MS; begin < MONDAY_MS + days * DAY; begin += stepMs) {
    const count = poisson((perHour * times(begin) * stepMs) / HOUR, random);
    for (let index = 0; index < count; index += 1) yield begin + ((index + 0.5) / count) * stepMs;
  }
}

export function dayOf(at: number): number {
  return Math.floor((at - MONDAY_MS) / DAY);
}

/** Success rates of users, with this mean and this correlation within users. */
function beta(mean: number, correlation: number, random: () => number): number {
  const size = 1 / correlation - 1;
  const good = gamma(mean * size, random);
  return good / (good + gamma((1 - mean) * size, random));
}

/** Marsaglia and Tsang. */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
