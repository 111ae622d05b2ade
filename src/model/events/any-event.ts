/** Every event that is counted or logged while Assay runs. `src/report/events` has the log line and the metrics of each. */
import type { AccessEvent } from './access-events.ts';
import type { ApiEvent } from './api-events.ts';
import type { ArchiveEvent } from './archive-events.ts';
import type { ClusterEvent } from './cluster-events.ts';
import type { ConfigEvent } from './config-events.ts';
import type { DamageEvent } from './damage-events.ts';
import type { DetectionEvent } from './detection-events.ts';
import type { JournalEvent } from './journal-events.ts';
import type { JudgeEvent } from './judge-events.ts';
import type { ReadingEvent } from './reading-events.ts';
import type { ReceiveEvent } from './receive-events.ts';
import type { ResultEvent } from './result-events.ts';
import type { ScoringEvent } from './scoring-events.ts';
import type { TelemetryEvent } from './telemetry-events.ts';
import type { TlsEvent } from './tls-events.ts';

export type AnyEvent =
  | ReceiveEvent
  | JournalEvent
  | ScoringEvent
  | ResultEvent
  | ArchiveEvent
  | ConfigEvent
  | ApiEvent
  | AccessEvent
  | ReadingEvent
  | TelemetryEvent
  | ClusterEvent
  | DamageEvent
  | JudgeEvent
  | TlsEvent
  | DetectionEvent;
