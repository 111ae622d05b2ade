/**
 * Is one version worse than another online, asked by someone who looks every hour for 14 days? Measures how often equal
 * versions are ever called better or worse, how often a real fall is found, and whether intervals hold the true value. The reference is a test for
 * unrelated conversations at every look, which is what a page without `statistics/compare/online` would show.
 *
 * Detection races the same two versions. `ours` is what the surfaces show: its verdict, or the comparison's.
 *
 * A user has all conversations with one version, and an own ability (a beta variable), so that the correlation within
 * users (ICC) is given.
 */
import { designEffectOf } from '../src/statistics/compare/online/related.ts';
import { differenceOf, type Valued } from '../src/statistics/compare/online/compare-online.ts';
import { shareOf } from '../src/statistics/calibrate/estimate.ts';
import { fisher } from '../src/statistics/compare/exact-tests.ts';
import { Detection } from '../src/statistics/detect/detection.ts';
import type { Observation } from '../src/statistics/detect/observation.ts';
import { gamma } from '../src/statistics/compare/gamma.ts';
import { randomFrom } from '../src/model/random.ts';
import type { BenchRow } from './row.ts';

const HOUR_MS = 3_600_000;
const DAYS = 14;
const ALPHA = 0.05;
const SUCCESS = 0.85;
/** Success of hard and of other conversations, where they are told apart. */
const BY_KIND = { hard: 0.65, usual: 0.92 };

export interface OnlineWorld {
  readonly name: string;
  /** Conversations of a user. */
  readonly size: number;
  readonly icc: number;
  readonly isNamed: boolean;
  /** When a user's conversations are: one after the other, within a day, or at any time. */
  readonly come: 'back_to_back' | 'in_a_day' | 'any_time';
  /** Number of each version. */
  readonly conversations: number;
  /** Difference of b from a. */
  readonly change: number;
  /** Share of hard conversations in a and in b; undefined where there is one kind. */
  readonly hard?: readonly [number, number];
}

const USERS = { icc: 0.25, isNamed: true, come: 'any_time', conversations: 2000, change: 0 } as const;
export const ONLINE_WORLDS: readonly OnlineWorld[] = [
  { ...USERS, name: 'unrelated', size: 1, icc: 0 },
  { ...USERS, name: 'users of 5', size: 5 },
  { ...USERS, name: 'users of 5, few', size: 5, conversations: 500 },
  { ...USERS, name: 'users of 20', size: 20, icc: 0.3 },
  { ...USERS, name: 'users of 20, few', size: 20, icc: 0.3, conversations: 500 },
  { ...USERS, name: 'users of 20, back to back', size: 20, icc: 0.3, come: 'back_to_back' },
  { ...USERS, name: 'harder mix', size: 1, icc: 0, hard: [0.25, 0.4] },
  { ...USERS, name: 'harder mix, users of 5', size: 5, hard: [0.25, 0.4] },
  { ...USERS, name: 'unnamed, back to back', size: 20, icc: 0.3, isNamed: false, come: 'back_to_back' },
  {
    ...USERS,
    name: 'unnamed, few, back to back',
    size: 20,
    icc: 0.3,
    isNamed: false,
    come: 'back_to_back',
    conversations: 500,
  },
  { ...USERS, name: 'unnamed of 5, back to back', size: 5, isNamed: false, come: 'back_to_back' },
  { ...USERS, name: 'unnamed, at any time', size: 20, icc: 0.3, isNamed: false },
  { ...USERS, name: '10 points worse, users of 5', size: 5, change: -0.1 },
  { ...USERS, name: '10 points worse, users of 5, 500', size: 5, change: -0.1, conversations: 500 },
  { ...USERS, name: '5 points worse, users of 5', size: 5, change: -0.05 },
];

