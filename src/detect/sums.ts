/** Sums over a stretch of conversations, of which the size of a change is worked out. */
export interface Sums {
  readonly since: number;
  readonly count: number;
  readonly quantity: number;
  readonly bad: number;
  readonly expected: number;
  readonly variance: number;
  readonly doubt: number;
}
