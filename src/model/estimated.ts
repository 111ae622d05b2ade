/** A figure that was worked out from a sample of cases, and how far the true one may be from it. */
export interface Estimated {
  readonly value: number;
  /** How many cases it rests on. */
  readonly cases: number;
  /** 2 where the cases are two samples of different ones, each of which has a case that was not seen. */
  readonly samples: 1 | 2;
  /** How far from the figure the case that was not seen is at either end; 0 where the bounds know no such distance. */
  readonly reach: { readonly lower: number; readonly upper: number };
  /** Ends that the figure cannot lie beyond; of a change, given that of the baseline. */
  readonly range: { readonly lower: number; readonly upper: number };
  /** A bound that the true figure is below in at most `tail` of all samples; `tail` is between 0 and 0.5. */
  lower(tail: number): number;
  /** A bound that the true figure is above in at most `tail` of all samples. */
  upper(tail: number): number;
}

/** How one figure differs from another: b − a, or b / a − 1 where it is relative. */
export interface EstimatedChange extends Estimated {
  readonly a: number;
  readonly b: number;
  readonly isRelative: boolean;
  /** Each case beside itself; else the two samples are of different cases. */
  readonly isPaired: boolean;
  /** Cases in which the two differ; undefined if they are not paired. */
  readonly moved: number | undefined;
  /** Runs of each case, where it is about these cases alone. */
  readonly runs?: number;
}

/** Why there is no figure, in a sentence. */
export interface NotEstimable {
  readonly because: string;
}