export function benchOnline({
  runs,
  seed,
  worlds = ONLINE_WORLDS,
}: {
  readonly runs: number;
  readonly seed: number;
  readonly worlds?: readonly OnlineWorld[];
}) {
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  for (const world of worlds) {
    const found = {
      shown: 0,
      raced: 0,
      called: 0,
      wrong: 0,
      peeked: 0,
      fixed: 0,
      difference: 0,
      rate: 0,
      naive: 0,
      width: 0,
    };
    for (let run = 0; run < runs; run += 1) {
      const one = runOf(world, seed * 100_003 + run);
      found.called += one.isCalled ? 1 : 0;
      found.raced += one.isRaced ? 1 : 0;
      found.shown += one.isCalled || one.isRaced ? 1 : 0;
      found.wrong += one.isWrong ? 1 : 0;
      found.peeked += one.isPeeked ? 1 : 0;
      found.fixed += one.isFixed ? 1 : 0;
      found.difference += one.covers ? 1 : 0;
      found.rate += one.coversRate ? 1 : 0;
      found.naive += one.coversNaive ? 1 : 0;
      found.width += one.width / runs;
    }
    const of = (count: number) => Number((count / runs).toFixed(4));
    rows.push({
      name: `ever called better or worse: ${world.name}`,
      ours: of(found.shown),
      reference: of(found.peeked),
      ratio: Number((found.shown / Math.max(1, found.peeked)).toFixed(4)),
    });
    const percent = (count: number) =>
      `${((100 * count) / runs).toFixed(1)} ± ${(100 * error(count / runs, runs)).toFixed(1)} %`;
    notes.push(
      `${world.name}: called ${percent(found.shown)} (compared ${percent(found.called)}, raced ${percent(found.raced)}), in the wrong direction ${percent(found.wrong)}; unrelated, one look ${percent(found.fixed)}; the difference is in its interval ${percent(found.difference)} (width ${found.width.toFixed(3)}), the rate in its ${percent(found.rate)}, unrelated ${percent(found.naive)}`,
    );
  }
  return { rows, notes };
}

function error(share: number, of: number): number {
  return Math.sqrt(Math.max(share * (1 - share), 1 / of) / of);
}

function runOf(world: OnlineWorld, seed: number) {
  const random = randomFrom(seed);
  const [a, b] = [valuesOf(world, 0, random), valuesOf(world, 1, random)];
  let isCalled = false;
  let isWrong = false;
  let isPeeked = false;
  const [seenA, seenB] = [counting(a), counting(b)];
  const race = raceOf(world, a, b, random);
  for (let hour = 1; hour <= DAYS * 24; hour += 1) {
    const [ofA, ofB] = [seenA(hour * HOUR_MS), seenB(hour * HOUR_MS)];
    if (ofA.values.length === 0 || ofB.values.length === 0) continue;
    race.upTo(hour * HOUR_MS);
    isPeeked ||= ofA.values.length >= 30 && ofB.values.length >= 30 && isFar(ofA, ofB);
    if (isCalled) continue;
    const found = differenceOf(ofA.values, ofB.values, CALLED);
    if ('because' in found || found.p > ALPHA) continue;
    isCalled = true;
    isWrong = world.change === 0 || found.change.value > 0 !== world.change > 0;
  }
  const found = differenceOf(a, b, CALLED);
  if ('because' in found) throw new Error('both have conversations');
  const [lower, upper] = [found.change.lower(ALPHA / 2), found.change.upper(ALPHA / 2)];
  const passes = a.filter(({ value }) => value === 1).length;
  const effect = designEffectOf(a);
  const [rate, naive] = [shareOf(passes / effect, a.length / effect), shareOf(passes, a.length)];
  const truth = rateOf(world, 0);
  const covers = (of: typeof rate) => of !== undefined && of.lower <= truth && truth <= of.upper;
  const [ofA, ofB] = [passes, b.filter(({ value }) => value === 1).length];
  return {
    isCalled,
    isRaced: race.verdict() !== undefined,
    isWrong: isWrong || (race.verdict() !== undefined && (world.change === 0 || race.verdict() === 'better')),
    isPeeked,
    isFixed: fisher({ passes: ofA, of: a.length }, { passes: ofB, of: b.length }).p <= ALPHA,
    covers: lower <= world.change && world.change <= upper,
    coversRate: covers(rate),
    coversNaive: covers(naive),
    width: upper - lower,
  };
}

const CALLED = { a: 'a', b: 'b' };

/** By time: those until then, and how many of them succeeded. */
function counting(values: readonly Valued[]) {
  let upTo = 0;
  let passes = 0;
  return (time: number) => {
    for (; upTo < values.length && (values[upTo]?.at ?? 0) <= time; upTo += 1) passes += values[upTo]?.value ?? 0;
    return { values: values.slice(0, upTo), passes };
  };
}

