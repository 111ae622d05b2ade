/**
 * All that may call a regression, tested together: the error of the gate is shared by weights (Holm, 1979, with
 * weights). Each is tested at its share of the error, and the share of one that is broken goes to those that are left.
 * If nothing got worse, at most `tail` of all gates find anything, however the tests depend on each other.
 */
interface Tested {
  /** The rule or test. */
  readonly of: unknown;
  readonly weight: number;
  isBrokenAt(tail: number): boolean;
}

interface TestedAt {
  readonly isBroken: boolean;
  /** The tail at which it was found broken, or last tested. */
  readonly tail: number;
}

/** These have the weight together, in equal parts. */
export function sharing<T>(
  weight: number,
  all: readonly T[],
  isBrokenAt: (one: T, tail: number) => boolean,
): readonly Tested[] {
  return all.map((of) => ({ of, weight: weight / all.length, isBrokenAt: (tail) => isBrokenAt(of, tail) }));
}

/** Tests all together (Holm, weighted), and returns each result. A test that is not in the list is not broken. */
export function testTogether(all: readonly Tested[], tail: number): (of: unknown) => TestedAt {
  const found = new Map<unknown, TestedAt>();
  for (;;) {
    const left = all.filter(({ of }) => !found.has(of));
    const weights = left.reduce((sum, { weight }) => sum + weight, 0);
    const at = left.map((one) => ({ one, tail: (tail * one.weight) / weights }));
    const broken = at.filter(({ one, tail: share }) => one.isBrokenAt(share));
    for (const { one, tail: share } of broken) found.set(one.of, { isBroken: true, tail: share });
    if (broken.length > 0) continue;
    for (const { one, tail: share } of at) found.set(one.of, { isBroken: false, tail: share });
    return (of) => found.get(of) ?? { isBroken: false, tail };
  }
}
