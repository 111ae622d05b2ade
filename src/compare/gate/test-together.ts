/**
 * All that may call a regression, tested together: the error of the gate is shared by weights (Holm, 1979, with
 * weights). Each is tested at its share of the error, and the share of one that is broken goes to those that are left.
 * If nothing got worse, at most `tail` of all gates find anything, however the tests depend on each other.
 */
export interface Tested {
  readonly weight: number;
  isBrokenAt(tail: number): boolean;
}

interface TestedAt {
  readonly isBroken: boolean;
  /** The tail at which it was found broken, or last tested. */
  readonly tail: number;
}

export function testTogether<T extends Tested>(all: readonly T[], tail: number): ReadonlyMap<T, TestedAt> {
  const found = new Map<T, TestedAt>();
  for (;;) {
    const left = all.filter((one) => !found.has(one));
    const weights = left.reduce((sum, { weight }) => sum + weight, 0);
    const tails = left.map((one) => ({ one, tail: (tail * one.weight) / weights }));
    const broken = tails.filter(({ one, tail: at }) => one.isBrokenAt(at));
    for (const { one, tail: at } of broken) found.set(one, { isBroken: true, tail: at });
    if (broken.length > 0) continue;
    for (const { one, tail: at } of tails) found.set(one, { isBroken: false, tail: at });
    return found;
  }
}
