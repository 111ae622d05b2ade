/**
 * Foretells whether a conversation goes well, from facts of it, as readings of earlier ones taught. It is a logistic
 * regression: each fact adds its weight to the log-odds, so that anybody sees which facts moved it. Weights are drawn to
 * 0, as if all facts together were expected to move the log-odds by about one.
 *
 * Nothing is foretold of kinds that nobody has read: where a conversation has a fact of a kind, such as a tool, that no
 * read one had. On kinds of task that it had not seen, such a prediction was worse than none.
 */
import { hash } from 'node:crypto';

export interface Lesson {
  readonly facts: readonly string[];
  readonly isGood: boolean;
}

export interface Prediction {
  /** The same readings give the same. */
  readonly hash: string;
  readonly readings: number;
  /** Log-odds without any fact. */
  readonly base: number;
  /** Log-odds that a fact adds. */
  readonly weights: ReadonlyMap<string, number>;
  /** Facts that say of what kind a conversation is, of those that were read. */
  readonly kinds: ReadonlySet<string>;
}

/** With fewer of either kind of answer it would say what they have in common by chance. */
const EITHER_MIN = 5;
const READINGS_MIN = 20;
/** A fact of fewer readings says nothing. */
const SEEN_MIN = 3;
/** Weights change by less than a thousandth after so many steps. */
const STEPS = 400;

/** Undefined where there is too little to learn from. */
export function learn(lessons: readonly Lesson[]): Prediction | undefined {
  const good = lessons.filter(({ isGood }) => isGood).length;
  if (lessons.length < READINGS_MIN || Math.min(good, lessons.length - good) < EITHER_MIN) return undefined;
  const seen = Map.groupBy(
    lessons.flatMap(({ facts }) => facts),
    (fact) => fact,
  );
  const told = [...seen].filter(([, { length }]) => length >= SEEN_MIN && length < lessons.length).toSorted();
  const places = new Map(told.map(([fact], place) => [fact, place]));
  const rows = lessons.map(({ facts }) => facts.flatMap((fact) => places.get(fact) ?? []));
  const spread = told.reduce((sum, [, { length: n }]) => sum + (n / lessons.length) * (1 - n / lessons.length), 0);
  const fitted = weighed(rows, lessons, { base: Math.log(good / (lessons.length - good)), drawn: spread });
  const weights = told.map(([fact], place) => [fact, fitted.weights[place] ?? 0] as const);
  return {
    hash: hash('sha256', JSON.stringify([fitted.base, weights])).slice(0, 12),
    readings: lessons.length,
    base: fitted.base,
    weights: new Map(weights),
    kinds: new Set([...seen.keys()].filter(isOfKind)),
  };
}

/** Undefined where it may not speak. */
export function foretold(
  prediction: Prediction,
  facts: readonly string[],
): { readonly chance: number; readonly movedBy: readonly (readonly [fact: string, by: number])[] } | undefined {
  if (facts.some((fact) => isOfKind(fact) && !prediction.kinds.has(fact))) return undefined;
  const movedBy = facts.map((fact) => [fact, prediction.weights.get(fact) ?? 0] as const);
  const odds = movedBy.reduce((sum, [, by]) => sum + by, prediction.base);
  return { chance: 1 / (1 + Math.exp(-odds)), movedBy: movedBy.toSorted((a, b) => Math.abs(b[1]) - Math.abs(a[1])) };
}

const KINDS = ['tool: ', 'prompt: ', 'language: ', 'intent: ', 'segment: '];

function isOfKind(fact: string): boolean {
  return KINDS.some((kind) => fact.startsWith(kind));
}

/** By Nesterov's steps, whose length the facts of the longest row allow. */
function weighed(
  rows: readonly (readonly number[])[],
  lessons: readonly Lesson[],
  { base, drawn }: { readonly base: number; readonly drawn: number },
): { readonly base: number; readonly weights: readonly number[] } {
  const count = 1 + Math.max(-1, ...rows.flat()) + 1;
  const longest = Math.max(...rows.map(({ length }) => length + 1));
  const step = 1 / ((rows.length * longest) / 4 + drawn);
  // The last one is the base, which nothing draws to 0.
  let now = Array.from({ length: count }, (_, place) => (place === count - 1 ? base : 0));
  let before = now;
  for (let round = 1; round <= STEPS; round += 1) {
    const ahead = now.map((one, place) => one + ((round - 1) / (round + 2)) * (one - (before[place] ?? 0)));
    const slope = ahead.map((one, place) => (place === count - 1 ? 0 : drawn * one));
    rows.forEach((row, at) => {
      const odds = row.reduce((sum, place) => sum + (ahead[place] ?? 0), ahead[count - 1] ?? 0);
      const off = 1 / (1 + Math.exp(-odds)) - Number(lessons[at]?.isGood);
      for (const place of [...row, count - 1]) slope[place] = (slope[place] ?? 0) + off;
    });
    before = now;
    now = ahead.map((one, place) => one - step * (slope[place] ?? 0));
  }
  return { base: now[count - 1] ?? base, weights: now.slice(0, -1) };
}
