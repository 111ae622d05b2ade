/**
 * How often the bounds of src/statistics/compare err, by simulation: of many samples, the share in which the true figure lies beyond a bound that it should lie beyond in
 * a share `tail` at most. Prints the share over the tail, so that 1 is what was asked for and less is caution.
 *
 *     npm run coverage:compare                 all of it, an hour
 *     npm run coverage:compare -- --rounds 500 --only paired
 *     npm run coverage:compare -- --rounds 40000 --tails 0.0005,0.005 --sizes 20,50 --only 'paired, share 0.8 less 0.1, 1'
 */
import { parseArgs } from 'node:util';
import {
  pairedChange,
  pairedEffortChange,
  unpairedChange,
  unpairedEffortChange,
} from '../src/statistics/compare/change.ts';
import type { Estimated, NotEstimable } from '../src/model/estimated.ts';
import { levelOfEffort, levelOfShares } from '../src/statistics/compare/level.ts';
import type { CaseEffort } from '../src/statistics/compare/measure.ts';
import { randomFrom } from '../src/model/random.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4000' },
    only: { type: 'string' },
    tails: { type: 'string', default: '0.1,0.05,0.025' },
    sizes: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const random = randomFrom(Number(values.seed));
const SIZES = [10, 20, 50, 100, 200];
const TAILS = values.tails.split(',').map(Number);

interface World {
  readonly name: string;
  readonly truth: number;
  readonly sizes: readonly number[];
  /** Bounds by drawing take their time: a tenth of the rounds. */
  readonly isSlow: boolean;
  draw(cases: number): Estimated | NotEstimable;
}

const worlds: World[] = [];

// Each case passes with a chance of its own, so that repeats of it are alike; the mean of the chances is the share.
for (const share of [0.5, 0.8, 0.95, 1])
  for (const repeats of [1, 5])
    worlds.push({
      name: `level, share ${share}, ${repeats} runs`,
      truth: share,
      sizes: SIZES,
      isSlow: false,
      draw: (cases) => levelOfShares(times(cases, () => passes(chanceAround(share), repeats))),
    });

const FIFTHS: readonly (readonly [string, readonly number[]])[] = [
  ['even', [1, 1, 1, 1, 1, 1]],
  ['mostly 1', [1, 0, 0, 1, 3, 15]],
  ['0 or 1 rarely', [1, 0, 0, 0, 19, 0]],
];
for (const [name, weights] of FIFTHS)
  worlds.push({
    name: `level, scores in fifths, ${name}`,
    truth: meanOfFifths(weights),
    sizes: SIZES,
    isSlow: false,
    draw: (cases) => levelOfShares(times(cases, () => fifth(weights))),
  });

// Pairs are alike as far as the chance of the case is the same in both; `less` is what b lost.
for (const [share, less] of [
  [0.5, 0],
  [0.8, 0],
  [0.95, 0],
  [1, 0],
  [0.8, 0.1],
  [0.95, 0.05],
  [1, 0.05],
] as const)
  for (const repeats of [1, 5])
    worlds.push({
      name: `paired, share ${share} less ${less}, ${repeats} runs`,
      truth: -less,
      sizes: SIZES,
      isSlow: false,
      draw: (cases) =>
        pairedChange(
          times(cases, () => {
            const chance = chanceAround(share);
            // So much of each chance is lost that the mean falls by `less`.
            return [passes(chance, repeats), passes(chance * (1 - less / share), repeats)] as const;
          }),
        ),
    });
for (const [name, weights] of FIFTHS)
  worlds.push({
    name: `paired, scores in fifths, ${name}, half of them the same`,
    truth: 0,
    sizes: SIZES,
    isSlow: false,
    draw: (cases) =>
      pairedChange(
        times(cases, () => {
          const a = fifth(weights);
          return [a, random() < 0.5 ? a : fifth(weights)] as const;
        }),
      ),
  });

for (const [a, b] of [
  [0.5, 0.5],
  [0.8, 0.8],
  [0.95, 0.95],
  [1, 0.95],
] as const)
  worlds.push({
    name: `unpaired, shares ${a} and ${b}`,
    truth: b - a,
    sizes: [10, 20, 50],
    isSlow: true,
    draw: (cases) =>
      unpairedChange(
        times(cases, () => passes(a, 1)),
        times(cases, () => passes(b, 1)),
      ),
  });

