/**
 * Stores readings (`model/readings.ts`), by conversation, source and who says so. They do not affect scores: scores are
 * compared with them. An outcome may be known before the conversation is there.
 */
import type { SaidReading } from '../model/readings.ts';
import type { NamedOutcome } from '../model/validity.ts';

type Awaitable<T> = T | Promise<T>;

export interface ReadingStore {
  /** How many of them were not known so before. All or none. */
  put(readings: readonly SaidReading[]): Awaitable<number>;
  /** Ids among these that name no stored conversation. */
  unknown(conversationIds: readonly string[]): Awaitable<ReadonlySet<string>>;
}

/** How many outcomes a name has. */
export interface OutcomeName {
  readonly label: string;
  readonly outcomes: number;
}

export interface OutcomeReader {
  /** By name. */
  outcomeNames(): Awaitable<readonly OutcomeName[]>;
  /** All that have this name, a page at a time. */
  outcomesNamed(label: string): Iterable<readonly NamedOutcome[]> | AsyncIterable<readonly NamedOutcome[]>;
}
