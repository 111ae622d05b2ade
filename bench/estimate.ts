/**
 * npm run bench -- estimate [--runs <worlds a cell>] [--seed <n>] [--data <conversations with a reward>] [--json]
 *
 * Does the interval of the success rate hold the truth, and what are suites and predictions worth? Worlds have success
 * rates from .02 to .98 and predictions that know nothing, something or much; readings are drawn as the queue draws
 * them. With `--data` (the form of `bench -- validity`) the world is that of real conversations, told apart by what the
 * suite `default` says of them, and read in orders by chance; `--half a|b` takes every other task of it.
 *
 *     … missed at n             share of worlds whose interval misses the truth at n readings; the reference is .05
 *     … ever missed             the same of whoever looks after each of 100 readings and stops when it suits them
 *     … missed where advised    the same of whoever stops when the queue says that more would hardly narrow it
 *     … width at n              mean width; the reference is the exact interval of the same kind from the same readings
 *                               by chance alone, with nothing known
 *     … width by correlation    the same ratio, over √(1 − ρ²) of prediction and truth
 *     … bias at n               mean of estimate less truth, and its root mean square
 */
import { randomFrom } from '../src/model/random.ts';
import { isGood } from '../src/model/severity.ts';
import { isEnough } from '../src/statistics/estimate/advice.ts';
import { beliefsOf } from '../src/statistics/estimate/beliefs.ts';
import { type Beliefs, type Cell, type Draw, logEvidence, logFactors } from '../src/statistics/estimate/evidence.ts';
import { type FrameCell, NOTHING_CERTAIN } from '../src/statistics/estimate/frame.ts';
import { AGAINST, notContradicted } from '../src/statistics/estimate/interval.ts';
import { RATE_OF_FAULTY } from '../src/store/frame-reader.ts';
import { saidOfTau, type TauSaid } from './validity.ts';
import type { BenchRow } from './row.ts';

const READINGS = [20, 30, 50, 100];
const RATES = [0.02, 0.1, 0.3, 0.5, 0.8, 0.95, 0.98];
/** Slope of the logit of success in what the prediction sees. */
const KNOWING = { nothing: 0, something: 1, much: 2.5 } as const;
const CONVERSATIONS = 1000;
const PARTS = 10;
/** Widths need a search for each, so they are taken of one world in so many. */
const WIDTHS_OF = 40;
const LEVEL = 0.05;

interface World {
  readonly cells: readonly FrameCell[];
  /** In the order of the draw. */
  readonly draws: readonly Draw[];
  /** By chance alone. */
  readonly plain: readonly Draw[];
  readonly truth: number;
  /** Correlation of prediction and truth. */
  readonly rho: number;
}

interface EstimateBench {
  readonly runs: number;
  readonly seed: number;
  readonly data?: { readonly file: string; readonly half: 'a' | 'b' } | undefined;
}

export async function benchEstimate({ runs, seed, data }: EstimateBench) {
  const random = randomFrom(seed);
  const rows: BenchRow[] = [];
  if (data !== undefined) {
    const said = (await saidOfTau(data.file)).filter(({ task }) => task % 2 === (data.half === 'a' ? 0 : 1));
    rows.push(...measured(`tau ${data.half}`, runs, () => ofReal(said, random)));
  } else {
    for (const rate of RATES)
      for (const [knows, slope] of Object.entries(KNOWING))
        rows.push(...measured(`rate ${rate}, knows ${knows}`, runs, () => madeWorld({ rate, slope }, random)));
  }
  const missed = rows.filter(({ name }) => name.includes('missed'));
  const worst = missed.reduce((one, other) => (other.ours > one.ours ? other : one));
  const error = Math.sqrt((LEVEL * (1 - LEVEL)) / runs);
  return {
    rows,
    notes: [
      `seed ${seed}, ${runs} worlds a cell, Monte-Carlo error ${error.toFixed(4)} at .05`,
      `missed most: ${worst.name}, ${worst.ours}`,
    ],
  };
}

