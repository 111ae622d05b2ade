/** The normal distribution. */

/**
 * The point that a share lies below: where `shareBelow` of it is the share, found by halving. The share is between 0 and 1.
 */
export function normalPoint(share: number): number {
  let [low, high] = [-9, 9];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (shareBelow(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The share of the distribution below a point. Near the middle its series is summed up, further out its continued fraction:
 *
 *     Φ(x) = ½ + φ(x) (x + x³/3 + x⁵/(3·5) + …)
 *     1 − Φ(x) = φ(x) / (x + 1/(x + 2/(x + 3/(x + …))))
 */
export function shareBelow(point: number): number {
  const density = Math.exp(-(point ** 2) / 2) / Math.sqrt(2 * Math.PI);
  const distance = Math.abs(point);
  if (distance > 3) {
    let fraction = distance;
    for (let term = 60; term >= 1; term -= 1) fraction = distance + term / fraction;
    return point > 0 ? 1 - density / fraction : density / fraction;
  }
  let term = point;
  let total = point;
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= point ** 2 / odd;
    total += term;
  }
  return 0.5 + density * total;
}
