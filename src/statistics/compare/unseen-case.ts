/**
 * Bounds for the mean of a bounded quantity from a few cases, without a word about its distribution.
 *
 * Chance is modelled as in the Bayesian bootstrap: each case gets a weight, drawn evenly from all that add up to 1. But
 * the sample is not everything, so an unseen case is added that is as bad as possible for the bound: at the upper end
 * of the range for the upper bound, at the lower end for the lower one. The upper bound is the value that the weighted
 * mean exceeds with probability `tail` (Gaffke, 2005; Learned-Miller and Thomas, 2019). Three things speak for it:
 *
 * 1. It holds at every sample size. For shares it *is* the exact interval of Clopper and Pearson; for differences of pairs that are −1, 0 or 1 it excludes
 *    0 exactly where McNemar's exact test rejects; for two shares side by side, where Fisher's does. For other distributions it is a conjecture that it never
 *    errs more often than `tail`, for which no counter-example is known, and which `npm run coverage:compare` holds ours to.
 * 2. It is never a point: where twenty pairs are all equal, a twenty-first may not be, and the bound is 1 − tail^(1/20).
 * 3. It is continuous in the data and the tail, and one method for shares, scores and their differences.
 *
 * The weights are exponential variables over their sum, so that with the cases z and the bound t
 *
 *     P(Σ w z > t) = P(Σ a E > 0),   a = z − t,
 *
 * a weighted sum of exponential variables, whose tail is the integral of its moment generating function along a line through the saddle point:
 *
 *     P(X > 0) = 1/π ∫₀^∞ Re[ M(u) / u ] dy,   u = s + iy,   M(u) = Π 1 / (1 − a u)
 *
 * There the integrand does not swing, and sums of it at steps of sinh are as exact as doubles allow. Nothing is drawn at random.
 */

/**
 * Bounds for the mean of the population that `values` is a sample of; values lie between `least` and `most`. `worth` says
 * how many independent ones each counts for: 1 unless given.
 */
export function upperBound(values: readonly number[], most: number, tail: number, worth?: readonly number[]): number {
  const points = pointsOf(values, most, worth);
  const last = points.at(-1);
  // The cast holds: the unseen case is among them.
  const least = (points[0] as Point).value;
  if (last === undefined || least === last.value) return most;
  // The bound lies where the chance to exceed it crosses the tail; the chance falls from 1 to 0 between the ends. Its logarithm is nearly straight, so that a
  // line through both ends finds it in few steps. An end that stays twice is drawn half way to the other (the Illinois rule); where a line finds nothing between
  // the ends, they are halved.
  let [low, high] = [least, last.value];
  let [above, below] = [-Math.log(tail), Number.NEGATIVE_INFINITY];
  let stayed: 'low' | 'high' | undefined;
  for (let step = 0; step < 100 && high - low > 1e-12 * (last.value - least); step += 1) {
    const straight = low + ((high - low) * above) / (above - below);
    const bound = straight > low && straight < high ? straight : (low + high) / 2;
    const excess = Math.log(chanceToExceed(points, bound) / tail);
    if (Math.abs(excess) < 1e-11) return bound;
    if (excess > 0) {
      if (stayed === 'high') below /= 2;
      [low, above, stayed] = [bound, excess, 'high'];
    } else {
      if (stayed === 'low') above /= 2;
      [high, below, stayed] = [bound, excess, 'low'];
    }
  }
  return high;
}

export function lowerBound(values: readonly number[], least: number, tail: number, worth?: readonly number[]): number {
  return -upperBound(
    values.map((value) => -value),
    -least,
    tail,
    worth,
  );
}

/** The chance that the mean, weighted evenly at random, exceeds `bound`: with the case that was not seen at `unseen`. */
export function chanceAbove(values: readonly number[], unseen: number, bound: number): number {
  return chanceToExceed(pointsOf(values, unseen), bound);
}

interface Point {
  readonly value: number;
  readonly count: number;
}

function pointsOf(values: readonly number[], unseen: number, worth: readonly number[] = []): Point[] {
  const counts = new Map<number, number>([[unseen, 1]]);
  for (const [index, value] of values.entries()) counts.set(value, (counts.get(value) ?? 0) + (worth[index] ?? 1));
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => a.value - b.value);
}

function chanceToExceed(points: readonly Point[], bound: number): number {
  const sum = points.map(({ value, count }) => ({ value: value - bound, count })).filter(({ value }) => value !== 0);
  if (!sum.some(({ value }) => value > 0)) return 0;
  if (!sum.some(({ value }) => value < 0)) return 1;
  const mean = sum.reduce((total, { value, count }) => total + value * count, 0);
  // The integral is small where the tail is: of the two tails the smaller one is worked out.
  return mean <= 0 ? tailOf(sum) : 1 - tailOf(sum.map(({ value, count }) => ({ value: -value, count })));
}

/** Fine enough for a hundred cases; with more of them the integrand swings more often before it dies away. */
const STEP = 0.09;
const CASES_AT_STEP = 100;

/** P(Σ value × E > 0), where both signs are there. */
function tailOf(sum: readonly Point[]): number {
  const most = sum.reduce((max, { value }) => Math.max(max, value), 0);
  const saddle = saddleOf(sum, most);
  let curvature = 1 / saddle ** 2;
  let logAtSaddle = -Math.log(saddle);
  const slopes = sum.map(({ value, count }) => {
    const room = 1 - value * saddle;
    logAtSaddle -= count * Math.log(room);
    curvature += count * (value / room) ** 2;
    return { slope: value / room, count };
  });
  const scale = 1 / Math.sqrt(curvature);
  const cases = sum.reduce((total, { count }) => total + count, 0);
  const width = STEP * Math.min(1, Math.sqrt(CASES_AT_STEP / cases));
  let total = 0.5;
  for (let step = 1; step * width < 180; step += 1) {
    const along = scale * Math.sinh(step * width);
    // log of M(u)/u over its value at the saddle: size and angle.
    let size = -0.5 * Math.log1p((along / saddle) ** 2);
    let angle = -Math.atan(along / saddle);
    for (const { slope, count } of slopes) {
      const turn = along * slope;
      size -= 0.5 * count * Math.log1p(turn * turn);
      angle += count * Math.atan(turn);
    }
    const stretch = Math.exp(size) * Math.cosh(step * width);
    total += stretch * Math.cos(angle);
    if (stretch < 1e-15) break;
  }
  return Math.min(1, Math.max(0, (Math.exp(logAtSaddle) * scale * width * total) / Math.PI));
}

/** Minimum of log M(u) − log u, between 0 and the first pole at 1 / most. */
function saddleOf(sum: readonly Point[], most: number): number {
  let [low, high] = [0, 1 / most];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    let slope = -1 / middle;
    for (const { value, count } of sum) slope += (count * value) / (1 - value * middle);
    if (slope < 0) low = middle;
    else high = middle;
    if (high - low < 1e-6 * high) break;
  }
  return (low + high) / 2;
}
