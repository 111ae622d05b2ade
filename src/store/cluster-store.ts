/**
 * Port of the store that many instances share (docs/decisions/0010): lanes file arrivals, and due conversations are
 * scored, each by one instance at a time.
 *
 * Filing and scoring are one transaction each. Where the answer to a commit was lost, the store finds out whether it
 * was done before it does anything again. If anything else fails, the transaction leaves nothing behind.
 */
import type { CloseCause } from '../model/causes.ts';
import type { ConversationId, TraceId } from '../model/ids.ts';
import type { Turn } from '../model/turn.ts';
import type { DetectionStore } from './detection-store.ts';
import type { LabelStore } from './label-store.ts';
import type { QuestionStore } from './question-store.ts';
import type { ResultStore } from './result-store.ts';
import type { FailureStore } from './failure-store.ts';
import type { ReadingStore } from './reading-store.ts';
import type { FeedbackStore } from './feedback-store.ts';
import type { TruthStore } from './truth-store.ts';
import type { EngineStore, Total, TraceContent } from './engine-store.ts';

/** The partitions with one number, of all topics that are read by one consumer group. */
export interface LaneName {
  readonly group: string;
  readonly lane: number;
}

/** The topics of a lane by name, and the offset behind the last record of each that has been read. */
export type LanePositions = { readonly [topic: string]: number };

export interface OwnedLane extends LaneName {
  /** Raised with each owner; an owner files under its own only. */
  readonly epoch: number;
  /** Log time up to which everything that closed is filed. */
  readonly time: number;
  /** As of the last filing. Rows before it may have been filed already: `filedPositions` says. */
  readonly positions: LanePositions;
}

/** A conversation by its hash, and the log time at which a turn's spans named it first. */
interface NamedConversation {
  readonly conversation: number;
  readonly at: number;
}

/** A turn that a lane has not closed yet. */
export interface NamingTurn extends NamedConversation {
  readonly traceId: TraceId;
}

/** A turn that a lane has closed, or what came for it after that. */
export interface FiledArrival {
  readonly traceId: TraceId;
  /** Conversations that its spans name in an attribute. */
  readonly named?: readonly NamedConversation[];
  /** As it was understood to be filed. Kept in memory for a while, not stored. */
  readonly turns?: readonly Turn[] | undefined;
  /** As the spans of this arrival say it; undefined where they don't. */
  readonly conversationId: ConversationId | undefined;
  readonly closedAt: number;
  readonly cause: CloseCause;
  readonly spans: number;
  readonly content: TraceContent;
  /** By topic, the offset behind the last record that this may hold rows of. */
  readonly positions: LanePositions;
  /** Keys by which turns without an id refer to one another; see `ConversationEvidence` in `assemble`. */
  readonly has: readonly string[];
  readonly wants: readonly string[];
  readonly linked: readonly TraceId[];
  /**
   * True where `has` and `wants` are left out, which whoever moves time works out from the content where it is needed. Only where the arrival
   * names its conversation: such a one is compared with those that don't, and most stores hold none of them.
   */
  readonly keysLater?: boolean;
  /**
   * True where nothing in it needs the conversation's earlier turns at once: its turns are whole, none ends the
   * conversation and none is evaluated together with others. If that is not given, the earlier turns are loaded with
   * it, which for a long conversation is most of the work; if it is given and wrong, the conversation is loaded again.
   */
  readonly needsNoHistory?: boolean;
}

/** Arrivals that one lane files in one transaction. Arrivals may be none: time and positions move on by themselves. */
export interface Filing {
  readonly lane: OwnedLane;
  readonly time: number;
  readonly positions: LanePositions;
  readonly arrivals: readonly FiledArrival[];
  /** Turns that name a conversation since the filing before, and are open at its time: ends of conversations wait for them. */
  readonly naming?: readonly NamingTurn[];
}

/** An arrival that waits to be scored. */
export interface WaitingArrival {
  readonly traceId: TraceId;
  /** Only if this process filed it and still has it. */
  readonly turns?: readonly Turn[] | undefined;
  readonly closedAt: number;
  readonly cause: CloseCause;
  readonly spans: number;
  readonly content: TraceContent;
  /** Its conversation, if another turn of that is open at its close, and the time at which the first of these named it. */
  readonly openBeside: readonly NamedConversation[];
}

