/**
 * Evaluates each predicate of a sequence for a partial order: for all sequences at once in which the steps can have
 * been done. `always` holds in each of them, `never` in none, `depends` in some. Steps that ran side by side can have
 * been done in either order.
 *
 * `always` is exact for every predicate. `never` is exact for all but `immediately_before` and `within`, where deciding
 * it would mean to search: there it is said only where one step alone shows it, and otherwise `depends`.
 *
 * Steps are positions in an `OrderAmong`. A step that matches both sides of a predicate is not its own counterpart.
 */
import { longestWait } from './longest-wait.ts';
import type { OrderAmong } from './partial-order.ts';

export type Certainty = 'always' | 'depends' | 'never';

/** How what was wanted stands to the step in question. */
type Stance = 'absent' | 'before' | 'after' | 'beside' | 'not-next' | 'too-far';

export interface Finding {
  readonly holds: Certainty;
  /** The step that shows why it does not always hold. */
  readonly offender?: number;
  /** The step that it should have stood to in another way, where there is one. */
  readonly other?: number | undefined;
  readonly stance?: Stance;
  /** Side of `between` that is missing. */
  readonly side?: 'before' | 'after';
}

const ALWAYS: Finding = { holds: 'always' };

/** Each b has an a before it. */
export function before(order: OrderAmong, as: readonly number[], bs: readonly number[]): Finding {
  const offender = bs.find((b) => !as.some((a) => order.isBefore(a, b)));
  if (offender === undefined) return ALWAYS;
  const isB = new Set(bs);
  const isPossible = as.some((a) => !isB.has(a) && !bs.some((b) => order.isBefore(b, a)));
  return { holds: isPossible ? 'depends' : 'never', offender, ...nearest(order, as, offender) };
}

/** Each b has an a after it. */
export function respondsTo(order: OrderAmong, as: readonly number[], bs: readonly number[]): Finding {
  const offender = bs.findLast((b) => !as.some((a) => order.isBefore(b, a)));
  if (offender === undefined) return ALWAYS;
  const isB = new Set(bs);
  const isPossible = as.some((a) => !isB.has(a) && !bs.some((b) => order.isBefore(a, b)));
  return { holds: isPossible ? 'depends' : 'never', offender, ...nearest(order, as.toReversed(), offender) };
}

/** No a has a b before it. */
export function neverAfter(order: OrderAmong, as: readonly number[], bs: readonly number[]): Finding {
  let beside: Finding | undefined;
  for (const a of as) {
    for (const b of bs) {
      if (a === b || order.isBefore(a, b)) continue;
      if (order.isBefore(b, a)) return { holds: 'never', offender: a, other: b, stance: 'before' };
      beside ??= { holds: 'depends', offender: a, other: b, stance: 'beside' };
    }
  }
  if (beside === undefined) return ALWAYS;
  const isB = new Set(bs);
  // If two steps match both sides, one comes after the other whatever the order.
  return as.filter((a) => isB.has(a)).length > 1 ? { ...beside, holds: 'never' } : beside;
}

/** The step just before each b is an a. */
export function immediatelyBefore(order: OrderAmong, as: readonly number[], bs: readonly number[]): Finding {
  const isA = new Set(as);
  let first: Finding | undefined;
  for (const b of bs) {
    const found = notJustBefore(order, isA, b);
    if (found === undefined) continue;
    if (!as.some((a) => order.isBeside(a, b) || (order.isBefore(a, b) && !order.isFarBefore(a, b)))) {
      return { ...found, holds: 'never' };
    }
    first ??= found;
  }
  return first ?? ALWAYS;
}

/**
 * Steps that can come just before b without being an a: nothing, what ran beside it, or the last of those before it.
 */
function notJustBefore(order: OrderAmong, isA: ReadonlySet<number>, b: number): Finding | undefined {
  let hasPredecessor = false;
  let beside: number | undefined;
  for (let step = 0; step < order.count; step++) {
    if (step === b || order.isBefore(b, step)) continue;
    const isBefore = order.isBefore(step, b);
    hasPredecessor ||= isBefore;
    if (isA.has(step) || order.isFarBefore(step, b)) continue;
    if (isBefore) return { holds: 'depends', offender: b, other: step, stance: 'not-next' };
    beside ??= step;
  }
  if (beside !== undefined) return { holds: 'depends', offender: b, other: beside, stance: 'beside' };
  return hasPredecessor ? undefined : { holds: 'depends', offender: b, ...nearest(order, [...isA], b) };
}

