/**
 * Results of evaluations wait in the store, from the transaction that made them until a backend has them. Nothing is
 * written when it is taken, so after a crash it is taken again: it is sent at least once.
 */
export interface WaitingResult {
  readonly id: number;
  readonly payload: string;
}

export interface TakenResults {
  /** The oldest. */
  readonly results: readonly WaitingResult[];
  /** Number of results dropped because more than `keep` waited. */
  readonly dropped: number;
}

export interface ResultStore {
  take(options: { readonly limit: number; readonly keep: number }): Promise<TakenResults> | TakenResults;
  /** They have arrived. */
  forget(ids: readonly number[]): Promise<void> | void;
}
