/** What the main thread and the thread that files and judges say to each other. */
import type { KafkaConnection } from '../../kafka/kafka-connection.ts';
import type { TraceId } from '../../model/ids.ts';
import type { JudgeEvent } from '../../model/events/judge-events.ts';
import type { ResultEvent } from '../../model/events/result-events.ts';
import type { EngineEvent } from '../../model/events/scoring-events.ts';
import type { OtlpSenderOptions } from '../../report/results/otlp-sender.ts';
import type { LaneName, LanePositions, OwnedLane } from '../../store/cluster-store.ts';
import type { Total } from '../../store/engine-store.ts';
import type { PostgresOptions } from '../../store/postgres/postgres-store.ts';
import type { StoppedCheck } from '../../engine/check-watch.ts';
import type { AcceptCommand, DetectionMessage, DetectionStart } from '../../engine/detection/detection-owner.ts';
import type { Settled } from '../../engine/detection/detection-rounds.ts';
import type { TruthFile } from '../../model/truth.ts';
import type { EngineSettings } from '../../engine/engine.ts';
import type { JudgingStart } from '../../engine/judging-start.ts';
import type { PutCommand, PutMessage } from '../store-writes.ts';
import type { MadeArrival } from './arrival-maker.ts';

export interface ClusterStart {
  readonly settings: EngineSettings & { readonly truth: readonly TruthFile[] };
  readonly store: Omit<PostgresOptions, 'outboxPayload'>;
  /** Undefined where evaluations are not to be sent. */
  readonly evaluations: { readonly connection: KafkaConnection; readonly topic: string } | undefined;
  /** Undefined where regressions are not looked for. */
  readonly detection: DetectionStart | undefined;
  readonly results: OtlpSenderOptions | undefined;
  /** Undefined where no judge is configured. */
  readonly judging: JudgingStart | undefined;
  readonly suites: readonly string[];
  readonly shadowSuites: readonly string[];
  readonly suitesBaseDirectory: string;
  readonly watch: SharedArrayBuffer;
  readonly stopped: readonly StoppedCheck[];
}

interface ClosedInLane {
  readonly type: 'file';
  readonly sequence: number;
  readonly lane: OwnedLane;
  readonly positions: LanePositions;
}

/** A turn that has closed; or that one has, and why its bytes can't be had here. */
export type FileCommand = ClosedInLane & ({ readonly arrival: MadeArrival } | { readonly unreadable: string });

/** Everything that the lane closed up to this time has been sent before. */
export interface TimeCommand {
  readonly type: 'time';
  readonly sequence: number;
  readonly lane: OwnedLane;
  readonly time: number;
  readonly positions: LanePositions;
}

export type Question =
  | { readonly ask: 'own'; readonly lanes: readonly LaneName[]; readonly all: readonly LaneName[] }
  | { readonly ask: 'filed'; readonly lane: LaneName; readonly traceIds: readonly TraceId[] };

export type ToCluster =
  | FileCommand
  | TimeCommand
  | { readonly type: 'question'; readonly id: number; readonly question: Question }
  /** Whether this instance is the one that has the first lane: it sends evaluations, and looks for regressions. */
  | { readonly type: 'relay'; readonly on: boolean }
  /** A webhook has had a notice. Where the thread ends before it has heard, the notice comes again, and so does this. */
  | { readonly type: 'settled'; readonly settled: Settled }
  | AcceptCommand
  | PutCommand
  /** Files what was sent before, then ends. */
  | { readonly type: 'stop' };

export type Answer =
  | { readonly lanes: readonly OwnedLane[] }
  | { readonly filed: readonly (readonly [TraceId, LanePositions])[] };

export type FromCluster =
  | { readonly type: 'ready'; readonly totals: readonly Total[] }
  /** Everything up to `sequence` is filed, but what belonged to the lanes that others have. */
  | {
      readonly type: 'filed';
      readonly sequence: number;
      readonly fenced: readonly OwnedLane[];
      readonly arrivals: number;
      /** See `ClusterStore`. */
      readonly wantsKeys: boolean;
      readonly tookMs: number;
    }
  | {
      readonly type: 'judged';
      readonly conversations: number;
      readonly arrivals: number;
      readonly totals: readonly Total[];
      readonly events: readonly EngineEvent[];
      readonly tookMs: number;
    }
  | { readonly type: 'cluster-time'; readonly time: number }
  | { readonly type: 'sent'; readonly evaluations: number }
  | { readonly type: 'result-event'; readonly event: ResultEvent }
  | { readonly type: 'judge-event'; readonly event: JudgeEvent }
  | DetectionMessage
  | PutMessage
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }
  /** With the store. Undefined: it is over. */
  | { readonly type: 'problem'; readonly problem: string | undefined }
  | { readonly type: 'sending-problem'; readonly problem: string | undefined }
  | { readonly type: 'stopped' };
