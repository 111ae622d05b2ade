/**
 * How far a figure of conversations online may be from the true one. Conversations of one user are alike, so twenty of
 * one user say less than twenty of twenty users: a user is one unit.
 *
 * A figure is the sum of small parts, one for each conversation (its influence). With the parts of a user added up,
 *
 *     variance = Σ over users (their sum)²  ×  users / (users − 1)
 *
 * (the cluster-robust variance of Liang and Zeger, 1986). Conversations that name no user are added up in blocks of
 * consecutive ones, of 4, 16 and 64, and the longest block that shows a relation counts. That sees users whose conversations
 * come back to back, and not those who come from time to time.
 *
 * The variance of few, or of few that matter, is itself uncertain, so `degrees` says which t distribution replaces the
 * normal one. They come from the fourth powers of the units' sums (Satterthwaite).
 */
import { randomFrom } from '../../../model/random.ts';
import { studentPoint } from './student.ts';

/** The user of a conversation, and its time. */
export interface Came {
  /** Undefined where spans name nobody. */
  readonly user: number | undefined;
  /** The store's number of the conversation. */
  readonly conversation: number;
  readonly at: number;
}

export interface Influence extends Came {
  /** Blocks of unnamed conversations are of one side; a user may have both. */
  readonly side: 'a' | 'b';
  readonly by: number;
}

export interface Uncertainty {
  readonly variance: number;
  /** Degrees of freedom of the t distribution. */
  readonly degrees: number;
  /** The variance over that of unrelated conversations: at least 1. */
  readonly effect: number;
  /** Users, and conversations or blocks of them that name nobody. */
  readonly units: number;
}

const BLOCKS = [4, 16, 64];
const BLOCKS_MIN = 8;
const EVIDENT_ERRORS = 1;
/** Correlation that is assumed within users where no outcome differs, so that none can be seen. */
const ASSUMED = 0.3;
/** The 97.5 % point of the normal distribution. */
const Z = 1.959963984540054;

export function uncertaintyOf(parts: readonly Influence[]): Uncertainty {
  const named = new Map<number, number>();
  const unnamed = new Map<number, Unnamed>();
  const own = new Map<number, number>();
  for (const { user, conversation, at, side, by } of parts) {
    own.set(conversation, (own.get(conversation) ?? 0) + by);
    if (user !== undefined) {
      named.set(user, (named.get(user) ?? 0) + by);
      continue;
    }
    const known = unnamed.get(conversation);
    unnamed.set(conversation, { side, at: Math.min(at, known?.at ?? at), sum: by + (known?.sum ?? 0) });
  }
  const unrelated = sumOfSquares(own.values());
  const sums = [...named.values(), ...blocksOf([...unnamed.values()])];
  const units = sums.length;
  if (unrelated === 0 || units < 2) {
    const effect = 1 + ASSUMED * Math.max(0, own.size / Math.max(1, units) - 1);
    return { variance: 0, degrees: Math.max(1, units - 1), effect, units };
  }
  const squares = sums.map((sum) => sum * sum);
  const seen = squares.reduce((all, one) => all + one, 0);
  const fourth = sumOfSquares(squares);
  const varied = fourth - (seen * seen) / units;
  const degrees = Math.max(1, Math.min(units - 1, varied > 0 ? (2 * seen * seen) / varied : units - 1));
  const variance = Math.max(unrelated, seen) * (units / (units - 1));
  return { variance, degrees, effect: units === own.size ? 1 : Math.max(1, seen / unrelated), units };
}

/**
 * Conversations that say as much as one unrelated one, for an interval of 95 %: 1 where they are unrelated. The
 * interval of n / effect unrelated conversations is right for n of these.
 */
export function designEffectOf(values: readonly (Came & { readonly value: number })[]): number {
  const mean = values.reduce((sum, { value }) => sum + value, 0) / Math.max(1, values.length);
  const { effect, degrees, units } = uncertaintyOf(
    values.map((one) => ({ ...one, side: 'a', by: (one.value - mean) / values.length })),
  );
  return effect === 1 || units < 2 ? effect : effect * (studentPoint(Z, degrees) / Z) ** 2;
}

/**
 * The design effect of more conversations than those that were read. Each user has more of them, at the rate at which
 * users' conversations grew from the newer half of those that were read to all.
 */
export function grownEffect(effect: number, read: readonly Came[], all: number): number {
  if (all <= read.length) return effect;
  const newest = read.toSorted((x, y) => y.at - x.at);
  const [size, before] = [sizeOfUsers(newest), sizeOfUsers(newest.slice(0, Math.ceil(newest.length / 2)))];
  if (size <= 1) return effect;
  const rate = Math.min(1, Math.max(0, Math.log2(size / before)));
  const grown = size * (all / read.length) ** rate;
  return 1 + ((effect - 1) * (grown - 1)) / (size - 1);
}

/** Conversations that the user of a conversation has, on average over conversations. */
function sizeOfUsers(came: readonly Came[]): number {
  const counts = new Map<number, number>();
  for (const { user } of came) if (user !== undefined) counts.set(user, (counts.get(user) ?? 0) + 1);
  return (
    sumOfSquares(counts.values()) /
    Math.max(
      1,
      [...counts.values()].reduce((sum, count) => sum + count, 0),
    )
  );
}

/** The longest blocks whose sums vary by more than chance would have it; single conversations unless there are such. */
function blocksOf(
  unnamed: { readonly sum: number; readonly at: number; readonly side: 'a' | 'b' }[],
): readonly number[] {
  const single = unnamed.map(({ sum }) => sum);
  const unrelated = sumOfSquares(single);
  if (unrelated === 0) return single;
  const inOrder = Object.values(Object.groupBy(unnamed, ({ side }) => side)).map(ordered);
  let chosen: { readonly sums: readonly number[]; readonly seen: number } = { sums: single, seen: unrelated };
  for (const length of BLOCKS) {
    const sums = inOrder.flatMap((side) => {
      const blocks = new Array<number>(Math.ceil(side.length / length)).fill(0);
      for (const [index, { sum }] of side.entries()) {
        const block = Math.floor(index / length);
        blocks[block] = (blocks[block] as number) + sum;
      }
      return blocks;
    });
    if (sums.length < BLOCKS_MIN) break;
    const seen = sumOfSquares(sums);
    // The square of a normal sum varies by twice its squared variance.
    if (seen > unrelated * (1 + EVIDENT_ERRORS * Math.sqrt(2 / sums.length)) && seen > chosen.seen)
      chosen = { sums, seen };
  }
  return chosen.sums;
}

interface Unnamed {
  readonly sum: number;
  readonly at: number;
  readonly side: 'a' | 'b';
}

/** Ordered by time. Simultaneous ones are shuffled by their content alone, so that all stores give the same figure. */
function ordered(side: readonly Unnamed[]): readonly Unnamed[] {
  return [...Map.groupBy(side, ({ at }) => at)]
    .toSorted(([x], [y]) => x - y)
    .flatMap(([at, together]) => {
      if (together.length === 1) return together;
      const random = randomFrom(at);
      return together
        .toSorted((x, y) => x.sum - y.sum)
        .map((one) => ({ one, place: random() }))
        .toSorted((x, y) => x.place - y.place)
        .map(({ one }) => one);
    });
}

function sumOfSquares(numbers: Iterable<number>): number {
  let sum = 0;
  for (const one of numbers) sum += one * one;
  return sum;
}
