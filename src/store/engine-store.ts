/**
 * Port of the store for the engine, and the types that both use. All calls are synchronous and belong to a transaction
 * that the caller began: SQLite answers them directly; PostgreSQL has loaded what they will ask for before the engine
 * runs.
 *
 * Rows of conversations and traces are numbers that are good for one store and, with PostgreSQL, for one transaction.
 */
import type { SeriesExemplar } from '../model/metric.ts';
import type { CloseCause } from '../model/causes.ts';
import type { Ending } from '../model/ending.ts';
import type { Evaluation, Millionths, Outcome } from '../model/evaluation.ts';
import type { ConversationId, TraceId, TurnId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { JudgeOutcome, JudgeRequest } from '../model/judging.ts';
import type { FeedbackBook } from './feedback-store.ts';
import type { ConversationHead } from './conversation-columns.ts';
import type { WaitingObservation } from './detection-store.ts';
import type { SeenConversation } from './evaluation-columns.ts';
import type { HistoryChanges } from './history.ts';
import type { SpokenWordStore } from './spoken-words.ts';
import type { Said } from './verdict-codec.ts';

export interface TraceContent {
  /** An OTLP TracesData message with all spans of the trace. */
  readonly traces: Uint8Array;
  /** An OTLP LogsData message with the log records of the trace. */
  readonly logs: Uint8Array | undefined;
}

export interface StoredTrace {
  readonly row: number;
  readonly traceId: TraceId;
  readonly conversation: number;
  readonly revision: number;
  /** Every span of the trace before this position of the log is in here. */
  readonly position: number;
  readonly closedAt: number;
  readonly spans: number;
  /** A turn that was closed for its size takes no more spans. */
  readonly sealed: boolean;
}

export interface NewTrace extends Omit<StoredTrace, 'row'> {
  readonly cause: CloseCause;
  readonly content: TraceContent;
}

export interface StoredConversation extends ConversationHead {
  readonly row: number;
  readonly firstClosedAt: number;
}

export type NewConversation = Pick<StoredConversation, 'id' | 'labels' | 'firstClosedAt'>;
export type ConversationChanges = Partial<Omit<StoredConversation, 'row' | 'id' | 'firstClosedAt'>>;

export interface ConversationKeys {
  readonly has: readonly string[];
  readonly wants: readonly string[];
}

export interface EvaluationKey {
  readonly conversation: number;
  /** See `suiteKey`. */
  readonly suite: string;
  readonly turnId: TurnId | undefined;
}

export interface EvaluationPlace {
  readonly conversation: number;
  readonly trace: number;
  readonly labels: Labels;
  /** For whoever weighs it again later; not known of one that waits. */
  readonly seen?: SeenConversation;
  /** See `sub-agents-codec.ts`. */
  readonly subAgents?: string;
}

export interface PreviousEvaluation {
  readonly suiteVersion: string;
  readonly revision: number;
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** The labels under which the first revision was counted. */
  readonly labels: Labels;
  readonly decidedShare: Millionths | undefined;
  readonly ending: Ending | undefined;
  /** Amounts counted besides its verdicts; parts are undefined if it was stored before they were kept. */
  readonly seen: SeenConversation;
  /** Its verdicts and findings. */
  said(): Said;
}

export type Labels = { readonly [label: string]: string };

export interface Total {
  readonly metric: string;
  readonly labels: Labels;
  readonly value: number;
  /** The last conversation that moved it; not kept over a restart. */
  readonly exemplar: SeriesExemplar | undefined;
  /** It was deleted. */
  readonly isGone?: true;
}

/**
 * The running totals behind every quality metric. They live in the store and change in the same transaction as the evaluations
 * they count, so that a counter continues over a restart and always equals what the store says.
 */
export interface RunningTotals {
  /** Finds the series or makes it, at zero. Callers name a metric's labels always in the same order. */
  series(metric: string, labels: Labels): { add(amount: number, exemplar?: SeriesExemplar): void };
  /** Series of these labels are deleted with the commit; they begin again at zero where one is asked for. */
  drop(isGone: (labels: Labels) => boolean): void;
  /** A time of the log, in milliseconds, of which the smallest that was ever noted stays, whichever instance noted it. */
  earliest(metric: string, labels: Labels): { note(time: number): void };
  /** Times that have been noted. */
  all(): readonly Total[];
  /** Conversations were deleted: no exemplar names one of them any more. */
  dropExemplars(): void;
}

/** Traces: the parts of turns as their spans arrived. */
export interface TraceStore {
  find(traceId: TraceId): StoredTrace | undefined;
  /** Whether retention has deleted the trace with its conversation while its spans may still be redelivered. */
  wasPruned(traceId: TraceId): boolean;
  contentOf(trace: number): TraceContent;
  /** Traces of a conversation, in the order in which they were first stored. */
  ofConversation(conversation: number): readonly StoredTrace[];
  /** Returns its row. */
  insert(trace: NewTrace): number;
  revise(trace: NewTrace & { readonly row: number }): void;
  /** Records that the trace was read up to `position` and that nothing new was there. */
  pass(row: number, position: number): void;
}

/** Conversations as rows. The engine decides what changes in them; what it is given does not change under its hands. */
export interface ConversationStore {
  /** The engine's, for all that is written. */
  foretell: (conversation: StoredConversation) => number | undefined;
  find(id: ConversationId): StoredConversation | undefined;
  /** One without turns, which is not due. */
  make(conversation: NewConversation): StoredConversation;
  at(row: number): StoredConversation;
  /** Returns it as it is then. */
  change(row: number, changes: ConversationChanges): StoredConversation;
  remove(row: number): void;
  /** The conversation that is due first, at or before `logTime`. */
  nextDue(logTime: number): StoredConversation | undefined;
}

/** Evidence by which turns without a conversation id refer to one another. */
export interface ConversationKeyStore {
  /** Whether any turn came without a conversation id, so that others may belong to it. */
  readonly hasAny: boolean;
  /** Conversations of turns without an id that refer to one another, oldest first. */
  find(keys: ConversationKeys): readonly StoredConversation[];
  add(conversation: number, keys: ConversationKeys): void;
}

/** Parts of turns that are evaluated once everything that closes at the same time is stored. */
export interface PostponedTurnStore {
  add(trace: number, closedAt: number): void;
  /** Removes and returns the traces that closed at or before that time, in the order in which they closed. */
  take(logTime: number): readonly StoredTrace[];
}

export interface EvaluationStore {
  /** The last one. */
  previous(key: EvaluationKey): PreviousEvaluation | undefined;
  /** Calls `onNew` before the commit, unless this evaluation is in the store already and has been counted. */
  insert(evaluation: Evaluation, place: EvaluationPlace, onNew: (evaluation: Evaluation) => void): void;
}

/** An evaluation of which some verdicts are not in: what it says so far, and whom it waits for. */
export interface WaitingEvaluation {
  /** Its `waitsFor` says which verdicts are not in; they are `skipped`. Neither its score nor its outcome has been counted. */
  readonly evaluation: Evaluation;
  readonly place: EvaluationPlace;
  /**
   * Verdicts that have been counted already, by this or an earlier evaluation that waited: `<criterion> <verdict>`. An older Assay wrote the
   * criterion alone.
   */
  readonly counted: readonly string[];
  readonly requests: readonly JudgeRequest[];
}

/** As the store gives it back: what was asked stands elsewhere. */
export type HeldEvaluation = Omit<WaitingEvaluation, 'requests'>;

/** Evaluations with verdicts that are still pending: at most one for each suite and turn. */
export interface WaitingEvaluationStore {
  /**
   * Replaces an earlier one of the same suite and turn. Returns the requests that others wait for already, where that is known before the
   * transaction is written (`ScoredBatch.reused`).
   */
  put(waiting: WaitingEvaluation): readonly JudgeRequest[];
  find(key: EvaluationKey): HeldEvaluation | undefined;
  /** Its last verdict is in, or is no longer awaited. */
  drop(key: EvaluationKey): void;
  /** Drops those of the conversation whose requests have all ended. */
  dropAnswered(conversation: number): void;
  /** Undefined while it is pending. A failure is for the evaluations that waited when it came; others get undefined. */
  outcomeOf(requestKey: string, evaluation: EvaluationKey): JudgeOutcome | undefined;
}

export interface RevisitStore {
  /** Has the conversation evaluated again at that log time, unless that is asked for already. */
  ask(conversation: number, logTime: number): void;
  /**
   * Rows of conversations to evaluate again by now, each once, in order; conversations that were deleted are left out. If there are
   * many, the next calls return the rest.
   */
  take(logTime: number): readonly number[];
}

/** Names by which what was forgotten is recognised when it arrives. */
export interface ForgettableNames {
  readonly conversation: ConversationId | undefined;
  readonly users: readonly string[];
}

/** Conversations and users that somebody asked to be forgotten, while spans of them may still arrive (decision 35). */
export interface ForgottenStore {
  /** False most of the time, so that nothing else needs to be asked. */
  readonly hasAny: boolean;
  hasTrace(traceId: TraceId): boolean;
  has(names: ForgettableNames): boolean;
  /** A turn of it arrived, and is not stored. The conversation in which its trace was stored goes as well. */
  drop(turn: Pick<StoredTrace, 'traceId' | 'position' | 'closedAt'>, known: StoredTrace | undefined): void;
}

export interface EngineStore {
  readonly forgotten: ForgottenStore;
  readonly totals: RunningTotals;
  readonly traces: TraceStore;
  readonly conversations: ConversationStore;
  readonly keys: ConversationKeyStore;
  readonly postponed: PostponedTurnStore;
  readonly evaluations: EvaluationStore;
  /** Evaluations by time, in the same transaction as they. */
  readonly history: Pick<HistoryChanges, 'count'>;
  readonly words: SpokenWordStore;
  readonly waiting: WaitingEvaluationStore;
  /** Ground truth that was put in from outside of the conversation's spans. */
  readonly truths: { find(conversation: ConversationId): Json | undefined };
  readonly feedback: FeedbackBook;
  readonly revisits: RevisitStore;
  /** New evaluations, from the same commit on, for the next round of regression detection. */
  readonly detection: { add(observation: WaitingObservation): void };
  /** Results for a backend, from the same commit on. */
  readonly results: { add(payload: string): void };
  /** Conversations for the archive, from the same commit on. */
  readonly archive: { add(conversation: ConversationId): void };

  /** Moves what was said of a turn to another conversation; the trace itself has been revised. */
  moveTrace(trace: number, place: { readonly from: number; readonly to: number }): void;
  /** Moves traces, evaluations and keys of a conversation to another. */
  moveConversation(from: number, to: number): void;
}
