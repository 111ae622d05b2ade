/** Which of two answers is preferred, and what many such preferences come to. */
import type { Estimated } from './estimated.ts';
import type { Ranking } from './ranking.ts';

/** Which of two answers is preferred: a point for the one, and none for either where they are about equal. */
export type Preference = readonly [1, 0] | readonly [0, 1] | readonly [0, 0];

export interface PreferenceTally {
  readonly a: string;
  readonly b: string;
  readonly winsA: number;
  readonly winsB: number;
  readonly ties: number;
  /** Ties in which the two orders gave different answers. */
  readonly contradictions: number;
  /** Pairs about which nothing was learnt. */
  readonly unanswered: number;
  /** The cases in which a wins, and those in which b does. */
  readonly casesA: readonly string[];
  readonly casesB: readonly string[];
}

export interface PositionLean {
  /** Decisions for the answer that stood first. */
  readonly first: number;
  /** Decisions for either. */
  readonly decided: number;
}

export interface WeighedPreferences {
  readonly pairs: readonly WeighedPair[];
  readonly lean: PositionLean & {
    /** The share of decisions for what stood first; undefined where nothing was decided. */
    readonly share: Estimated | undefined;
    /** Whether a judge without a lean would be as one-sided as this one. */
    readonly p: number | undefined;
  };
  /** Ranking of three or more; undefined for two. */
  readonly ranking: Ranking | undefined;
}

export interface WeighedPair extends PreferenceTally {
  /** Share of b: a win counts one, a tie a half. Undefined where nothing is known. */
  readonly share: Estimated | undefined;
  /** Probability of a share of b as far from a half, if the two were equally good. */
  readonly p: number | undefined;
}
