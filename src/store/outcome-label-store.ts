/**
 * Stores outcomes of the world (a rating, a reward, "reopened"), by conversation and by the name of the outcome. It
 * does not affect scores: scores are compared with it. It may be known before the conversation is there, and goes when
 * the conversation goes.
 */
import type { NamedOutcome, SaidOutcome } from '../model/validity.ts';

export interface OutcomeLabelStore {
  /** How many of them were not known so before. All or none. */
  put(outcomes: readonly SaidOutcome[]): Promise<number> | number;
}

/** How many outcomes a name has. */
export interface OutcomeName {
  readonly label: string;
  readonly outcomes: number;
}

type Awaitable<T> = T | Promise<T>;

export interface OutcomeLabelReader {
  /** By name. */
  outcomeNames(): Awaitable<readonly OutcomeName[]>;
  /** All that have this name, a page at a time. */
  outcomesNamed(label: string): Iterable<readonly NamedOutcome[]> | AsyncIterable<readonly NamedOutcome[]>;
}
