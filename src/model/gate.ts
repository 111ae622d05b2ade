/** What a release gate asks, and what it answers. */

/** `floor` and `max_drop` are for figures of which more is better, `ceiling` and `max_rise` for those of which less is. */
export const LIMIT_KINDS = ['floor', 'max_drop', 'ceiling', 'max_rise'] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** `not_applicable`: a rule that nobody wrote, about something that the agent does not tell. */
export type RuleDecision = 'pass' | 'regression' | 'not_enough_evidence' | 'not_applicable';
export type GateDecision = Exclude<RuleDecision, 'not_applicable'>;

export interface JudgedRule {
  readonly suite: string;
  /** As it is written in the file, such as `success_rate` or `criterion.correct_time`. */
  readonly rule: string;
  readonly limit: LimitKind;
  readonly allowed: number;
  readonly decision: RuleDecision;
  /** One sentence, for a person. */
  readonly because: string;
  /** Undefined where there is no figure; `because` says why. */
  readonly figures: RuleFigures | undefined;
  /** The same for a person's eyes, such as `−12.4 points`, `−18.1 to −6.9` and `at most 5 points down`. */
  readonly shown: { readonly allowed: string; readonly value: string; readonly interval: string };
  /** About how many cases, of the same kind, it takes to tell; undefined where it is told, or where no number would do. */
  readonly casesNeeded: number | undefined;
  /** Some of the cases that speak against the candidate, the worst first. */
  readonly examples: readonly string[];
}

interface RuleFigures {
  /** What is held against the limit: a level, or how far the candidate is from the baseline. */
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  /** Of levels the candidate's own; the baseline is undefined then. */
  readonly baseline: number | undefined;
  readonly candidate: number;
  readonly cases: number;
  /** In how many of them the two differ; undefined of levels, and where cases are not paired. */
  readonly moved: number | undefined;
  /** Each case beside itself. */
  readonly isPaired: boolean;
  /** Shares of the baseline rather than a difference. */
  readonly isRelative: boolean;
}

export interface GateResult {
  readonly decision: GateDecision;
  /** All rules together: the same agent held against itself is called a regression at most in the rest of all samples. */
  readonly confidence: number;
  readonly candidate: GateSide;
  readonly baseline: GateSide | undefined;
  readonly rules: readonly JudgedRule[];
  /** What makes the two hard to compare, in sentences. */
  readonly warnings: readonly string[];
}

export interface GateSide {
  readonly id: string;
  readonly name: string;
  readonly agentVersion: string | undefined;
  readonly commit: string | undefined;
  readonly startedAt: string;
  readonly runs: number;
}
