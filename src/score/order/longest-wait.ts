/**
 * How many other steps can come between a step and the first of those that should follow it, over all sequences in
 * which the steps can have been done. Some of them certainly follows.
 *
 * A step can be waited through where it need not come before a, and need not come after a b that must follow a. The
 * longest wait results from putting each b that runs beside a either before a or behind the wait: what must come before
 * that b is then lost, or what must come after it. So two steps with such a b between them cannot both be waited
 * through, and any set without such a pair can. The relation "with such a b between" is an order, and the largest set
 * without a pair of it is, by Dilworth's theorem, as large as the fewest chains that cover it, which is a matching.
 */
import type { OrderAmong } from './partial-order.ts';

/** Beyond them all steps are counted: then a wait may be thought longer than it can be, never shorter. */
const MATCHED_MAX = 300;
const COMPARED_MAX = 20_000;

/** `throughBs` is the order in which only the bs count as lying between two others. */
export function longestWait(
  order: OrderAmong,
  throughBs: OrderAmong,
  a: number,
  { all, isOne }: { readonly all: readonly number[]; readonly isOne: ReadonlySet<number> },
): number {
  const beside = all.filter((b) => order.isBeside(a, b));
  const isCompared = beside.length * order.count <= COMPARED_MAX;
  let free = 0;
  const bound: number[] = [];
  for (let step = 0; step < order.count; step++) {
    if (step === a || isOne.has(step) || order.isBefore(step, a) || throughBs.isFarBefore(a, step)) continue;
    if (isCompared && beside.some((b) => !order.isBeside(b, step))) bound.push(step);
    else free += 1;
  }
  return free + largestWithoutPair(bound, (x, y) => beside.some((b) => order.isBefore(x, b) && order.isBefore(b, y)));
}

function largestWithoutPair(steps: readonly number[], isPair: (x: number, y: number) => boolean): number {
  if (steps.length > MATCHED_MAX) return steps.length;
  const above = steps.map((x) => steps.flatMap((y, at) => (isPair(x, y) ? [at] : [])));
  const below = new Array<number>(steps.length).fill(-1);
  let matched = 0;
  for (let x = 0; x < steps.length; x++) if (augment(x, above, below, new Set())) matched += 1;
  return steps.length - matched;
}

/** Kuhn's: finds x a y of its own, moving others along where they have another. */
function augment(x: number, above: readonly (readonly number[])[], below: number[], seen: Set<number>): boolean {
  for (const y of above[x] ?? []) {
    if (seen.has(y)) continue;
    seen.add(y);
    const holder = below[y] ?? -1;
    if (holder === -1 || augment(holder, above, below, seen)) {
      below[y] = x;
      return true;
    }
  }
  return false;
}
