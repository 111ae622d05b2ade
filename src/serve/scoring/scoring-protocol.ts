/** Messages between the main thread and the scoring thread, the same for each log and store. */
import type { Arrival, ClosedInLog } from '../../engine/arrival.ts';
import type { EngineSettings } from '../../engine/engine-parts.ts';
import type {
  AcceptCommand,
  DetectionMessage,
  DetectionStart,
  HistoryCommand,
} from '../../engine/detection/detection-owner.ts';
import type { DeliveredNotice } from '../../engine/detection/detection-rounds.ts';
import type { JudgingStart } from '../../engine/judging-start.ts';
import type { StoppedCheck } from '../../engine/check-watch.ts';
import type { KafkaConnection } from '../../kafka/kafka-connection.ts';
import type { AnyEvent } from '../../model/events/any-event.ts';
import type { TraceId } from '../../model/ids.ts';
import type { KnownExporter } from '../../model/exporters.ts';
import type { ToolNames } from '../../model/tool-names.ts';
import type { TruthFile } from '../../model/truth.ts';
import type { OtlpSenderOptions } from '../../report/results/otlp-sender.ts';
import type { LaneName, LanePositions, NamingTurn, OwnedLane } from '../../store/cluster-store.ts';
import type { Total } from '../../store/engine-store.ts';
import type { Retention } from '../../store/sqlite/retention.ts';
import type { LogFloor } from '../../store/sqlite/store.ts';
import type { PostgresOptions } from '../../store/postgres/postgres-store.ts';
import type { AgentPrediction } from '../estimate/learned-predictions.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { ForgetCommand, ForgetMessage } from '../forgetting/forgetting.ts';
import type { PutCommand, PutMessage } from './store-writes.ts';

/** Start data of the thread. All of it is plain data. */
export interface ScoringWork {
  readonly settings: EngineSettings & { readonly truth: readonly TruthFile[] };
  readonly suites: readonly string[];
  readonly shadowSuites: readonly string[];
  /** Tools as the configuration describes them. */
  readonly exporters: readonly KnownExporter[];
  readonly tools: ToolNames | undefined;
  readonly suitesBaseDirectory: string;
  /** Undefined where regressions are not looked for. */
  readonly detection: DetectionStart | undefined;
  /** Undefined where evaluations go nowhere but into the store. */
  readonly results: OtlpSenderOptions | undefined;
  /** Undefined where nothing is archived. */
  readonly archive: ArchivingStart | undefined;
  /** Undefined where no judge is configured. */
  readonly judging: JudgingStart | undefined;
  readonly storage: JournalStorage | LaneStorage;
}

export interface ThreadStart extends ScoringWork {
  readonly watch: SharedArrayBuffer;
  readonly stopped: readonly StoppedCheck[];
}

/** `holder`: see `ArchiveRelay`. */
interface ArchivingStart {
  readonly url: string;
  readonly everyMs: number;
  readonly idKeys: readonly string[];
  readonly holder: string;
  readonly store: StorePlace;
}

export interface JournalStorage {
  readonly kind: 'one-machine';
  readonly storeFile: string;
  readonly retention: Retention;
}

export interface LaneStorage {
  readonly kind: 'cluster';
  readonly store: Omit<PostgresOptions, 'outboxPayload'>;
  /** Undefined where evaluations are not sent to a topic. */
  readonly evaluations: { readonly connection: KafkaConnection; readonly topic: string } | undefined;
}

/** A closed turn with its bytes, or why its bytes cannot be had. */
export type SentTurn = { readonly arrival: Arrival } | { readonly unreadable: string; readonly closed: ClosedInLog };

interface LaneCommand {
  readonly sequence: number;
  readonly lane: OwnedLane;
  readonly positions: LanePositions;
}

export interface TurnCommand extends LaneCommand {
  readonly type: 'turn';
  readonly turn: SentTurn;
}

/** Everything that the lane closed up to this time has been sent before. */
export interface TimeCommand extends LaneCommand {
  readonly type: 'time';
  readonly time: number;
  /** See `Filing`. */
  readonly naming?: readonly NamingTurn[];
}

export type OrderedCommand = TurnCommand | TimeCommand;

export type LaneQuestion =
  | { readonly ask: 'own'; readonly lanes: readonly LaneName[]; readonly all: readonly LaneName[] }
  | { readonly ask: 'filed'; readonly lane: LaneName; readonly traceIds: readonly TraceId[] };

export type LaneAnswer =
  | { readonly lanes: readonly OwnedLane[] }
  | { readonly filed: readonly (readonly [TraceId, LanePositions])[] };

export type ToScorer =
  | OrderedCommand
  | { readonly type: 'question'; readonly id: number; readonly question: LaneQuestion }
  /** Whether this instance does what only one may do: asks judges, detects regressions, sends evaluations. */
  | { readonly type: 'duty'; readonly on: boolean }
  /** A webhook took a notice. If the thread ends before it learns that, the notice is sent again, and so is this. */
  | { readonly type: 'delivered'; readonly delivered: DeliveredNotice }
  /** Says which predictions hold for conversations that are scored from now on. */
  | { readonly type: 'foretell'; readonly predictions: readonly AgentPrediction[] }
  | AcceptCommand
  | HistoryCommand
  | PutCommand
  | ForgetCommand
  /** Does what was sent before, then ends. */
  | { readonly type: 'stop' };

export type FromScorer =
  | {
      readonly type: 'ready';
      readonly totals: readonly Total[];
      /** How far the store knows the log. */
      readonly floor: LogFloor;
    }
  /** Everything up to `sequence` is durable, except what belongs to the refused lanes. */
  | {
      readonly type: 'done';
      readonly sequence: number;
      /** Lanes that another instance owns now, or whose bytes are lost here. */
      readonly refused: readonly OwnedLane[];
    }
  /** A commit changed these totals. */
  | { readonly type: 'totals'; readonly totals: readonly Total[] }
  | { readonly type: 'events'; readonly events: readonly AnyEvent[] }
  /** Everything due up to this log time is scored. */
  | { readonly type: 'scored-to'; readonly time: number }
  /** Undefined: it is over. */
  | { readonly type: 'problem'; readonly of: 'store' | 'sending'; readonly problem: string | undefined }
  | { readonly type: 'answer'; readonly id: number; readonly answer: LaneAnswer }
  | DetectionMessage
  | PutMessage
  | ForgetMessage
  | { readonly type: 'stopped' };
