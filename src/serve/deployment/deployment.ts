/**
 * Port that one machine and the cluster each supply. Everything else of the running service is built once
 * (`service.ts`).
 */
import type { Settings } from '../../config/settings.ts';
import type { AnyEvent } from '../../model/events/any-event.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import type { BatchSink } from '../../receive/sink.ts';
import type { LaneReadings } from '../../report/events/cluster.ts';
import type { LogReadings } from '../../report/events/scoring.ts';
import type { Log } from '../../report/log/log.ts';
import type { ForgettingLog } from '../forgetting/forget.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { Draining, Scorer } from '../scoring/scorer.ts';
import type { ScoringWork } from '../scoring/scoring-protocol.ts';

export interface Deployment {
  /** False for a gateway, which only writes to Kafka. */
  readonly scores: boolean;
  /** False if this instance takes no OTLP. */
  readonly accepts: boolean;
  /** True if there is no other instance that could do what only one may do. */
  readonly isAlone: boolean;
  readonly draining: Draining;
  /** Tells the scoring thread where the log's bytes and the store are. */
  storage(settings: Settings): ScoringWork['storage'];
  /** Place of the store for the reading thread, once the scoring thread has opened it. */
  storePlace(): StorePlace;
  /** Undefined until it is opened. */
  readonly log: ServedLog | undefined;
  openLog(needs: LogNeeds): Promise<ServedLog>;
}

export interface LogNeeds {
  readonly scorer: Scorer;
  readonly redaction: RedactionRules | undefined;
  /** Whether this instance does what only one may do. */
  readonly duty: { set(isOurs: boolean): void };
  readonly events: { report(event: AnyEvent): void };
  readonly log: Log;
}

/** The log that this instance serves: the journal, or its lanes of Kafka. */
export interface ServedLog extends LogReadings {
  /** Disk that the journal holds. */
  readonly bytes: number;
  /** Reasons why it cannot be read or written now, in words for people. */
  readonly problems: readonly string[];
  readonly lanes?: LaneReadings;
  /** Undefined where the log is Kafka. */
  readonly rewritten?: ForgettingLog;
  /** Takes what the receivers accept. */
  readonly sink: BatchSink;
  /** Begins to read and to move time on. */
  start(): void;
  /** Reads no more, and finishes what the scorer can take in time. */
  stop(): Promise<void>;
}
