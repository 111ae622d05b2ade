/**
 * What the engine needs of a store, and the words in which they speak. All calls are synchronous and belong to a transaction that
 * the caller began: SQLite answers them directly; PostgreSQL has loaded what they will ask for before the engine runs.
 *
 * Rows of conversations and traces are numbers that are good for one store and, with PostgreSQL, for one transaction.
 */
import type { Evaluation, Outcome, Verdict } from '../model/evaluation.ts';
import type { ConversationId, TraceId, TurnId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { JudgeOutcome } from '../model/judging.ts';
import type { WaitingObservation } from './detection-store.ts';
import type { HeldEvaluation, WaitingEvaluation } from './revisit.ts';

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
  readonly cause: string;
  readonly content: TraceContent;
}

export interface StoredConversation {
  readonly row: number;
  readonly id: ConversationId;
  readonly firstClosedAt: number;
  readonly lastClosedAt: number;
  readonly turns: number;
  readonly turnsEvaluated: number;
  readonly dueAt: number | undefined;
  readonly dueCause: string | undefined;
  readonly revision: number;
}

export interface ConversationLabels {
  readonly agent: string;
  readonly agentVersion: string;
  readonly environment: string;
  /** Absent where none is configured, or no turn has said it. */
  readonly segment?: string | undefined;
}

export interface ConversationJoin {
  readonly id: ConversationId;
  readonly labels: ConversationLabels;
  readonly at: number;
  readonly turnsAdded: number;
  readonly dueNowBecause: string | undefined;
  readonly idleMs: number;
  readonly maxAgeMs: number;
}

export interface ConversationResult {
  readonly revision: number;
  readonly cause: string;
  readonly turns: number;
  readonly unscoredBecause: string | undefined;
}

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
}

export interface SeenConversation {
  /** Log time at which it was scored. */
  readonly at: number;
  readonly steps: number;
  /** In billionths of a dollar. */
  readonly costNanos: number | undefined;
}

export interface PreviousEvaluation {
  readonly suiteVersion: string;
  readonly revision: number;
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** The labels under which the first revision was counted. */
  readonly labels: Labels;
}

export type Labels = { readonly [label: string]: string };

export interface Exemplar {
  readonly traceId: string;
  readonly conversationId: string;
  readonly value: number;
  readonly at: number;
}

export interface Total {
  readonly metric: string;
  readonly labels: Labels;
  readonly value: number;
  /** The last conversation that moved it; not kept over a restart. */
  readonly exemplar: Exemplar | undefined;
}

/**
 * The running totals behind every quality metric. They live in the store and change in the same transaction as the evaluations
 * they count, so that a counter continues over a restart and always equals what the store says.
 */
export interface RunningTotals {
  /** Finds the series or makes it, at zero. Callers name a metric's labels always in the same order. */
  series(metric: string, labels: Labels): { add(amount: number, exemplar?: Exemplar): void };
  /** A time of the log, in milliseconds, of which the smallest that was ever noted stays, whichever instance noted it. */
  earliest(metric: string, labels: Labels): { note(time: number): void };
  /** Of times those that have been noted. */
  all(): readonly Total[];
}

export interface EngineStore {
  readonly totals: RunningTotals;

  findTrace(traceId: TraceId): StoredTrace | undefined;
  contentOf(trace: number): TraceContent;
  /** The traces of a conversation in the order in which they were stored first. */
  tracesOf(conversation: number): readonly StoredTrace[];
  insertTrace(trace: NewTrace): number;
  reviseTrace(trace: NewTrace & { readonly row: number }): void;
  /** The trace has been looked at up to `position`, and nothing new was there. */
  passTrace(row: number, position: number): void;

  /**
   * A turn joined the conversation, or one of its turns changed. Where there is no cause to score it now, it is due
   * `idleMs` later, or at its maximum age if that comes first.
   */
  joinConversation(join: ConversationJoin): StoredConversation;
  /** The conversation is due at this time instead. */
  scheduleConversation(row: number, due: { readonly at: number; readonly cause: string }): void;
  conversationAt(row: number): StoredConversation;
  /** The conversation that is due first, at or before `logTime`. */
  nextDue(logTime: number): StoredConversation | undefined;
  conversationEvaluated(row: number, result: ConversationResult): void;

  /** Whether any turn came without a conversation id, so that others may belong to it. */
  readonly hasConversationKeys: boolean;
  /** The conversations of turns without an id that refer to one another, oldest first. */
  findConversationsBy(keys: ConversationKeys): readonly StoredConversation[];
  addConversationKeys(conversation: number, keys: ConversationKeys): void;
  /** A turn turned out to belong to another conversation, and what was said of it goes with it. */
  moveTrace(trace: number, turns: number, place: { readonly from: number; readonly to: number }): void;
  /** What went by a name of our own turned out to be a part of another conversation: turns, evaluations and keys move. */
  absorbConversation(from: number, to: number): void;

  /** The turn that this trace is a part of is to be judged once all that closes at that time is stored. */
  postponeTurn(trace: number, closedAt: number): void;
  /** Those that closed at or before that time, once. */
  takePostponed(logTime: number): readonly StoredTrace[];

  previousEvaluation(key: EvaluationKey): PreviousEvaluation | undefined;
  /** What the last evaluation said, of a conversation that is looked at again. */
  verdictsOf(key: EvaluationKey): ReadonlyMap<string, Verdict> | undefined;
  /** Calls `onNew` before the commit, unless this evaluation is in the store already: then it has been counted. */
  insertEvaluation(evaluation: Evaluation, place: EvaluationPlace, onNew: (evaluation: Evaluation) => void): void;

  /** What is known from outside of its spans to be right for the conversation. */
  truthOf(conversation: ConversationId): Json | undefined;
  /** Rows of conversations that are to be looked at again, each once; those of which nothing is left are not among them. */
  takeRevisits(): readonly number[];
  /** An evaluation of which not all verdicts are in. There is one for each suite and turn: it takes the place of an earlier one. */
  putWaiting(waiting: WaitingEvaluation): void;
  waitingEvaluation(key: EvaluationKey): HeldEvaluation | undefined;
  /** Its last verdict is in, or it is not waited for any more. */
  dropWaiting(key: EvaluationKey): void;
  /** Those of the conversation whose requests have all come to their end. */
  dropAnswered(conversation: number): void;
  /** Undefined while it is waited for, and where there is none that this evaluation may use: a failure is for those who waited when it came. */
  outcomeOf(requestKey: string, evaluation: EvaluationKey): JudgeOutcome | undefined;

  /** An evaluation that is new is to be observed: it waits for the next round of detection, from the same commit on. */
  queueObservation(observation: WaitingObservation): void;
  /** What an evaluation said is to go to a backend: it waits from the same commit on. */
  queueResult(payload: string): void;
  /** Remembered with the next commit: how far the log had come. A store without a log of its own has no use for it. */
  raiseFloor(floor: { readonly position: number; readonly logTime: number }): void;
}