/** Detection, which has seen two weeks of version a before. */
function raceOf(world: OnlineWorld, a: readonly Valued[], b: readonly Valued[], random: () => number) {
  const detection = new Detection();
  const begin = DAYS * 24 * HOUR_MS;
  const observe = ({ user, kind, value, at }: Valued, version: string) =>
    detection.observe({
      ...OBSERVED,
      version,
      segment: kind,
      user: user === undefined ? '' : String(user),
      at,
      score: value,
      outcome: value === 1 ? 'successful_completion' : 'partial_failure',
    });
  for (const one of valuesOf({ ...world, conversations: 500 }, 0, random))
    observe({ ...one, user: one.user === undefined ? undefined : one.user + 500_000 }, 'a');
  const all = [...a.map((one) => ({ one, version: 'a' })), ...b.map((one) => ({ one, version: 'b' }))].toSorted(
    (x, y) => x.one.at - y.one.at,
  );
  let next = 0;
  let verdict: 'worse' | 'better' | undefined;
  return {
    upTo: (time: number) => {
      for (; next < all.length; next += 1) {
        const { one, version } = all[next] ?? {};
        if (one === undefined || version === undefined || one.at > time) break;
        observe({ ...one, at: begin + one.at }, version);
      }
      for (const reading of detection.readings())
        if (reading.of === 'version' && (reading.race.verdict === 'worse' || reading.race.verdict === 'better'))
          verdict ??= reading.race.verdict;
    },
    verdict: () => verdict,
  };
}

const OBSERVED: Omit<Observation, 'version' | 'segment' | 'user' | 'at' | 'score' | 'outcome'> = {
  suite: 'bench',
  agent: 'bench',
  environment: 'bench',
  traits: [],
  judgedBy: '',
  judged: new Set(),
  verdicts: [],
  weights: new Map(),
  costUsd: undefined,
  steps: 3,
};

type Seen = ReturnType<ReturnType<typeof counting>>;

/** A z-test at 5 %, as if conversations were unrelated. */
function isFar(a: Seen, b: Seen): boolean {
  const [ofA, ofB] = [a.values.length, b.values.length];
  const pooled = (a.passes + b.passes) / (ofA + ofB);
  const far = Math.sqrt(pooled * (1 - pooled) * (1 / ofA + 1 / ofB));
  return far > 0 && Math.abs(a.passes / ofA - b.passes / ofB) / far > 1.96;
}

function rateOf({ hard, change }: OnlineWorld, side: 0 | 1): number {
  const share = hard?.[side];
  const usual = share === undefined ? SUCCESS : share * BY_KIND.hard + (1 - share) * BY_KIND.usual;
  return usual + (side === 1 ? change : 0);
}

function valuesOf(world: OnlineWorld, side: 0 | 1, random: () => number): readonly Valued[] {
  const { size, icc, isNamed, come, conversations, change, hard } = world;
  const values: Valued[] = [];
  const whole = DAYS * 24 * HOUR_MS;
  const gap = whole / conversations;
  for (let user = 0; user * size < conversations; user += 1) {
    const from = random() * (come === 'in_a_day' ? whole - 24 * HOUR_MS : whole - size * gap);
    // A place in the distribution of abilities, the same for each kind of conversation.
    const abilities = { hard: 0, usual: 0, any: 0 };
    const spread = icc === 0 ? undefined : 1 / icc - 1;
    const shift = side === 1 ? change : 0;
    const ability = (rate: number, seed: number) => {
      if (spread === undefined) return rate;
      const own = randomFrom(seed);
      const [x, y] = [gammaOf(rate * spread, own), gammaOf((1 - rate) * spread, own)];
      return x / (x + y);
    };
    const own = Math.floor(random() * 2 ** 31);
    abilities.any = ability(SUCCESS + shift, own);
    abilities.hard = ability(BY_KIND.hard + shift, own);
    abilities.usual = ability(BY_KIND.usual + shift, own);
    for (let one = 0; one < size && values.length < conversations; one += 1) {
      const kind = hard === undefined ? 'any' : random() < hard[side] ? 'hard' : 'usual';
      const at =
        come === 'back_to_back'
          ? (user * size + one) * gap
          : from + (come === 'in_a_day' ? random() * 24 * HOUR_MS : 0);
      values.push({
        user: isNamed ? side * 1_000_000 + user : undefined,
        conversation: side * 1_000_000 + values.length,
        kind,
        at: come === 'any_time' ? random() * whole : at,
        value: random() < abilities[kind] ? 1 : 0,
      });
    }
  }
  return values.toSorted((x, y) => x.at - y.at);
}

/** For shapes below 1 as well. */
function gammaOf(shape: number, random: () => number): number {
  return shape >= 1 ? gamma(shape, random) : gamma(shape + 1, random) * random() ** (1 / shape);
}
