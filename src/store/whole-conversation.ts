/** A conversation with everything that a store has of it, for moving it to another. */
import type { CloseCause } from '../model/causes.ts';
import type { TraceId } from '../model/ids.ts';
import type { StoredConversation, TraceContent } from './engine-store.ts';
import type { KeptEvaluation } from './evaluation-columns.ts';

export interface WholeTrace {
  readonly traceId: TraceId;
  readonly revision: number;
  readonly closedAt: number;
  /** Wall-clock time in milliseconds. */
  readonly storedAt: number;
  readonly cause: CloseCause;
  readonly spans: number;
  readonly sealed: boolean;
  readonly content: TraceContent;
}

export interface WholeEvaluation extends KeptEvaluation {
  readonly traceId: TraceId | undefined;
}

/** Its row is the store's own, by which copying goes on. */
export interface WholeConversation extends StoredConversation {
  /** In the order in which they were stored first. */
  readonly traces: readonly WholeTrace[];
  /** In the order in which they were made. */
  readonly evaluations: readonly WholeEvaluation[];
  /** Hashes of the keys by which turns refer to it, and by which its turns refer to others. */
  readonly has: readonly Uint8Array[];
  readonly wants: readonly Uint8Array[];
}
