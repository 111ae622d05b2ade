/** Outcomes in the world (a reward, a rating, "reopened"), and how what suites say of the same conversations holds against them. */
import type { Estimate } from './estimate.ts';
import type { About, JudgeVersion, Outcome, SuiteScope } from './evaluation.ts';

export interface OutcomeLabel {
  readonly isGood: boolean;
  /** Conversations of the same case resemble one another; undefined for a case of its own. */
  readonly case: string | undefined;
}

/** An outcome that is kept: a conversation may have several, each under its own name. */
export interface NamedOutcome extends OutcomeLabel {
  readonly conversationId: string;
  /** `csat`, `reopened`, `reward`, …: what says so. */
  readonly label: string;
  /** Value as written before it was read as good or bad: `4`, `reopened`. */
  readonly value: string | undefined;
}

/** Outcome to be stored. An undefined `isGood` removes the stored one. */
export type SaidOutcome = Omit<NamedOutcome, 'isGood'> & { readonly isGood: boolean | undefined };

/** Conversations with a good and with a bad outcome. */
interface GoodAndBad {
  readonly good: number;
  readonly bad: number;
}

export interface SuiteValidity extends GoodAndBad {
  readonly suite: string;
  /** Version of the rules: figures of different versions are not comparable. */
  readonly suiteVersion: string;
  /** Scope of the suite. For `turn`, the worst outcome of a conversation's turns and the mean of their scores count. */
  readonly scope: SuiteScope;
  /** The most that its decided criteria are about; undefined where it is not known. */
  readonly about: About | undefined;
  readonly shareGood: Estimate | undefined;
  /** Outcomes that the suite gave, from best to worst. */
  readonly said: readonly ({ readonly outcome: Outcome } & GoodAndBad)[];
  readonly saidGood: GoodAndBad;
  readonly saidBad: GoodAndBad;
  /** Neither good nor bad: handed over, or not scored. In no figure of agreement. */
  readonly saidNeither: GoodAndBad;
  readonly agreement: Estimate | undefined;
  /** Agreement beyond chance; undefined if one kind alone was found. */
  readonly kappa: Estimate | undefined;
  readonly withoutScore: GoodAndBad;
  /** Area under the curve of the score; undefined where no good or no bad one has a score. */
  readonly area: Estimate | undefined;
  /** Undefined where no case has good and bad ones. */
  readonly withinCases: { readonly area: Estimate; readonly cases: number; readonly pairs: number } | undefined;
  readonly criteria: readonly CriterionValidity[];
}

export interface CriterionValidity {
  readonly criterion: string;
  /** Version of the judge that answered; undefined where code decided. */
  readonly judgedBy: JudgeVersion | undefined;
  readonly decided: GoodAndBad;
  readonly failed: GoodAndBad;
  /** Share of its failures whose outcome is bad; undefined where it never failed. */
  readonly precision: Estimate | undefined;
  /** Share of all bad outcomes that it failed, undecided ones included, but not those of which another version of the judge was asked. */
  readonly recall: Estimate | undefined;
}
