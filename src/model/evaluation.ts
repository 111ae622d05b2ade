/** Verdicts, outcomes and evaluations: what scoring says. */
import type { Ending } from './ending.ts';
import type { ConversationId, SpanId, TurnId } from './ids.ts';
import type { Grade } from './judging.ts';

/** Stores keep the place in this list: a new outcome goes to its end. */
export const OUTCOMES = [
  'successful_completion',
  'graceful_failure',
  'partial_failure',
  'hard_failure',
  'unscored',
  'no_fault_found',
  'handed_over',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const VERDICTS = ['pass', 'fail', 'not_applicable', 'error', 'skipped'] as const;
export type VerdictKind = (typeof VERDICTS)[number];

/**
 * Reason why an applicable question has no answer. An argument that the criterion reads is missing from the tool's
 * call, another value that it reads is missing, or content was not recorded. A check that reads words does not know the
 * language. Or the check or the judge failed.
 */
export const UNDECIDED = ['argument_absent', 'absent', 'not_recorded', 'language', 'error'] as const;
export type UndecidedReason = (typeof UNDECIDED)[number];

/** `reason` is one sentence for a person, never empty. */
export type Verdict =
  | DecidedVerdict
  /** `undecided` is absent where the question does not arise. */
  | { readonly verdict: 'not_applicable'; readonly reason: string; readonly undecided?: UndecidedReason }
  /** The check or the judge failed. */
  | { readonly verdict: 'error'; readonly reason: string }
  /** No judge was asked, or the judge has not answered yet. */
  | { readonly verdict: 'skipped'; readonly reason: string };

export interface DecidedVerdict {
  readonly verdict: 'pass' | 'fail';
  readonly reason: string;
  /** The spans that show it, the first one being the step that made the criterion fail. */
  readonly evidence: readonly SpanId[];
  /** Absent where no model was asked. */
  readonly judgedBy?: JudgeVersion;
  /** Absent where no steps were graded. */
  readonly steps?: readonly GradedStep[];
}

/** A step of the golden trace, and how right it was. A required one that was not made is 0, and no model was asked about it. */
export interface GradedStep {
  /** Number of the step in the golden trace, from 1. */
  readonly step: number;
  /** Tool as the golden trace names it. */
  readonly tool: string;
  readonly score: Grade['score'];
  readonly reason: string;
  /** Cost of the call that was made for it; undefined if there was none. */
  readonly spanId: SpanId | undefined;
  readonly otherVotes?: readonly Grade[];
}

/** Which judge gave a verdict, and in which version of all that it was asked by. */
export interface JudgeVersion {
  /** Judge, by its name in the configuration. */
  readonly judge: string;
  /** The model that answered, as the provider names it; absent where that was not kept. */
  readonly model?: string;
  /** Another one whenever the question, its guidance, what is shown, the model or its parameters are others. */
  readonly version: string;
}

/** Findings that matter although every criterion may have passed. */
export const FINDINGS = ['lucky_path', 'silent_inefficiency'] as const;
export type FindingKind = (typeof FINDINGS)[number];

export interface Finding {
  readonly finding: FindingKind;
  /** A sentence for a person. Never empty. */
  readonly reason: string;
  readonly evidence: readonly SpanId[];
}

export type SuiteScope = 'conversation' | 'turn';

/** Subjects of a criterion, the weakest first; `score/about.ts` explains each. Stores keep the place in this list. */
export const ABOUTS = ['form', 'rules', 'task'] as const;
export type About = (typeof ABOUTS)[number];

/** A weight in millionths, so that sums are exact: 0.30 + 0.25 + 0.20 is 750_000. */
export type Millionths = number;

export interface Evaluation {
  readonly conversationId: ConversationId;
  /** Present where the suite's scope is `turn`. */
  readonly turnId: TurnId | undefined;
  readonly suite: string;
  readonly suiteVersion: string;
  /** Made by a candidate that runs beside the live suite of this name, and counts for nothing. Absent otherwise. */
  readonly shadow?: true;
  readonly scope: SuiteScope;
  /** 1 the first time, one more for each time late spans changed what was scored. */
  readonly revision: number;
  /** Passed weight over decided weight, rounded to millionths; undefined when unscored. */
  readonly score: Millionths | undefined;
  readonly outcome: Outcome;
  /** Share of the weight that was decided; undefined where it was stored before that was kept. */
  readonly decidedShare?: Millionths | undefined;
  /** The most that a decided criterion is about; undefined where none was decided, or it was stored before that was kept. */
  readonly about?: About | undefined;
  /** How the conversation, or the turn, ended; undefined where it was stored before that was kept. */
  readonly ending?: Ending | undefined;
  /** Kind of the failure, as its suite names it; undefined where it is none, and where it was stored before that was kept. */
  readonly because?: string | undefined;
  readonly explanation: string;
  /** Verdicts by criterion, in the suite's order. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** Absent where there are none. */
  readonly findings?: readonly Finding[];
  /** The criteria whose verdicts are not in: until they are, this is what can be said so far, and is not counted. Absent where all are in. */
  readonly waitsFor?: readonly string[];
  /** Data to weigh it again without the spans. Not shown to people, and not there where it is read from a store. */
  readonly basis?: EvaluationBasis;
}

/** How the conversation ended, as its suite sees it. */
export interface EndConditions {
  readonly completed: boolean;
  readonly failed: boolean;
}

export interface EvaluationBasis {
  /** Fingerprint of the suite as it was: see `SuiteDefinition`. */
  readonly definition: string;
  /** Inputs of outcome rules besides the score; undefined if they could not be computed. */
  readonly conditions: EndConditions | undefined;
}
