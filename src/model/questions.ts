/**
 * Questions that wait, and the results of calls: types that asking and the store share. Money is in billionths of the
 * currency, whole.
 */
import type { ReadAnswer } from './judge-answer.ts';
import type { JudgeFailure, JudgeOutcome, JudgeRequest } from './judging.ts';

/** Money is kept in whole billionths of the currency. */
export const NANOS = 1e9;

/** Final result of one of the votes: it is not asked for again. */
export type Vote =
  | { readonly is: 'said'; readonly answers: readonly ReadAnswer[]; readonly model: string }
  | { readonly is: 'failed'; readonly failure: JudgeFailure; readonly reason: string };

export interface WaitingQuestion {
  readonly request: JudgeRequest;
  /** Wall-clock time in milliseconds since which an evaluation waits for it. */
  readonly askedAt: number;
  readonly votes: readonly Vote[];
}

export interface SpendingLimits {
  /** Most in any sixty minutes; Infinity for no limit. */
  readonly hourNanos: number;
  /** Most in any twenty-four hours. */
  readonly dayNanos: number;
}

export interface PlannedCall {
  readonly key: string;
  /** The most that it can cost. */
  readonly nanos: number;
  /** Wall clock. */
  readonly at: number;
  readonly limits: SpendingLimits;
}

export type Reservation =
  | { readonly reserved: true; readonly call: number }
  | { readonly reserved: false; readonly exhausted: 'hour' | 'day' };

export interface EndedCall {
  /** Number of the call, as its reservation has it. */
  readonly call: number;
  readonly key: string;
  /** Cost of the call, or the most that it can have cost. */
  readonly nanos: number;
  readonly at: number;
  /** Undefined where the call came to nothing and another may be made. */
  readonly vote: Vote | undefined;
  /** Present if this call's vote was the last one needed. */
  readonly outcome: JudgeOutcome | undefined;
}

export interface Spent {
  readonly hourNanos: number;
  readonly dayNanos: number;
}