/** Success depends on what the prediction sees; the suite calls fine what it sees as more than the middle. */
function madeWorld({ rate, slope }: { readonly rate: number; readonly slope: number }, random: () => number): World {
  const seen = Array.from({ length: CONVERSATIONS }, () => normal(random)).toSorted((a, b) => a - b);
  let [low, high] = [-15, 15];
  for (let halving = 0; halving < 40; halving += 1) {
    const middle = (low + high) / 2;
    if (mean(seen.map((one) => chanceAt(middle + slope * one))) < rate) low = middle;
    else high = middle;
  }
  const size = CONVERSATIONS / PARTS;
  const all = seen.map((one, at) => {
    const chance = chanceAt(low + slope * one);
    return { cell: Math.floor(at / size), chance, isGood: random() < chance };
  });
  // A prediction that knows nothing is as sure of itself as one that knows something.
  const predicted = (cell: number) =>
    mean(seen.slice(cell * size, (cell + 1) * size).map((one) => chanceAt(slope === 0 ? one : low + slope * one)));
  const cells = Array.from({ length: PARTS }, (_, cell) => {
    const isCalledFine = cell >= PARTS / 2;
    return {
      ...{ group: isCalledFine ? 'fine' : 'faulty', isCalledFine, rate: isCalledFine ? 1 : RATE_OF_FAULTY },
      ...{ predicted: predicted(cell), size },
    };
  });
  const rho = correlation(all.map(({ cell, isGood }) => [cells[cell]?.predicted ?? 0, Number(isGood)]));
  const truth = mean(all.map(({ isGood }) => Number(isGood)));
  return { cells, draws: drawn(all, cells, random), plain: drawn(all, [], random), truth, rho };
}

function ofReal(said: readonly TauSaid[], random: () => number): World {
  const groups = [...Map.groupBy(said, ({ called }) => called)];
  const cells = groups.map(([group, own]) => {
    const isCalledFine = isGood(group);
    return { group, isCalledFine, rate: isCalledFine ? 1 : RATE_OF_FAULTY, size: own.length };
  });
  const all = groups.flatMap(([, own], cell) => own.map(({ isRewarded }) => ({ cell, isGood: isRewarded })));
  const shares = groups.map(([, own]) => mean(own.map(({ isRewarded }) => Number(isRewarded))));
  const rho = correlation(all.map(({ cell, isGood }) => [shares[cell] ?? 0, Number(isGood)]));
  const truth = mean(all.map(({ isGood }) => Number(isGood)));
  return { cells, draws: drawn(all, cells, random), plain: drawn(all, [], random), truth, rho };
}

function drawn(all: readonly Draw[], cells: readonly Cell[], random: () => number): readonly Draw[] {
  return all
    .map((draw) => ({ draw, turn: -Math.log(1 - random()) / (cells[draw.cell]?.rate ?? 1) }))
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, READINGS.at(-1))
    .map(({ draw }) => ({ cell: draw.cell, isGood: draw.isGood }));
}

