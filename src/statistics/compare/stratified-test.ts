/**
 * Did b pass less often than a, case by case? An exact conditional test over the runs of all cases (Birch, 1964), by the
 * likelihood ratio of what releases do to cases.
 *
 * If nothing changed, the runs of a case could as well have come in any other order. With the passes K of both sides
 * together given, the number that b has of a case is then hypergeometric:
 *
 *     P(passes of b = k) = C(n_b, k) C(n_a, K − k) / C(n_a + n_b, K)
 *
 * A release makes all cases a little worse, or breaks some entirely. So the evidence of a case is how much likelier its
 * k is if either happened, with K given; l is the chance that the case broke, by its K and its earlier runs:
 *
 *     e(k) = (1 − l) ωᵏ / E(ωᵏ) + l [k = 0] / P(0)
 *
 * Its mean is 1 if nothing changed. The product over cases is the evidence (an e-value), and p is the chance of as much
 * or more of it: cases are independent, so its logarithms, rounded to steps, are convolved. A sum of passes in place of e
 * finds two broken cases of twenty in a third as many gates, because flaky cases drown them (`bench -- release`).
 *
 * Earlier runs say which cases are flaky, and nothing of how good a was. So the test keeps its level if the agent, or
 * what it stands on, has changed since. Runs of a build may be alike; then k is beta-binomial on both sides
 * (`correlation.ts`).
 */
import type { PassedRuns } from '../../model/gate.ts';

/** A case: its runs in a and in b, and those of builds before a. */
export interface Stratum {
  readonly a: PassedRuns;
  readonly b: PassedRuns;
  readonly earlier?: PassedRuns | undefined;
}

interface WorseEvidence {
  /** Probability of as much evidence, or more, if nothing changed. 1 if there is nothing to compare. */
  readonly p: number;
  /** Natural logarithm of the e-value. */
  readonly log: number;
}

/** Share of cases that a bad release breaks, before anything is known; and the odds of a pass that it leaves to others. */
const BROKEN = 0.05;
const ODDS = 0.5;
/** Passes and failures that each case has before it is run (Jeffreys). */
const PRIOR = 0.5;
/** Passes and failures of a build by which a case may be bound: runs that never differed yet may. */
const ALIKE_MIN = 0.05;
/** Steps of the logarithm of evidence: as many as keep the convolution short, and no more than tell anything. */
const STEPS_OF_ONE = 64;
const STEPS_OF_ALL = 16_384;

/** Evidence that b passes less often. `correlation` is that of the runs of a case in one build. */
export function evidenceOfWorse(strata: readonly Stratum[], correlation = 0): WorseEvidence {
  const cases = strata.filter(mayDiffer).map((stratum) => evidenceByPasses(stratum, correlation));
  const reach = cases.reduce((sum, { logs }) => sum + Math.max(...logs) - Math.min(...logs), 0);
  const steps = Math.min(STEPS_OF_ONE, STEPS_OF_ALL / reach);
  let chances: Float64Array = Float64Array.of(1);
  let [seen, log] = [0, 0];
  for (const { logs, chances: own, at } of cases) {
    const places = logs.map((one) => Math.round(one * steps));
    const least = Math.min(...places);
    chances = convolved(
      chances,
      places.map((place) => place - least),
      own,
    );
    // The casts hold: what was seen is possible.
    seen += (places[at] as number) - least;
    log += logs[at] as number;
  }
  const from = chances.subarray(seen).reduce((sum, chance) => sum + chance, 0);
  return { p: Math.min(1, from), log };
}

/** The smallest probability that runs like these could have: with no pass in b. */
export function chanceOfNone(strata: readonly Stratum[], correlation = 0): number {
  return strata
    .map((stratum) => ({ ...stratum, b: { ...stratum.b, passes: 0 } }))
    .filter(mayDiffer)
    .reduce((product, none) => product * (lawOf(none, correlation)[0] ?? 1), 1);
}

/** Whether its runs have any other order: some passed, and some did not. */
export function mayDiffer({ a, b }: Stratum): boolean {
  const passes = a.passes + b.passes;
  return a.of > 0 && b.of > 0 && passes > 0 && passes < a.of + b.of;
}

