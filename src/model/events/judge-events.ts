/** Events between questions and judges, to be counted and logged. Judges are named as they are in the configuration. */
import { JUDGE_FAILURES, JUDGE_OMISSIONS, type JudgeFailure, type JudgeOmission } from '../judging.ts';

/** Result of a call. */
export const CALL_RESULTS = ['said', ...JUDGE_FAILURES] as const;
export type CallResult = (typeof CALL_RESULTS)[number];

/** Result of a question. */
export const QUESTION_ENDS = ['answered', ...JUDGE_FAILURES, ...JUDGE_OMISSIONS] as const;
type QuestionEnd = 'answered' | JudgeFailure | JudgeOmission;

/** From scoring: this judge had answered the same question before, or is about to, and is not asked again. */
export interface AnswerReused {
  readonly type: 'answer-reused';
  readonly judge: string;
}

/** From scoring: evidence of an evaluation that a judge was shown, or was not because it did not fit. */
export interface EvidenceShown {
  readonly type: 'evidence-shown';
  readonly judge: string;
  readonly isCut: boolean;
  /** Answers that gave quotes of which none is in the evidence. */
  readonly unsupported: number;
}

export type JudgeEvent =
  | {
      readonly type: 'judge-called';
      readonly judge: string;
      readonly result: CallResult;
      /** Reason for the log. */
      readonly reason: string;
      readonly tookMs: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** Billionths of the currency: what it did cost, or the most it can have. */
      readonly nanos: number;
    }
  | {
      readonly type: 'question-ended';
      readonly judge: string;
      readonly end: QuestionEnd;
      /** The votes were not of one mind. */
      readonly disagreed: boolean;
    }
  | {
      readonly type: 'judge-stopped';
      readonly judge: string;
      readonly failure: JudgeFailure;
      readonly reason: string;
      readonly tryAgainMs: number;
    }
  | { readonly type: 'judge-resumed'; readonly judge: string }
  /** An answered question was asked a second time, as a probe. */
  | { readonly type: 'judge-probed'; readonly judge: string; readonly agreed: boolean }
  /** Questions wait because there is no money for them. */
  | { readonly type: 'budget-exhausted'; readonly window: 'hour' | 'day' }
  /** Periodic state of the judges. */
  | {
      readonly type: 'judging-observed';
      readonly judges: readonly {
        readonly judge: string;
        /** Questions that wait for it. */
        readonly questions: number;
        readonly oldestMs: number;
        readonly isStopped: boolean;
      }[];
      readonly spent: { readonly hourNanos: number; readonly dayNanos: number };
    }
  /** The store could not be used; it is tried again. */
  | { readonly type: 'judging-failed'; readonly problem: string };
