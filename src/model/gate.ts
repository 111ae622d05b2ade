/** Questions and answers of a release gate. */
import type { About } from './evaluation.ts';

/** `floor` and `max_drop` are for figures of which more is better, `ceiling` and `max_rise` for those of which less is. */
export const LIMIT_KINDS = ['floor', 'max_drop', 'ceiling', 'max_rise'] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/**
 * Rules that count cases, and need no statistics: they hold from the first case.
 *
 * `newly_hard_failing`: passed in the baseline, and fails hard now. `critical_failures`: a critical criterion fails, whatever the baseline did. `newly_critical`: a
 * critical criterion fails that failed in no run of the case in the baseline. `cases_worse`: passed
 * in the baseline, in whole or in a criterion, and does not now. `missing_cases`: the candidate did not run a case of the baseline, or ran it with another content,
 * so that nothing can be said of it.
 */
export const COUNT_RULES = [
  'newly_hard_failing',
  'newly_critical',
  'critical_failures',
  'cases_worse',
  'missing_cases',
] as const;
export type CountRule = (typeof COUNT_RULES)[number];

/** Written for a number of cases: as many as chance explains. */
export const BY_CHANCE = 'by chance';

/** `not_applicable`: a rule about something that the suite does not ask, or one that nobody wrote about what the agent does not report. */
export type RuleDecision = 'pass' | 'regression' | 'not_enough_evidence' | 'not_applicable';
export type GateDecision = Exclude<RuleDecision, 'not_applicable'>;

/** Number of whole cases after which a sequential gate is asked. */
export interface PlannedLook {
  readonly cases: number;
  /** Share of the gate's error that this look may spend. The shares of all looks sum to 1. */
  readonly share: number;
}

export interface GateLook extends PlannedLook {
  /** Number of the look, from 1. */
  readonly number: number;
  readonly of: number;
  readonly ofCases: number;
  /** Whether the experiment ended at it. */
  readonly isEnd: boolean;
}

/** Whether it has all cases. */
export function isLastLook({ number, of }: GateLook): boolean {
  return number === of;
}

export type JudgedRule = JudgedLimit | JudgedCount | JudgedByChance;

interface Judged {
  readonly suite: string;
  readonly decision: RuleDecision;
  /** A sentence for a person. */
  readonly because: string;
  /** Figures for a person's eyes, such as `−12.4 points`, `−18.1 to −6.9` and `at most 5 points down`, or `3 cases`. */
  readonly shown: { readonly allowed: string; readonly value: string; readonly interval: string };
  /** Some of the cases that speak against the candidate, the worst first. */
  readonly examples: readonly string[];
}

/** Decided on an interval. */
export interface JudgedLimit extends Judged {
  readonly is: 'limit';
  /** Rule as the file names it, such as `success_rate` or `criterion.correct_time`. */
  readonly rule: string;
  readonly limit: LimitKind;
  readonly allowed: number;
  /** It is about the cases of the dataset alone. */
  readonly isOnCases: boolean;
  /** Undefined where there is no figure; `because` says why. */
  readonly figures: RuleFigures | undefined;
  /**
   * Approximate number of cases of the same kind that would decide it; undefined if it is decided, or if no number
   * would do.
   */
  readonly casesNeeded: number | undefined;
  /** Runs of each case that would decide it instead, for a limit on these cases. */
  readonly runsNeeded: number | undefined;
  /** The limit is broken if everything that is not known counts as a failure. */
  readonly isBrokenAtWorst: boolean;
}

/** Words for what would decide a limit that is open. */
export function neededWords({ casesNeeded, runsNeeded }: Pick<JudgedLimit, 'casesNeeded' | 'runsNeeded'>): string {
  if (runsNeeded !== undefined) return `about ${runsNeeded} runs of each case, or ${casesNeeded} cases, would tell`;
  return casesNeeded === undefined ? 'too near the limit to tell' : `about ${casesNeeded} cases would tell`;
}

/** About single cases. */
interface JudgedCases extends Judged {
  readonly counted: CountedCases;
  /** The command that shows the first of the examples; undefined where there is none. */
  readonly readWith: string | undefined;
}

/** Decided on the cases that there are. */
export interface JudgedCount extends JudgedCases {
  readonly is: 'count';
  readonly rule: CountRule;
  readonly allowed: number;
}

