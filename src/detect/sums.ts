/** Sums over a stretch of conversations, of which the size of a change is worked out. */
export interface Sums {
  readonly since: number;
  readonly count: number;
  readonly quantity: number;
  /** The level is shown per so much: the quantity, but for levels that are compared with others of the same outcome. */
  readonly per: number;
  readonly bad: number;
  readonly expected: number;
  readonly variance: number;
  readonly doubt: number;
}