function evidenceByPasses(stratum: Stratum, correlation: number) {
  const { a, b } = stratum;
  const least = leastOf(stratum);
  const chances = lawOf(stratum, correlation);
  const tilted = chances.map((_, index) => ODDS ** index);
  const mean = chances.reduce((sum, chance, index) => sum + chance * (tilted[index] as number), 0);
  const broken = least > 0 ? 0 : chanceOfBroken(stratum);
  const none = chances[0] as number;
  const logs = tilted.map((odds, index) =>
    Math.log((1 - broken) * (odds / mean) + (index === 0 && broken > 0 ? broken / none : 0)),
  );
  return { logs, chances, at: b.passes - least, of: a.of + b.of };
}

/** Passes that b has at least, with those of both sides given. */
function leastOf({ a, b }: Stratum): number {
  return Math.max(0, a.passes + b.passes - a.of);
}

/** Chances of the fewest passes of b, of one more, and so on. */
function lawOf(stratum: Stratum, correlation: number): readonly number[] {
  const { a, b } = stratum;
  const passes = a.passes + b.passes;
  const least = leastOf(stratum);
  const { passed, failed } = knownOf(stratum);
  const rate = (passed + passes) / (passed + failed + a.of + b.of);
  const alike = correlation > 0 ? Math.max(ALIKE_MIN, 1 / correlation - 1) : Number.POSITIVE_INFINITY;
  const logs = Array.from({ length: Math.min(b.of, passes) - least + 1 }, (_, index) => {
    const ofB = least + index;
    return (
      logOfPasses({ passes: ofB, of: b.of }, rate, alike) + logOfPasses({ passes: passes - ofB, of: a.of }, rate, alike)
    );
  });
  const most = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - most));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / whole);
}

/** Logarithm of the chance of so many passes: beta-binomial, and binomial where `alike` is infinite. */
function logOfPasses({ passes, of }: PassedRuns, rate: number, alike: number): number {
  const choose = logRising(of - passes + 1, passes) - logRising(1, passes);
  if (alike === Number.POSITIVE_INFINITY) return choose + passes * Math.log(rate) + (of - passes) * Math.log(1 - rate);
  const [good, bad] = [rate * alike, (1 - rate) * alike];
  return choose + logRising(good, passes) + logRising(bad, of - passes) - logRising(alike, of);
}

/** Chance that the case broke: with none in b, a has all of the passes. */
function chanceOfBroken(stratum: Stratum): number {
  const { a, b } = stratum;
  const passes = a.passes + b.passes;
  const { passed, failed } = knownOf(stratum);
  const same = logOfMixed({ passes, of: a.of + b.of }, passed, failed);
  const broken = logOfMixed({ passes, of: a.of }, passed, failed);
  return 1 / (1 + ((1 - BROKEN) / BROKEN) * Math.exp(same - broken));
}

/** Logarithm of the chance of so many passes of a case of which so much is known. */
function logOfMixed({ passes, of }: PassedRuns, passed: number, failed: number): number {
  return logOfPasses({ passes, of }, passed / (passed + failed), passed + failed);
}

function knownOf({ earlier = { passes: 0, of: 0 } }: Stratum) {
  return { passed: PRIOR + earlier.passes, failed: PRIOR + earlier.of - earlier.passes };
}

/** log of from × (from + 1) × …, so many factors. */
function logRising(from: number, factors: number): number {
  let log = 0;
  for (let factor = 0; factor < factors; factor += 1) log += Math.log(from + factor);
  return log;
}

/** Loops over places are several times as fast as iterators here. */
function convolved(one: Float64Array, places: readonly number[], chances: readonly number[]): Float64Array {
  const sums = new Float64Array(one.length + Math.max(...places));
  for (const [index, place] of places.entries()) {
    const chance = chances[index] as number;
    for (let at = 0; at < one.length; at += 1)
      sums[at + place] = (sums[at + place] as number) + (one[at] as number) * chance;
  }
  return sums;
}
