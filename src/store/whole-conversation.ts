/** A conversation with everything that a store has of it, for moving it to another. */
import type { Evaluation } from '../model/evaluation.ts';
import type { ConversationId, TraceId } from '../model/ids.ts';
import type { ConversationLabels, Labels, TraceContent } from './engine-store.ts';

export interface WholeTrace {
  readonly traceId: TraceId;
  readonly revision: number;
  readonly closedAt: number;
  /** Wall-clock time in milliseconds. */
  readonly storedAt: number;
  readonly cause: string;
  readonly spans: number;
  readonly sealed: boolean;
  readonly content: TraceContent;
}

export interface WholeEvaluation {
  readonly evaluation: Evaluation;
  readonly traceId: TraceId | undefined;
  readonly labels: Labels;
  /** Wall-clock time in milliseconds. */
  readonly createdAt: number;
  /** As the store keeps it; undefined where it was stored before that was kept. */
  readonly basis: string | undefined;
  readonly scoredAt: number | undefined;
  readonly steps: number | undefined;
  readonly costNanos: number | undefined;
}

export interface WholeConversation {
  /** The store's own number, by which copying goes on. */
  readonly row: number;
  readonly id: ConversationId;
  readonly labels: ConversationLabels;
  readonly firstClosedAt: number;
  readonly lastClosedAt: number;
  readonly updatedAt: number;
  readonly turns: number;
  readonly turnsEvaluated: number;
  readonly dueAt: number | undefined;
  readonly dueCause: string | undefined;
  readonly revision: number;
  readonly cause: string | undefined;
  readonly worstOutcome: number;
  readonly unscoredBecause: string | undefined;
  /** In the order in which they were stored first. */
  readonly traces: readonly WholeTrace[];
  /** In the order in which they were made. */
  readonly evaluations: readonly WholeEvaluation[];
  /** Hashes of the keys by which turns refer to it, and by which its turns refer to others. */
  readonly has: readonly Uint8Array[];
  readonly wants: readonly Uint8Array[];
}