/** Broken if more got worse than chance explains. */
export interface JudgedByChance extends JudgedCases {
  readonly is: 'by_chance';
  readonly rule: 'cases_worse';
  /** Success and the criteria that did not have the same result in all runs, the most telling first. */
  readonly tests: readonly WorseTest[];
  /** The rule is broken if everything that is not known counts as a failure. */
  readonly isBrokenAtWorst: boolean;
}

/** Whether runs pass less often than chance explains. */
export interface WorseTest {
  /** Undefined for success. */
  readonly criterion: string | undefined;
  readonly p: number;
  /** How many times likelier the runs are if the candidate got worse: an e-value, which multiplies with those of other runs. */
  readonly evidence: number;
  /** Share of the gate's error: p up to it is a regression. */
  readonly level: number;
  readonly isBroken: boolean;
  readonly baseline: PassedRuns;
  readonly candidate: PassedRuns;
  /** How alike the runs of a case are in one build, from earlier builds. Undefined where they are taken to be independent. */
  readonly correlation: number | undefined;
}

export interface PassedRuns {
  readonly passes: number;
  readonly of: number;
}

/** Cases by what a count rule says of them; ids, in order. */
export interface CountedCases {
  readonly broken: readonly string[];
  /** Members of `broken` whose content changed since the baseline; for `missing_cases` only. */
  readonly changed: readonly string[];
  /** Cases that may be broken: the candidate ran them, and its result is unknown. */
  readonly undecided: readonly string[];
  /** How many the candidate has not run (yet). For `missing_cases`, those that it need not run. */
  readonly notRun: number;
  /** How many were decided. */
  readonly cases: number;
  /** Cases that count neither for nor against the candidate, by the reason. */
  readonly leftOut: { readonly [reason in LeftOut]: number };
}

/** `not_scored`: the suite said nothing of the case where it was the first to. */
export const LEFT_OUT = ['only_in_baseline', 'only_in_candidate', 'changed', 'not_scored'] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

/**
 * Whether a rule without enough evidence lets the release pass. A count waits for no evidence that more cases could bring, so it never does. Neither does a rule that
 * may be broken by what is not known, such as runs that crashed.
 */
export function isWaived(rule: JudgedRule, onNotEnoughEvidence: 'fail' | 'pass'): boolean {
  if (rule.is === 'count' || rule.decision !== 'not_enough_evidence') return false;
  return onNotEnoughEvidence === 'pass' && !rule.isBrokenAtWorst;
}

/** Whether the release may go out: nothing is broken, and what could not be decided is waived. */
export function mayRelease(
  { decision, rules, look }: Pick<GateResult, 'decision' | 'rules' | 'look'>,
  onNotEnoughEvidence: 'fail' | 'pass',
): boolean {
  if (decision !== 'not_enough_evidence') return decision === 'pass';
  // The cases that are left may decide it.
  if (look !== undefined && !isLastLook(look)) return false;
  const open = rules.filter((rule) => rule.decision === 'not_enough_evidence');
  return onNotEnoughEvidence === 'pass' && open.every((rule) => isWaived(rule, onNotEnoughEvidence));
}

interface RuleFigures {
  /** Figure that is compared with the limit: a level, or the distance of the candidate from the baseline. */
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  /** The candidate's own figure if the rule is about a level; the baseline is undefined then. */
  readonly baseline: number | undefined;
  readonly candidate: number;
  readonly cases: number;
  /** Cases in which the two differ; undefined for levels, and if cases are not paired. */
  readonly moved: number | undefined;
  /** Each case beside itself. */
  readonly isPaired: boolean;
  /** Shares of the baseline rather than a difference. */
  readonly isRelative: boolean;
}

export interface GateResult {
  readonly decision: GateDecision;
  /** The decision and its reason, for a person. */
  readonly sentence: string;
  /**
   * All rules together: the same agent compared with itself is called a regression in at most the rest of all samples.
   */
  readonly confidence: number;
  /** Look at which an experiment that ends when it is decided was decided; undefined of others. */
  readonly look: GateLook | undefined;
  readonly candidate: GateSide;
  readonly baseline: GateSide | undefined;
  readonly rules: readonly JudgedRule[];
  /** The most that the decided criteria of each suite are about, by its name; none where it is not known. */
  readonly about: ReadonlyMap<string, About>;
  /** Reasons why the two are hard to compare, in sentences. */
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