/** After each a comes a b, at most `steps` steps later. */
export function withinSteps(order: OrderAmong, as: readonly number[], bs: readonly number[], steps: number): Finding {
  const isB = new Set(bs);
  const throughBs = order.through((step) => isB.has(step));
  let first: Finding | undefined;
  let lookedAt = 0;
  for (const a of as) {
    const next = bs.find((b) => order.isBefore(a, b));
    if (next !== undefined && longestWait(order, throughBs, a, { all: bs, isOne: isB }) < steps) continue;
    const stand =
      next === undefined ? nearest(order, bs.toReversed(), a) : ({ other: next, stance: 'too-far' } as const);
    const found: Finding = { holds: 'depends', offender: a, ...stand };
    lookedAt += 1;
    if (lookedAt <= LOOKED_AT_MAX && !bs.some((b) => canFollow(order, a, b, steps)))
      return { ...found, holds: 'never' };
    first ??= found;
  }
  return first ?? ALWAYS;
}

/** Steps that are searched for one without a companion: for each of them, all others are looked at. */
const LOOKED_AT_MAX = 3;

function canFollow(order: OrderAmong, a: number, b: number, steps: number): boolean {
  if (b === a || order.isBefore(b, a)) return false;
  if (!order.isBefore(a, b)) return true;
  let between = 0;
  for (let step = 0; step < order.count; step++) {
    if (order.isBefore(a, step) && order.isBefore(step, b)) between += 1;
  }
  return between < steps;
}

/** After each a comes a b that is near enough to it in time. */
export function withinTime(
  order: OrderAmong,
  as: readonly number[],
  bs: readonly number[],
  isNear: (a: number, b: number) => boolean,
): Finding {
  let first: Finding | undefined;
  for (const a of as) {
    if (bs.some((b) => order.isBefore(a, b) && isNear(a, b))) continue;
    const after = bs.find((b) => order.isBefore(a, b));
    const stand =
      after === undefined ? nearest(order, bs.toReversed(), a) : ({ other: after, stance: 'too-far' } as const);
    const found: Finding = { holds: 'depends', offender: a, ...stand };
    if (!bs.some((b) => b !== a && order.isBeside(a, b) && isNear(a, b))) return { ...found, holds: 'never' };
    first ??= found;
  }
  return first ?? ALWAYS;
}

/** The first of all steps is an a. */
export function first(order: OrderAmong, as: readonly number[]): Finding {
  const isA = new Set(as);
  return oneOfEnds(order, isA, (step) => !some(order, (other) => order.isBefore(other, step)));
}

/** The last of all steps is an a. */
export function last(order: OrderAmong, as: readonly number[]): Finding {
  const isA = new Set(as);
  return oneOfEnds(order, isA, (step) => !some(order, (other) => order.isBefore(step, other)));
}

function oneOfEnds(order: OrderAmong, isA: ReadonlySet<number>, isEnd: (step: number) => boolean): Finding {
  let other: number | undefined;
  let a: number | undefined;
  for (let step = 0; step < order.count; step++) {
    if (!isEnd(step)) continue;
    if (isA.has(step)) a ??= step;
    else other ??= step;
  }
  if (other === undefined) return ALWAYS;
  if (a === undefined) return { holds: 'never', offender: other, other: [...isA][0], stance: 'before' };
  return { holds: 'depends', offender: other, other: a, stance: 'beside' };
}

/** Each x has an a before it and a b after it. */
export function between(
  order: OrderAmong,
  xs: readonly number[],
  as: readonly number[],
  bs: readonly number[],
): Finding {
  const lacksBefore = before(order, as, xs);
  const lacksAfter = respondsTo(order, bs, xs);
  const worse = lacksBefore.holds === 'always' ? lacksAfter : lacksBefore;
  if (worse.holds === 'always') return ALWAYS;
  const side = worse === lacksBefore ? 'before' : 'after';
  const isX = new Set(xs);
  const openers = as.filter((a) => !isX.has(a) && !xs.some((x) => order.isBefore(x, a)));
  const closers = bs.filter((b) => !isX.has(b) && !xs.some((x) => order.isBefore(b, x)));
  const isPossible = openers.some((a) => closers.some((b) => a !== b && !order.isBefore(b, a)));
  return { ...worse, side, holds: isPossible ? 'depends' : 'never' };
}

function nearest(order: OrderAmong, wanted: readonly number[], step: number): Pick<Finding, 'other' | 'stance'> {
  const others = wanted.filter((other) => other !== step);
  const beside = others.find((other) => order.isBeside(other, step));
  if (beside !== undefined) return { other: beside, stance: 'beside' };
  const [other] = others;
  if (other === undefined) return { stance: 'absent' };
  return { other, stance: order.isBefore(step, other) ? 'after' : 'before' };
}

function some(order: OrderAmong, holds: (step: number) => boolean): boolean {
  for (let step = 0; step < order.count; step++) if (holds(step)) return true;
  return false;
}
