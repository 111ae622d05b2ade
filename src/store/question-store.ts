/**
 * Questions to judges, their answers, and the money: what asking needs of a store, and what evaluating needs of it.
 *
 *   waiting    an evaluation waits for it, from the transaction that evaluated without it
 *   reserved   the most that a call can cost counts as spent, and is durable, before the call is made
 *                                              a crash: the money stays spent, the call may be made again
 *   recorded   the call's vote is kept and its price corrected, in one transaction
 *                                              a crash: this call is not made again
 *   ended      the outcome is there, in the transaction of the last vote
 *                                              a crash: whoever waits is found by `endedWaiters`
 *   forgotten  an answer when it is old, anything else as soon as nobody waits for it
 *
 * A question has one row, whoever waits for it: what is asked alike is asked once. A failure is delivered to those that
 * waited when it came; a later request asks the question again.
 */
import type { JudgeOutcome, JudgeRequest } from '../model/judging.ts';
import type { EndedCall, PlannedCall, Reservation, Spent, WaitingQuestion } from '../model/questions.ts';

/** For the owner of the judges: each call is a transaction of its own. */
export interface QuestionStore {
  /** Questions of this judge that somebody waits for: highest priority first, then oldest. */
  waiting(judge: string, limit: number): Promise<readonly WaitingQuestion[]> | readonly WaitingQuestion[];
  /** Keys of those that wait since before that time, and of those behind the first `keep`; at most `limit` of each. */
  overdue(overdue: OverdueQuestions): Promise<readonly string[]> | readonly string[];
  /** By judge; those without any are not in it. */
  countWaiting(): Promise<ReadonlyMap<string, WaitingCount>> | ReadonlyMap<string, WaitingCount>;
  /** Takes the money, unless a limit would be exceeded: by all calls since, recorded or not, in whichever process. */
  reserve(call: PlannedCall): Promise<Reservation> | Reservation;
  record(call: EndedCall): Promise<void> | void;
  /**
   * These are to be asked beside evaluations, behind all that one waits for, and no others: nobody waits for their
   * answers but who looks for them (`EvaluationScanner.answerOf`). They go with their conversation.
   */
  askBeside(
    questions: readonly { readonly conversation: number; readonly request: JudgeRequest }[],
    at: number,
  ): Promise<void> | void;
  /** Without a call. Questions that have ended already stay as they are. */
  end(ends: readonly { readonly key: string; readonly outcome: JudgeOutcome }[], at: number): Promise<void> | void;
  spent(at: number): Promise<Spent> | Spent;
  /** Answers from before that time, what nobody waits for, and money from more than a day ago. Gives how many questions went. */
  forget(before: { readonly answeredAt: number; readonly spentAt: number }): Promise<number> | number;
}

export interface OverdueQuestions {
  readonly judge: string;
  readonly before: number;
  readonly keep: number;
  readonly limit: number;
}

export interface WaitingCount {
  readonly questions: number;
  readonly oldestAt: number;
}

/** State of asking, for whoever looks at it. */
export interface JudgingState {
  readonly spent: Spent;
  /** By judge; those without any are not in it. */
  readonly waiting: ReadonlyMap<string, WaitingCount>;
}

/** For whoever evaluates, inside his transaction. The waiting party is an evaluation. */
export interface WaitingQuestions {
  /**
   * It waits for these from now on, and for no others. A question that failed before is asked again, unless this
   * evaluation has waited for it. Returns those that cost nothing: others wait for them already.
   */
  waitFor(waiter: number, requests: readonly JudgeRequest[], at: number): readonly JudgeRequest[];
  /** `waiting` where there is no outcome that this one may use. Without a waiter there are answers only. */
  outcomeOf(key: string, waiter: number | undefined): JudgeOutcome | 'waiting';
  /** Waiting evaluations whose questions have all ended, the oldest first. */
  endedWaiters(limit: number): readonly number[];
  leave(waiter: number): void;
}
