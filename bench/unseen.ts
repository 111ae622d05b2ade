/**
 * npm run bench -- unseen [--runs <samples a cell>] [--seed <n>] [--json]
 *
 * How often does the interval for failures of a kind that nobody has seen hold the true chance? Kinds are alike, or some
 * are much more common than others, up to worlds made to break it.
 *
 *     held at n     least share of samples of n failures whose interval holds the truth, over all worlds; the reference
 *                   is Esty's interval of 1983
 *     width at n    mean width over all worlds; likewise
 */
import { randomFrom } from '../src/model/random.ts';
import { unseenShare } from '../src/statistics/discovery/unseen.ts';
import type { BenchRow } from './row.ts';

const FAILURES = [5, 10, 20, 50, 100];
const Z = 1.96;

/** Chances of kinds. */
export const UNSEEN_WORLDS: Readonly<Record<string, readonly number[]>> = {
  ...Object.fromEntries([2, 3, 5, 10, 20, 50, 100, 1000].map((kinds) => [`${kinds} alike`, uniform(kinds)])),
  ...Object.fromEntries(
    [
      [20, 1],
      [100, 1],
      [1000, 1],
      [100, 1.5],
      [30, 2],
    ].map(([kinds = 0, power]) => [`Zipf ${power} over ${kinds}`, zipf(kinds, power)]),
  ),
  ...Object.fromEntries(
    [
      [0.5, 1000],
      [0.8, 1000],
      [0.95, 1000],
      [0.7, 3],
      [0.9, 2],
      [0.9, 5],
      [0.95, 3],
    ].map(([big = 0, others = 1]) => [
      `one of ${big} and ${others} others`,
      [big, ...uniform(others).map((chance) => chance * (1 - big))],
    ]),
  ),
};

interface Interval {
  readonly lower: number;
  readonly upper: number;
}

interface Counts {
  readonly failures: number;
  readonly once: number;
  readonly twice: number;
}

export function benchUnseen({ runs, seed }: { readonly runs: number; readonly seed: number }) {
  const random = randomFrom(seed);
  const rows = FAILURES.flatMap((failures): readonly BenchRow[] => {
    const worlds = Object.values(UNSEEN_WORLDS).map((chances) => samplesOf({ chances, failures, runs }, random));
    const [ours, estys] = [oursOf, estyOf].map((interval) => worlds.map((samples) => heldBy(interval, samples)));
    const held = (of: typeof ours) => Math.min(...(of ?? []).map((one) => one.held));
    const width = (of: typeof ours) => mean((of ?? []).map((one) => one.width));
    return [
      row(`held at ${failures}`, held(ours), held(estys)),
      row(`width at ${failures}`, width(ours), width(estys)),
    ];
  });
  return { rows, notes: [`seed ${seed}, ${runs} samples a world, ${Object.keys(UNSEEN_WORLDS).length} worlds`] };
}

interface Sample {
  readonly counts: Counts;
  /** Chance of all kinds that are not in it. */
  readonly mass: number;
}

export function samplesOf(
  {
    chances,
    failures,
    runs,
  }: { readonly chances: readonly number[]; readonly failures: number; readonly runs: number },
  random: () => number,
): readonly Sample[] {
  return Array.from({ length: runs }, () => {
    const seen = new Map<number, number>();
    for (let draw = 0; draw < failures; draw += 1) {
      const kind = drawn(chances, random());
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    const times = (count: number) => [...seen.values()].filter((one) => one === count).length;
    const mass = 1 - [...seen.keys()].reduce((sum, kind) => sum + (chances[kind] ?? 0), 0);
    return { counts: { failures, once: times(1), twice: times(2) }, mass: Math.max(0, mass) };
  });
}

export function heldBy(intervalOf: (counts: Counts) => Interval, samples: readonly Sample[]) {
  const intervals = samples.map(({ counts, mass }) => ({ ...intervalOf(counts), mass }));
  return {
    held: mean(intervals.map(({ lower, upper, mass }) => Number(lower <= mass + SLACK && mass <= upper + SLACK))),
    width: mean(intervals.map(({ lower, upper }) => upper - lower)),
  };
}

const SLACK = 1e-9;

export function oursOf(counts: Counts): Interval {
  return unseenShare({ ...counts, unnamed: 0 }) ?? { lower: 0, upper: 1 };
}

function estyOf({ failures, once, twice }: Counts): Interval {
  const spread = (Z * Math.sqrt(once * (1 - once / failures) + 2 * twice)) / failures;
  return { lower: once / failures - spread, upper: once / failures + spread };
}

function drawn(chances: readonly number[], at: number): number {
  let rest = at;
  for (const [kind, chance] of chances.entries()) {
    rest -= chance;
    if (rest < 0) return kind;
  }
  return chances.length - 1;
}

function uniform(kinds: number): readonly number[] {
  return Array.from({ length: kinds }, () => 1 / kinds);
}

function zipf(kinds: number, power = 1): readonly number[] {
  const weights = Array.from({ length: kinds }, (_, at) => (at + 1) ** -power);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function row(name: string, ours: number, reference: number): BenchRow {
  const round = (value: number) => Math.round(value * 10_000) / 10_000;
  return { name, ours: round(ours), reference: round(reference), ratio: round(ours / reference) };
}
