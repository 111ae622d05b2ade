/** Two experiments side by side: how b differs from a, and how sure that is. */
import type { About, Outcome } from './evaluation.ts';
import type { Experiment, RunEnd } from './experiment.ts';

/**
 * `better`, `worse`, and of what is known by form or rules alone `fewer_faults`, `more_faults`: it is hardly chance. `no_difference_shown`: what difference there may be is smaller than what matters. `not_enough_evidence`: neither can be
 * said of so few cases.
 */
export type ComparisonWord =
  | 'better'
  | 'worse'
  | 'fewer_faults'
  | 'more_faults'
  | 'no_difference_shown'
  | 'not_enough_evidence';

export interface Comparison {
  readonly a: Experiment;
  readonly b: Experiment;
  readonly confidence: number;
  /** The smallest difference that matters. */
  readonly smallest: number;
  readonly warnings: readonly string[];
  /** Suites that scored both. */
  readonly suites: readonly SuiteComparison[];
}

export interface SuiteComparison {
  readonly suite: string;
  readonly warnings: readonly string[];
  readonly cases: {
    /** Cases that are the same in both; these are compared if there are any. */
    readonly shared: number;
    /** Cases with the same id in both and another content. */
    readonly changed: number;
    readonly onlyInA: number;
    readonly onlyInB: number;
  };
  /** The most that the decided criteria of either are about; undefined where it is not known. */
  readonly about: About | undefined;
  /** How much of the suite's weight could be decided in each, on average; null where it is not known. */
  readonly decidedShare: { readonly a: number | null; readonly b: number | null };
  /** The task completion rate: the mean score. */
  readonly score: Compared;
  readonly success: Compared;
  readonly outcomes: readonly { readonly outcome: Outcome; readonly compared: Compared }[];
  /** Runs that did not end as they should. */
  readonly failedRuns: Compared;
  /** Criteria in the suite's order; their p values are adjusted together. */
  readonly criteria: readonly { readonly criterion: string; readonly compared: Compared }[];
  readonly stepsPerSuccess: Compared;
  readonly tokensPerSuccess: Compared;
  readonly costPerSuccess: Compared;
  /** Split of the change of the score; undefined if one side has no score, or the weights are not known. */
  readonly split: ScoreSplit | undefined;
  /** Cases that pass in one and not in the other, in whole or in a criterion; the worst first, those that got better last. */
  readonly flipped: readonly FlippedCase[];
  readonly reliability: { readonly a: Reliability; readonly b: Reliability };
}

export type Compared =
  | {
      readonly is: 'compared';
      readonly a: number;
      readonly b: number;
      /** b − a, or b / a − 1 where it is relative. */
      readonly change: number;
      readonly lower: number;
      readonly upper: number;
      readonly isRelative: boolean;
      readonly isPaired: boolean;
      readonly cases: number;
      /** Cases in which the two differ; undefined if they are not paired. */
      readonly moved: number | undefined;
      /** How likely so large a difference is where there is none. */
      readonly p: number;
      /** p adjusted for the number of comparisons; the same as `p` for a single one. */
      readonly adjustedP: number;
      readonly test: 'mcnemar' | 'sign_flips' | 'fisher' | 'permutation' | 'sequential';
      /** Undefined of what is neither good nor bad. */
      readonly word: ComparisonWord | undefined;
      /**
       * Approximate number of cases that would show a drop by more than the smallest difference that matters, if there
       * is not enough evidence. Undefined for other words, and if no number would do.
       */
      readonly casesNeeded: number | undefined;
      /** Shortage other than that of cases, in words, where there is not enough evidence. */
      readonly missing?: string | undefined;
    }
  | { readonly is: 'not_compared'; readonly because: string };

export interface ScoreSplit {
  readonly change: number;
  readonly criteria: readonly { readonly criterion: string; readonly part: number }[];
  /** The part of no criterion: which cases came, which criteria applied, with which weights. */
  readonly mix: number;
}

export interface FlippedCase {
  readonly case: string;
  readonly fingerprint: string;
  readonly direction: 'worse' | 'better';
  /** Rates over repeats; undefined if unknown. */
  readonly success: Pair<number | undefined>;
  readonly score: Pair<number | undefined>;
  /** The criteria that flipped, with the rate at which they pass. */
  readonly criteria: readonly { readonly criterion: string; readonly a: number; readonly b: number }[];
  readonly conversations: Pair<readonly string[]>;
  /** How its runs ended, where one did not as it should. */
  readonly ends: Pair<readonly RunEnd[]>;
}

interface Pair<T> {
  readonly a: T;
  readonly b: T;
}

/** Reliability by the repeats of a case: does it work once, or each time? */
export interface Reliability {
  readonly suite: string;
  readonly repeats: number;
  /**
   * Shares by k: pass@k, that at least one of k runs passes, and pass^k, that all of them do. Empty if each case was
   * run once.
   */
  readonly passes: readonly {
    readonly k: number;
    readonly cases: number;
    readonly passAt: Interval;
    readonly passHat: Interval;
  }[];
  /** Repeats of which do not agree; those that agree least first. */
  readonly flakyCases: readonly FlakyCase[];
  /** Criteria whose verdicts differ between repeats, by the number of such cases; the most first. */
  readonly flakyCriteria: readonly { readonly criterion: string; readonly cases: number; readonly of: number }[];
}

export interface Interval {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

export interface FlakyCase {
  readonly case: string;
  readonly passes: number;
  readonly runs: number;
  readonly criteria: readonly { readonly criterion: string; readonly passes: number; readonly runs: number }[];
}