function measured(name: string, runs: number, make: () => World): readonly BenchRow[] {
  const missedAt = new Map(READINGS.map((count) => [count, 0]));
  let everMissed = 0;
  let missedAdvised = 0;
  const widths: Width[] = [];
  for (let run = 0; run < runs; run += 1) {
    const world = make();
    const beliefs = beliefsOf(world.cells, world.draws);
    const supposed = { total: world.truth * sizeOf(world.cells), weights: world.cells.map(() => 1) };
    let log = 0;
    const path = logFactors(world.cells, world.draws, beliefs, supposed).logs.map((one) => (log += one));
    const isMissed = (count: number) => (path[Math.min(count, path.length) - 1] ?? 0) >= AGAINST;
    for (const count of READINGS) if (isMissed(count)) missedAt.set(count, (missedAt.get(count) ?? 0) + 1);
    if (path.some((log) => log >= AGAINST)) everMissed += 1;
    if (run % WIDTHS_OF !== 0) continue;
    for (const count of READINGS) if (count < sizeOf(world.cells)) widths.push(widthAt(world, beliefs, count));
    if (isMissed(advisedOf(world))) missedAdvised += 1;
  }
  const row = (what: string, ours: number, reference: number): BenchRow => ({
    name: `${name}: ${what}`,
    ...{ ours: rounded(ours), reference: rounded(reference), ratio: rounded(ours / reference) },
  });
  return [
    ...READINGS.map((count) => row(`missed at ${count}`, (missedAt.get(count) ?? 0) / runs, LEVEL)),
    row('ever missed', everMissed / runs, LEVEL),
    row('missed where advised', missedAdvised / Math.ceil(runs / WIDTHS_OF), LEVEL),
    ...READINGS.flatMap((count) => {
      const own = widths.filter((one) => one.count === count);
      // All were read.
      if (own.length === 0) return [];
      const [ours, alone] = [mean(own.map((one) => one.ours)), mean(own.map((one) => one.alone))];
      const known = Math.sqrt(1 - mean(own.map((one) => one.rho)) ** 2);
      return [
        row(`width at ${count}`, ours, alone),
        row(`width by correlation at ${count}`, ours / alone, known),
        row(`bias at ${count}`, mean(own.map((one) => one.off)), Math.sqrt(mean(own.map((one) => one.off ** 2)))),
      ];
    }),
  ];
}

interface Width {
  readonly count: number;
  readonly ours: number;
  readonly alone: number;
  readonly off: number;
  readonly rho: number;
}

function widthAt({ cells, draws, plain: byChance, truth, rho }: World, beliefs: Beliefs, count: number): Width {
  const size = sizeOf(cells);
  const ours = intervalOf(cells, draws.slice(0, count), beliefs);
  const alone = [{ size, rate: 1 }];
  const plain = byChance.slice(0, count).map(({ isGood }) => ({ cell: 0, isGood }));
  const byShare = plain.map((_, at) => [(plain.slice(0, at).filter(({ isGood }) => isGood).length + 0.5) / (at + 1)]);
  const reference = intervalOf(alone, plain, byShare);
  return {
    ...{ count, rho, off: ours.value - truth },
    ...{ ours: ours.upper - ours.lower, alone: reference.upper - reference.lower },
  };
}

function intervalOf(cells: readonly Cell[], draws: readonly Draw[], beliefs: Beliefs) {
  const size = sizeOf(cells);
  const good = draws.filter(({ isGood }) => isGood).length;
  const weights = cells.map(() => 1);
  return notContradicted(
    (share) => logEvidence(cells, draws, beliefs, { total: share * size, weights }),
    [good / size, 1 - (draws.length - good) / size],
  );
}

/** Readings after which the queue says that it is enough, or all. */
function advisedOf({ cells, draws }: World): number {
  const frame = (count: number) => ({
    ...{ cells, certain: NOTHING_CERTAIN, disagreement: 0 },
    draws: draws
      .slice(0, count)
      .map(({ cell, isGood }) => ({ cell, answer: isGood ? ('good' as const) : ('bad' as const) })),
  });
  for (let count = 20; count < draws.length; count += 10) if (isEnough(frame(count))) return count;
  return draws.length;
}

function sizeOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { size }) => sum + size, 0);
}

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const [x, y] = [mean(pairs.map(([one]) => one)), mean(pairs.map(([, other]) => other))];
  const [xx, yy] = [mean(pairs.map(([one]) => (one - x) ** 2)), mean(pairs.map(([, other]) => (other - y) ** 2))];
  const xy = mean(pairs.map(([one, other]) => (one - x) * (other - y)));
  return xx * yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
}

function chanceAt(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
