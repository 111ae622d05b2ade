/** Sums over a stretch of conversations, of which the size of a change is worked out. */
export interface Sums {
  readonly since: number;
  readonly count: number;
  readonly quantity: number;
  /** Quantity that the level is shown per: another one if it is compared by outcome. */
  readonly per: number;
  readonly bad: number;
  readonly expected: number;
  readonly variance: number;
  readonly doubt: number;
}
