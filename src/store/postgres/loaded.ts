/**
 * Data of conversations that are loaded before the engine works on them. Conversations are named by their row in the
 * database here.
 */
import type { CloseCause } from '../../model/causes.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import type { Json } from '../../model/json.ts';
import type { TraceId } from '../../model/ids.ts';
import type { WaitingArrival } from '../cluster-store.ts';
import type { KeptFeedback } from '../feedback-store.ts';
import type { ConversationHead } from '../conversation-columns.ts';
import type { Labels, PreviousEvaluation, TraceContent } from '../engine-store.ts';
import type { LoadedWaiting } from './working-waiting.ts';

export interface LoadedHead {
  readonly id: number;
  readonly conversation: ConversationHead;
  readonly firstTrace: TraceId | undefined;
  /** Whether it is scored together with others, to which its turns may refer. */
  readonly isGrouped: boolean;
  /** Number of its request to be re-evaluated. */
  readonly revisit: number | undefined;
  /** As somebody has put it in. */
  readonly truth: Json | undefined;
  /** As its users have said it. */
  readonly feedback: readonly KeptFeedback[];
  /** Whether any evaluation of it waits for verdicts. */
  readonly waits: boolean;
  /** Whether its evaluations and the bytes of its earlier turns are here: they are asked for only where it may be scored. */
  readonly isWhole: boolean;
}

export interface LoadedTrace {
  readonly day: number;
  readonly conversation: number;
  readonly traceId: TraceId;
  /** Arrival that holds these bytes, unless the trace has its own. */
  readonly arrival: number;
  readonly revision: number;
  readonly position: number;
  readonly firstClosedAt: number;
  readonly closedAt: number;
  readonly spans: number;
  readonly sealed: boolean;
  readonly cause: CloseCause;
  readonly content: TraceContent | undefined;
}

export interface LoadedArrival extends WaitingArrival {
  readonly id: number;
  readonly day: number;
  readonly conversation: number;
}

interface LoadedEvaluation extends PreviousEvaluation {
  readonly conversation: number;
  readonly traceId: TraceId | undefined;
  readonly suite: string;
  readonly turnId: string;
}

/** A waiting evaluation as it was loaded; its conversation as the database names it. */
export interface StoredWaiting extends Omit<LoadedWaiting, 'held'> {
  readonly conversation: number;
  readonly traceId: TraceId | undefined;
  readonly evaluation: Evaluation;
  readonly labels: Labels;
  readonly counted: readonly string[];
}

/** As the engine noted them for one turn: hashes, one after the other. */
interface LoadedKeys {
  readonly conversation: number;
  readonly has: Uint8Array;
  readonly wants: Uint8Array;
}

export interface LoadedSet {
  readonly time: number;
  readonly heads: readonly LoadedHead[];
  readonly traces: readonly LoadedTrace[];
  /** By log time, then by trace id. */
  readonly arrivals: readonly LoadedArrival[];
  readonly evaluations: readonly LoadedEvaluation[];
  readonly keys: readonly LoadedKeys[];
  readonly waiting: readonly StoredWaiting[];
}
