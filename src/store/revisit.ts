/**
 * Conversations that are to be looked at again although no span came: something about them is known now that was not when they were
 * scored. What is asked for stands in the store from the transaction in which it became known, until the transaction that looked again.
 */
import type { Evaluation } from '../model/evaluation.ts';
import type { Json } from '../model/json.ts';
import type { JudgeRequest } from '../model/judging.ts';
import type { EvaluationPlace } from './engine-store.ts';

/** An evaluation of which some verdicts are not in: what it says so far, and whom it waits for. */
export interface WaitingEvaluation {
  /** Its `waitsFor` says which verdicts are not in; they are `skipped`. Neither its score nor its outcome has been counted. */
  readonly evaluation: Evaluation;
  readonly place: EvaluationPlace;
  /** Criteria whose verdicts have been counted already, by this or an earlier evaluation that waited. */
  readonly counted: readonly string[];
  readonly requests: readonly JudgeRequest[];
}

/** As the store gives it back: what was asked stands elsewhere. */
export type HeldEvaluation = Omit<WaitingEvaluation, 'requests'>;

/** Who puts truth into the store; undefined takes it away. */
export interface TruthStore {
  /** Has the conversation looked at again if it was scored. False where this was known already. */
  put(conversationId: string, truth: Json | undefined): Promise<boolean> | boolean;
}
