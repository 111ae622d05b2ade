/**
 * Puts two samples side by side as if both had met the same traffic (post-stratification). Traffic is of kinds: segment,
 * intent, language, whatever was there before the agent did anything. The figure of a side is
 *
 *     Σ over kinds  share of the kind in both sides together × mean of the side in the kind
 *
 * So a version that got more of the hard conversations is not called worse for it. Kinds that one side hardly has are
 * taken together; if that is not enough either, they are left out, and `share` is less than 1.
 */
import type { Came, Influence } from './related.ts';

export interface Sorted extends Came {
  readonly kind: string;
}

/** Conversations that each side must have for a kind to be comparable. */
const KIND_MIN = 10;
const REST = '\u0000rest';

interface Kinds {
  /** Share of each comparable kind, in both sides together. */
  readonly shares: ReadonlyMap<string, number>;
  readonly kindOf: (kind: string) => string;
  /** Share of the conversations that are of a comparable kind. */
  readonly share: number;
}

export function kindsOf(a: readonly Sorted[], b: readonly Sorted[]): Kinds {
  const counts = [countKinds(a, ({ kind }) => kind), countKinds(b, ({ kind }) => kind)] as const;
  const isOwn = (kind: string) => counts.every((of) => (of.get(kind) ?? 0) >= KIND_MIN);
  const kindOf = (kind: string) => (isOwn(kind) ? kind : REST);
  const [ofA, ofB] = [countKinds(a, ({ kind }) => kindOf(kind)), countKinds(b, ({ kind }) => kindOf(kind))];
  const shares = new Map<string, number>();
  let compared = 0;
  for (const [kind, count] of ofA) {
    const other = ofB.get(kind) ?? 0;
    if (Math.min(count, other) < KIND_MIN) continue;
    shares.set(kind, count + other);
    compared += count + other;
  }
  for (const [kind, count] of shares) shares.set(kind, count / compared);
  return { shares, kindOf, share: compared / Math.max(1, a.length + b.length) };
}

export interface Standardized {
  readonly mean: number;
  /** Parts of the conversations in the distance of the mean from the true one. */
  readonly influences: readonly Influence[];
  /** Per kind: its share, and its conversations. */
  readonly cells: readonly { readonly share: number; readonly count: number }[];
}

/** The mean of a side with the shares of both. */
export function standardized<Value extends Sorted>(
  values: readonly Value[],
  { shares, kindOf }: Kinds,
  { side, of }: { readonly side: 'a' | 'b'; readonly of: (value: Value) => number },
): Standardized {
  let mean = 0;
  const influences: Influence[] = [];
  const cells: { readonly share: number; readonly count: number }[] = [];
  for (const [kind, own] of Map.groupBy(values, (value) => kindOf(value.kind))) {
    const share = shares.get(kind);
    if (share === undefined) continue;
    const average = own.reduce((sum, value) => sum + of(value), 0) / own.length;
    mean += share * average;
    cells.push({ share, count: own.length });
    // The mean of a kind follows its few conversations, which makes them vary a little less around it.
    const each = (share / own.length) * Math.sqrt(own.length / (own.length - 1));
    for (const value of own) {
      const { user, conversation, at } = value;
      influences.push({ user, conversation, at, side, by: each * (of(value) - average) });
    }
  }
  return { mean, influences, cells };
}

function countKinds(values: readonly Sorted[], kindOf: (value: Sorted) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) {
    const kind = kindOf(value);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
