/** Stores and reads the kinds of failure that people name in readings (`model/named-kinds.ts`). */
import type { CountedKind, FailedReading, GivenKind, KeptKind, KindChange } from '../model/named-kinds.ts';

type Awaitable<T> = T | Promise<T>;

export interface KindsChanged {
  readonly changed: number;
  /** A conversation or a kind that is not there: nothing was changed. */
  readonly missing?: string;
}

export interface FailureStore {
  /** All or none. */
  give(kinds: readonly GivenKind[]): Awaitable<KindsChanged>;
  change(change: KindChange): Awaitable<KindsChanged>;
}

export interface FailureReader {
  /** All bad readings of conversations of this agent by their kinds, those without one first, then the most frequent. */
  countedKinds(agent: string): Awaitable<readonly CountedKind[]>;
  /** The newest of them, or of those without a kind, up to a limit. */
  failedReadings(agent: string, only?: 'without a kind'): Awaitable<readonly FailedReading[]>;
  /** Kinds of which somebody said how far they are, by name. */
  keptKinds(agent: string): Awaitable<readonly KeptKind[]>;
}
