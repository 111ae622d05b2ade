/**
 * Puts two samples side by side as if both had met the same traffic (post-stratification). Traffic is of kinds: segment,
 * intent, language, whatever was there before the agent did anything. The figure of a side is
 *
 *     Σ over kinds  share of the kind in both sides together × mean of the side in the kind
 *
 * So a version that got more of the hard conversations is not called worse for it. Kinds that one side hardly has are
 * taken together; if that is not enough either, they are left out, and `share` is less than 1.
 *
 * Cells of time (`beside.ts`) are kept apart in the same way. They weigh by how much they tell, n_a n_b / (n_a + n_b):
 * an hour in which the new version had little says little of it.
 */
import type { Came, Influence } from './related.ts';

export interface Sorted extends Came {
  readonly kind: string;
  /** Cell of time; absent where all times are compared together. */
  readonly cell?: number;
}

/** Conversations that each side must have for a kind to be comparable. */
const KIND_MIN = 10;
const REST = '\u0000rest';

interface Kinds {
  /** Share of each comparable kind, in both sides together. */
  readonly shares: ReadonlyMap<string, number>;
  readonly placeOf: (value: Sorted) => string;
  /** Share of the conversations that are of a comparable kind. */
  readonly share: number;
}

export function kindsOf(a: readonly Sorted[], b: readonly Sorted[]): Kinds {
  const own = ({ kind, cell }: Sorted) => placeIn(cell, kind);
  const counts = [countBy(a, own), countBy(b, own)] as const;
  const isOwn = (place: string) => counts.every((of) => (of.get(place) ?? 0) >= KIND_MIN);
  const placeOf = (value: Sorted) => (isOwn(own(value)) ? own(value) : placeIn(value.cell, REST));
  const [ofA, ofB] = [countBy(a, placeOf), countBy(b, placeOf)];
  const isInCells = a.some(({ cell }) => cell !== undefined);
  const shares = new Map<string, number>();
  let [compared, weight] = [0, 0];
  for (const [place, count] of ofA) {
    const other = ofB.get(place) ?? 0;
    if (Math.min(count, other) < KIND_MIN) continue;
    const tells = isInCells ? (count * other) / (count + other) : count + other;
    shares.set(place, tells);
    compared += count + other;
    weight += tells;
  }
  for (const [place, tells] of shares) shares.set(place, tells / weight);
  return { shares, placeOf, share: compared / Math.max(1, a.length + b.length) };
}

export interface Standardized {
  readonly mean: number;
  /** Parts of the conversations in the distance of the mean from the true one. */
  readonly influences: readonly Influence[];
  /** Per kind, over all times: its share, and its conversations. */
  readonly cells: readonly { readonly share: number; readonly count: number }[];
}

/** The mean of a side with the shares of both. */
export function standardized<Value extends Sorted>(
  values: readonly Value[],
  { shares, placeOf }: Kinds,
  { side, of }: { readonly side: 'a' | 'b'; readonly of: (value: Value) => number },
): Standardized {
  let mean = 0;
  const influences: Influence[] = [];
  const cells = new Map<string, { share: number; count: number }>();
  for (const [place, own] of Map.groupBy(values, placeOf)) {
    const share = shares.get(place);
    if (share === undefined) continue;
    const average = own.reduce((sum, value) => sum + of(value), 0) / own.length;
    mean += share * average;
    const kind = kindIn(place);
    const known = cells.get(kind) ?? { share: 0, count: 0 };
    cells.set(kind, { share: known.share + share, count: known.count + own.length });
    // The mean of a kind follows its few conversations, which makes them vary a little less around it.
    const each = (share / own.length) * Math.sqrt(own.length / (own.length - 1));
    for (const value of own) {
      const { user, conversation, at } = value;
      influences.push({ user, conversation, at, side, by: each * (of(value) - average) });
    }
  }
  return { mean, influences, cells: [...cells.values()] };
}

function placeIn(cell: number | undefined, kind: string): string {
  return `${cell ?? ''} ${kind}`;
}

function kindIn(place: string): string {
  return place.slice(place.indexOf(' ') + 1);
}

function countBy(values: readonly Sorted[], placeOf: (value: Sorted) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) {
    const place = placeOf(value);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return counts;
}
