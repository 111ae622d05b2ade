/** A figure from a sample, with the interval in which the true one lies in 95 of 100 samples. */
export interface Estimate {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}
