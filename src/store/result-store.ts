/**
 * What evaluations said waits in the store, from the transaction that made it until a backend has it. Nothing is written when it is taken, so
 * after a crash it is taken again: it is sent at least once.
 */
export interface WaitingResult {
  readonly id: number;
  readonly payload: string;
}

export interface TakenResults {
  /** The oldest. */
  readonly results: readonly WaitingResult[];
  /** So many were let go, because more than `keep` waited. */
  readonly dropped: number;
}

export interface ResultStore {
  take(options: { readonly limit: number; readonly keep: number }): Promise<TakenResults> | TakenResults;
  /** They have arrived. */
  forget(ids: readonly number[]): Promise<void> | void;
}