/** Data loaded for one transaction of scoring. */
export interface DueWork {
  /** The cluster's time, up to which these conversations are to be scored. */
  readonly time: number;
  /** By log time, then by trace id. The engine is told of each of them, and of the time at the end. */
  readonly arrivals: readonly WaitingArrival[];
}

export interface ScoredBatch {
  /** Conversations that were looked at; 0 where nothing was due. */
  readonly conversations: number;
  readonly arrivals: number;
  /** Totals of this instance that changed. */
  readonly totals: readonly Total[];
  /** Judges that nobody had to ask, each as often: the answer was there, or others wait for it. */
  readonly reused: readonly string[];
}

/** An evaluation on its way to a topic. */
export interface OutboxRow {
  readonly id: number;
  readonly conversationId: string;
  readonly payload: Uint8Array;
}

/** Another owner has the lane, or another process runs under this instance's name: what was to be written is refused. */
export class FencedError extends Error {}

export interface LaneStore {
  /** Registers lanes that may have no owner yet, so that the cluster's time waits for their records. */
  expect(lanes: readonly LaneName[]): Promise<void>;
  /** Takes ownership of the lanes; later filings by previous owners are rejected. */
  own(lanes: readonly LaneName[]): Promise<readonly OwnedLane[]>;
  /** Positions up to which rows of these traces were filed from this lane; traces without any are left out. */
  filedPositions(lane: LaneName, traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, LanePositions>>;
}

export interface FilingStore {
  /**
   * Whether arrivals that name their conversation should come with their keys, because there are keys to compare them with. It may be one
   * filing behind; keys that were left out are worked out when time moves.
   */
  readonly wantsKeys: boolean;
  /**
   * Throws `FencedError` and files none of them if one of the lanes has another owner. Returns the arrivals that it left out, because retention
   * has deleted the conversation of their trace.
   */
  file(filings: readonly Filing[]): Promise<readonly FiledArrival[]>;
}

export interface ClusterTime {
  /**
   * Moves the cluster's time to the smallest time of its lanes, joins the conversations that refer to one another up to then, and returns it.
   * Undefined until the first lane has been owned.
   */
  move(): Promise<number | undefined>;
  /** The cluster's time, as it was moved last. */
  read(): Promise<number | undefined>;
}

export interface ScoringStore {
  /**
   * Locks conversations that are due by the cluster's time, loads them, lets the engine work, and commits. With `whose` 'own', only those
   * that this instance filed last, whose bytes are often still in memory; with 'any', those of all instances.
   */
  scoreDue(
    options: { readonly whose: 'own' | 'any'; readonly conversationsMax: number; readonly bytesMax: number },
    work: (set: DueWork) => void,
  ): Promise<ScoredBatch>;
}

export interface HousekeepingStore {
  /**
   * Deletes what is old, and prepares the coming days. Every instance calls it now and then; one at a time does it. `more` says that it is
   * not done yet.
   */
  tidy(): Promise<{
    readonly conversations: number;
    readonly more: boolean;
    /** By how much the database's clock differs from the time that has passed, while retention does not trust it. */
    readonly jumpMs: number | undefined;
  }>;
}

/** Evaluations on their way to a topic. */
export interface EvaluationOutbox {
  /** Takes over what an instance of an older version was about to send. */
  adopt(): Promise<void>;
  /** The oldest; those of one conversation in the order in which they were made. */
  read(limit: number): Promise<readonly OutboxRow[]>;
  /** They are in the topic. */
  forget(ids: readonly number[]): Promise<void>;
}

export interface ClusterStore {
  /** Filled and emptied by `scoring`; the engine keeps it for life. */
  readonly engineStore: EngineStore;
  readonly lanes: LaneStore;
  readonly filing: FilingStore;
  readonly time: ClusterTime;
  readonly scoring: ScoringStore;
  readonly outbox: EvaluationOutbox;
  readonly detection: DetectionStore;
  readonly results: ResultStore;
  readonly truths: TruthStore;
  readonly feedbackRows: FeedbackStore;
  readonly labels: LabelStore;
  readonly readings: ReadingStore;
  readonly failures: FailureStore;
  readonly questions: QuestionStore;
  readonly housekeeping: HousekeepingStore;
  close(): Promise<void>;
}
