/**
 * Port of the store for regression detection. Observations wait in it from the transaction that made them. One round
 * takes them with the state that it writes, in one transaction. So each is observed exactly once, whatever crashes when, and
 * whoever thinks that it is his turn.
 */

/** An evaluation on its way to the detectors. */
export interface WaitingObservation {
  /** Log time, in milliseconds. */
  readonly at: number;
  /** The evaluation's id: the order among those of one time. */
  readonly evaluation: string;
  /** As whoever observes reads it. */
  readonly payload: string;
}

interface DetectionState {
  /** Raised with each state that is written; 0 before the first. */
  readonly version: number;
  /** Undefined before the first. */
  readonly snapshot: Uint8Array | undefined;
}

export interface DetectionRound {
  readonly state: DetectionState;
  /** By time, then by id. */
  readonly observations: readonly WaitingObservation[];
}

/**
 * A new state, with which the observations of the round go. Undefined: they go, and the state stays, with its version.
 * `later`: both stay.
 */
export type RoundEnd = Uint8Array | 'later' | undefined;

export interface DetectionStore {
  /**
   * One round: locks the state, calls `work` with it and at most `limit` observations, and does what it says of both. If
   * it throws, nothing has happened, except a
   * commit whose answer was lost: the version shows which.
   */
  round(limit: number, work: (round: DetectionRound) => RoundEnd): Promise<void> | void;
}
