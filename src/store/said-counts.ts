/** Ground truth, outcomes and labels of conversations, which may be there without them. */
export interface SaidCounts {
  readonly truths: number;
  readonly outcomes: number;
  readonly labels: number;
}
