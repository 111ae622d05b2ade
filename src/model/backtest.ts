/** Result of a backtest: the verdicts that a changed suite would have given, beside the recorded ones. */
import type { DetectorMetric } from './detection.ts';
import type { Outcome, VerdictKind } from './evaluation.ts';

export interface BacktestReport {
  readonly suite: string;
  readonly version: string;
  readonly against: {
    readonly suite: string;
    /** Stored evaluations, by version. */
    readonly versions: readonly { readonly version: string; readonly evaluations: number }[];
    /** The version that is configured; undefined where none of that name is. */
    readonly configured: string | undefined;
  };
  readonly counted: BacktestCounts;
  readonly before: BacktestTotals;
  readonly after: BacktestTotals;
  /** Outcomes of conversations that the changed suite matches and the old one did not. In no other figure. */
  readonly joined: BacktestTotals;
  readonly outcomes: readonly { readonly from: Outcome; readonly to: Outcome; readonly evaluations: number }[];
  readonly criteria: readonly CriterionChange[];
  readonly agents: readonly AgentChange[];
  /** Evaluations with another score or outcome. */
  readonly changed: number;
  /** The most changed first. */
  readonly conversations: readonly ChangedConversation[];
  /** Tools that its expressions name and no conversation called that was read again. */
  readonly neverCalled: readonly { readonly tool: string; readonly didYouMean: string | undefined }[];
  readonly judges: readonly JudgeBill[];
  /** Undefined where regressions are not looked for. */
  readonly alerts: BacktestAlerts | undefined;
}

interface BacktestCounts {
  /** Conversations that both suites scored; all figures are about these. */
  readonly compared: number;
  /** Evaluations weighed again from stored verdicts, without reading a span. */
  readonly weighedAgain: number;
  readonly askedAgain: number;
  /** Would have had to be asked again, and the spans are not kept any more. */
  readonly spansNotKept: number;
  /** Their spans are there and could not be understood, or the suite as a whole could not answer. */
  readonly notUnderstood: number;
  /** The changed suite is not for these any more. */
  readonly left: number;
  /** Conversations that go on: asked as they are now, and among those that no suite scored. */
  readonly notOver: number;
  /** Compared without the verdicts of judges who would have to be asked. */
  readonly withoutJudges: number;
}

export interface BacktestTotals {
  readonly evaluations: number;
  readonly scored: number;
  /** The mean score in millionths; undefined where nothing was scored. */
  readonly tcr: number | undefined;
  /** Sum of the squares of the distances from the mean, of scores from 0 to 1. */
  readonly squares: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

export interface CriterionChange {
  readonly criterion: string;
  /** `said by both`: of a suite in shadow, which was asked as the live one was. */
  readonly how: 'weighed again' | 'asked again' | 'said by both' | 'new' | 'gone';
  /** Weight as a share of the suite before; undefined if the criterion is not in it, or the suite is unknown. */
  readonly weightBefore: number | undefined;
  readonly weightAfter: number | undefined;
  readonly before: Passed;
  readonly after: Passed;
  /** Its part of the change of the mean score, in millionths; undefined if the weights before are not known. */
  readonly points: number | undefined;
}

export interface Passed {
  readonly passed: number;
  readonly decided: number;
}

export interface AgentChange {
  readonly agent: string;
  readonly agentVersion: string;
  readonly environment: string;
  readonly before: BacktestTotals;
  readonly after: BacktestTotals;
}

export interface ChangedConversation {
  readonly conversationId: string;
  readonly turnId: string | undefined;
  readonly agent: string;
  readonly agentVersion: string;
  readonly before: SideOfChange;
  readonly after: SideOfChange;
  readonly movedBy: readonly Mover[];
}

export interface SideOfChange {
  readonly score: number | undefined;
  readonly outcome: Outcome;
}

/** A criterion by which a conversation changed. */
export interface Mover {
  readonly criterion: string;
  /** Undefined where that suite does not have it. */
  readonly before: VerdictKind | undefined;
  readonly after: VerdictKind | undefined;
  /** Change of the score that it made, in millionths; undefined if unknown. */
  readonly points: number | undefined;
}

/** Cost of asking a judge, in the currency of its prices. */
export interface JudgeBill {
  readonly judge: string;
  readonly questions: number;
  readonly calls: number;
  /** Estimated tokens. */
  readonly inputTokens: number;
  /** Estimated cost if answers are empty, and if they are as long as allowed. */
  readonly costLeast: number;
  readonly costMost: number;
}

export interface BacktestAlerts {
  readonly before: readonly RegressionEpisode[];
  readonly after: readonly RegressionEpisode[];
  /** Not all conversations have their effort stored, so cost and steps were not watched. */
  readonly withoutEffort: boolean;
}

export interface RegressionEpisode {
  /** Present where the metric is `segment`, such as `segment: enterprise`. */
  readonly part?: string | undefined;
  readonly agent: string;
  readonly environment: string;
  readonly metric: DetectorMetric;
  readonly criterion: string | undefined;
  /** Log time. */
  readonly beganAt: number;
  /** Undefined while it lasted at the end. */
  readonly endedAt: number | undefined;
}
