/** What one machine and the cluster each supply. Everything else of the running service is built once (`service.ts`). */
import type { BacktestReader } from '../backtest/backtest.ts';
import type { Settings } from '../config/settings.ts';
import type { AnyEvent } from '../model/events/any-event.ts';
import type { RedactionRules } from '../model/redaction.ts';
import type { BatchSink } from '../receive/sink.ts';
import type { Log } from '../report/log/log.ts';
import type { ConversationReader } from '../store/conversation-reader.ts';
import type { LabelReader } from '../store/label-store.ts';
import type { Draining, Scorer } from './scorer.ts';
import type { ScoringWork } from './scoring-protocol.ts';

export interface Deployment {
  /** False for a gateway, which only writes to Kafka. */
  readonly scores: boolean;
  /** False if this instance takes no OTLP. */
  readonly accepts: boolean;
  /** True if there is no other instance that could do what only one may do. */
  readonly isAlone: boolean;
  readonly draining: Draining;
  /** Where the scoring thread finds the log's bytes and the store. */
  storage(settings: Settings): ScoringWork['storage'];
  /** To be called once the scoring thread has opened the store. */
  openReader(): ServiceReader;
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
export interface ServedLog {
  readonly openTurns: number;
  readonly openSpans: number;
  /** Disk that the log holds here. */
  readonly bytes: number;
  /** How far scoring is behind the log. */
  readonly lagSeconds: number;
  /** Reasons why it cannot be read or written now, in words for people. */
  readonly problems: readonly string[];
  readonly lanes?: LanesServed;
  /** Takes what the receivers accept. */
  readonly sink: BatchSink;
  /** Begins to read and to move time on. */
  start(): void;
  /** Reads no more, and finishes what the scorer can take in time. */
  stop(): Promise<void>;
}

/** Last report of the brokers about a partition that this instance reads. */
export interface PartitionLag {
  readonly topic: string;
  readonly partition: number;
  readonly records: number;
  readonly seconds: number;
}

export interface LanesServed {
  readonly count: number;
  readonly lags: readonly PartitionLag[];
  readonly spoolBytes: number;
}

type ServiceReader = ConversationReader & LabelReader & BacktestReader & { close(): Promise<void> | void };

/** Parts that exist only once the store is open. The HTTP side starts before them, so that people see why an instance waits. */
export interface Opened {
  /** Whether everything has started, and nothing has been stopped. */
  isRunning: boolean;
  log: ServedLog | undefined;
  reader: ServiceReader | undefined;
}
