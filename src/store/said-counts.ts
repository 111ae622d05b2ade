/** Ground truth, readings, labels and users' feedback of conversations, which may be there without them. */
export interface SaidCounts {
  readonly truths: number;
  readonly readings: number;
  readonly labels: number;
  readonly feedback: number;
}
