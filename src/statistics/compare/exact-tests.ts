/**
 * Could it be chance? Exact tests of whether two experiments do the same: how likely a difference is that is at least as large, where which of the two a
 * result belongs to makes none.
 *
 * One-sided values are kept, since a gate asks for one side; `p` is of both.
 */

export interface TestResult {
  /** Probability of a difference at least as large, in either direction. */
  readonly p: number;
  /** Probability that b is at least so much below a. */
  readonly below: number;
  /** Probability that b is at least so much above a. */
  readonly above: number;
  readonly by: 'mcnemar' | 'sign_flips' | 'fisher' | 'permutation' | 'sequential';
  /** Worked out from all possibilities; else from many of them, drawn with a fixed seed. */
  readonly isExact: boolean;
}

/**
 * McNemar's exact test: only pairs that differ tell the two apart, and where the two do the same each of them falls to either side like a coin.
 *
 *     below = P(X ≥ lost), X ~ Binomial(lost + won, ½);   p = 2 × the smaller one, at most 1
 */
export function mcnemar({ lost, won }: { readonly lost: number; readonly won: number }): TestResult {
  const chances = binomialHalf(lost + won);
  const from = (least: number) =>
    Math.min(
      1,
      chances.slice(least).reduce((sum, chance) => sum + chance, 0),
    );
  const [below, above] = [from(lost), from(won)];
  return { p: Math.min(1, 2 * Math.min(below, above)), below, above, by: 'mcnemar', isExact: true };
}

/**
 * Fisher's exact test of two shares: with the passes of both together given, how many of them a has. `p` adds up what is no likelier than what was seen.
 *
 *     P(passes of a = k) = C(nₐ, k) C(n_b, K − k) / C(nₐ + n_b, K)
 */
export function fisher(
  a: { readonly passes: number; readonly of: number },
  b: { readonly passes: number; readonly of: number },
): TestResult {
  const passes = a.passes + b.passes;
  const [least, most] = [Math.max(0, passes - b.of), Math.min(a.of, passes)];
  const whole = logChoose(a.of + b.of, passes);
  const chance = (ofA: number) => Math.exp(logChoose(a.of, ofA) + logChoose(b.of, passes - ofA) - whole);
  const seen = chance(a.passes);
  let [p, below, above] = [0, 0, 0];
  for (let ofA = least; ofA <= most; ofA += 1) {
    const one = chance(ofA);
    // Tables as likely as the observed one may differ from it by rounding.
    if (one <= seen * (1 + 1e-7)) p += one;
    if (ofA >= a.passes) below += one;
    if (ofA <= a.passes) above += one;
  }
  return { p: Math.min(1, p), below: Math.min(1, below), above: Math.min(1, above), by: 'fisher', isExact: true };
}

/**
 * Holm's correction: the smallest of m is compared with the level over m, the next with the level over m − 1, and so
 * on. Returns values to compare with the level itself; the probability of any false finding is at most the level.
 */
export function holm(values: readonly number[]): number[] {
  const order = values.map((p, index) => ({ p, index })).sort((x, y) => x.p - y.p);
  const adjusted = values.map(() => 1);
  let least = 0;
  for (const [rank, { p, index }] of order.entries()) {
    least = Math.max(least, Math.min(1, p * (values.length - rank)));
    adjusted[index] = least;
  }
  return adjusted;
}

function binomialHalf(count: number): number[] {
  return Array.from({ length: count + 1 }, (_, index) => Math.exp(logChoose(count, index) - count * Math.LN2));
}

export function logChoose(of: number, chosen: number): number {
  return logFactorial(of) - logFactorial(chosen) - logFactorial(of - chosen);
}

const logFactorials: number[] = [0];

function logFactorial(number: number): number {
  for (let next = logFactorials.length; next <= number; next += 1)
    // The cast holds: the one before is there.
    logFactorials.push((logFactorials[next - 1] as number) + Math.log(next));
  // The cast holds: all up to it have just been added.
  return logFactorials[number] as number;
}