// Costs are lognormal; the first spread is what cases differ by, the second what runs of the same case do.
for (const success of [0.5, 0.8, 1])
  for (const [between, within] of [
    [0.5, 0.1],
    [0.5, 0.5],
    [1, 0.3],
  ] as const) {
    const typical = Math.exp((between ** 2 + within ** 2) / 2);
    const effort = (scale: number): CaseEffort => ({
      effort: scale * Math.exp(within * normal()),
      success: random() < success ? 1 : 0,
    });
    const name = `success ${success}, costs ±${between} between cases and ±${within} within`;
    worlds.push({
      name: `effort level, ${name}`,
      truth: typical / success,
      sizes: [10, 20, 50],
      isSlow: true,
      draw: (cases) => levelOfEffort(times(cases, () => effort(Math.exp(between * normal())))),
    });
    for (const risen of [1, 1.3])
      worlds.push({
        name: `effort paired, risen ${risen}, ${name}`,
        truth: risen - 1,
        sizes: [10, 20, 50],
        isSlow: true,
        draw: (cases) =>
          pairedEffortChange(
            times(cases, () => {
              const scale = Math.exp(between * normal());
              return [effort(scale), effort(scale * risen)] as const;
            }),
          ),
      });
    worlds.push({
      name: `effort unpaired, ${name}`,
      truth: 0,
      sizes: [10, 20, 50],
      isSlow: true,
      draw: (cases) =>
        unpairedEffortChange(
          times(cases, () => effort(Math.exp(between * normal()))),
          times(cases, () => effort(Math.exp(between * normal()))),
        ),
    });
  }

console.log(`| world | cases | ${TAILS.map((tail) => `below at ${tail} | above at ${tail} | `).join('')}width |`);
console.log(`|---|---|${TAILS.map(() => '---|---|').join('')}---|`);
for (const world of worlds) {
  if (values.only !== undefined && !world.name.includes(values.only)) continue;
  for (const cases of values.sizes?.split(',').map(Number) ?? world.sizes) run(world, cases);
}

function run(world: World, cases: number): void {
  const count = world.isSlow ? Math.ceil(rounds / 10) : rounds;
  const erred = TAILS.map(() => ({ lower: 0, upper: 0 }));
  let width = 0;
  let drawn = 0;
  for (let round = 0; round < count; round += 1) {
    const estimated = world.draw(cases);
    if ('because' in estimated) continue;
    drawn += 1;
    for (const [index, tail] of TAILS.entries()) {
      // The cast holds: there is one for each tail.
      const count = erred[index] as { lower: number; upper: number };
      const [lower, upper] = [estimated.lower(tail), estimated.upper(tail)];
      if (lower > world.truth + 1e-9) count.lower += 1;
      if (upper < world.truth - 1e-9) count.upper += 1;
      if (index === TAILS.length - 1) width += upper - lower;
    }
  }
  const ratio = (count: number, tail: number) => (count / drawn / tail).toFixed(2);
  const shown = TAILS.map((tail, index) => {
    // The cast holds: there is one for each tail.
    const { lower, upper } = erred[index] as { lower: number; upper: number };
    return `${ratio(upper, tail)} | ${ratio(lower, tail)} | `;
  });
  console.log(`| ${world.name} | ${cases} | ${shown.join('')}${(width / drawn).toFixed(3)} |`);
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

/** Half the cases are easy and half are hard, with the share between them. */
function chanceAround(share: number): number {
  const room = Math.min(share, 1 - share);
  return random() < 0.5 ? share - room : share + room;
}

function passes(chance: number, repeats: number): number {
  let passed = 0;
  for (let repeat = 0; repeat < repeats; repeat += 1) passed += random() < chance ? 1 : 0;
  return passed / repeats;
}

function fifth(weights: readonly number[]): number {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return index / 5;
}

function meanOfFifths(weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.reduce((sum, weight, index) => sum + (weight * index) / 5, 0) / total;
}

function normal(): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-10)) * Math.cos(2 * Math.PI * random());
}
