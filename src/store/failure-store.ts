/** Stores and reads the kinds of failure that people name in readings (`model/named-kinds.ts`). */
import type { FailedReading, GivenKind, KeptKind, KindChange } from '../model/named-kinds.ts';

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
  /** Bad readings of conversations of this agent, the newest first, up to a limit. */
  failedReadings(agent: string): Awaitable<readonly FailedReading[]>;
  /** Kinds of which somebody said how far they are, by name. */
  keptKinds(agent: string): Awaitable<readonly KeptKind[]>;
}
