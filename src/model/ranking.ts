/** An order of several, from comparisons of two at a time, or why there is none. */
export type Ranking =
  | {
      readonly is: 'ranked';
      /** The strongest first. */
      readonly ranked: readonly Ranked[];
      /**
       * Experiments that never lost to any of the others. Half a win on either side of each pair bounds how much
       * stronger they are. Empty is as it should be.
       */
      readonly unbeaten: readonly string[];
    }
  /** Groups that were never compared with one another. */
  | { readonly is: 'not_connected'; readonly groups: readonly (readonly string[])[] };

interface Ranked {
  readonly name: string;
  /** Rank, from 1; equal strengths share a rank. */
  readonly rank: number;
  /** Strength in logarithms of odds; 0 is the mean of all. */
  readonly strength: number;
  readonly standardError: number;
  readonly lower: number;
  readonly upper: number;
  /** The chance to win over one of the others, on average. */
  readonly winRate: number;
}
