/**
 * Gamma variables by the method of Marsaglia and Tsang (2000), for shapes of 1 and more. A normal variable x is cubed:
 *
 *     d = k − 1/3,  c = 1/√(9d),  v = (1 + c x)³
 *
 * and d v is taken with the chance that log u < x²/2 + d − d v + d log v.
 */

export function gamma(shape: number, random: () => number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Normal variate by Box and Muller. Random numbers are below 1. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
