/** Where everything that happens is reported: counted, logged, told to telemetry, and noted for readiness. */
import type { AnyEvent } from '../model/events/any-event.ts';
import type { ClusterEvent } from '../model/events/cluster-events.ts';
import type { DetectionEvent } from '../model/events/detection-events.ts';
import type { JudgeEvent } from '../model/events/judge-events.ts';
import type { Log } from '../report/log/log.ts';
import { ClusterCounters, type ClusterGauges } from '../report/metrics/cluster-counters.ts';
import type { MetricSource } from '../report/metrics/exposition.ts';
import { type Gauges, HealthCounters } from '../report/metrics/health-counters.ts';
import type { JudgeCounters } from '../report/metrics/judge-counters.ts';
import type { Readiness } from './readiness.ts';
import type { Telemetry } from './telemetry.ts';

export class ServiceEvents {
  readonly health: HealthCounters;
  readonly #cluster: ClusterCounters | undefined;
  readonly #judges: JudgeCounters | undefined;
  readonly #log: Log;
  readonly #readiness: Readiness;
  #telemetry: Telemetry | undefined;

  constructor(parts: {
    readonly log: Log;
    readonly gauges: Gauges;
    readonly clusterGauges: ClusterGauges | undefined;
    readonly judges: JudgeCounters | undefined;
    readonly readiness: Readiness;
  }) {
    this.#log = parts.log;
    this.#readiness = parts.readiness;
    this.#judges = parts.judges;
    this.health = new HealthCounters(parts.gauges);
    this.#cluster = parts.clusterGauges === undefined ? undefined : new ClusterCounters(parts.clusterGauges);
  }

  /** Telemetry hears of what happens from now on. */
  tell(telemetry: Telemetry | undefined): void {
    this.#telemetry = telemetry;
  }

  report(event: AnyEvent): void {
    if (isOfCluster(event)) this.#cluster?.count(event);
    else if (isOfJudges(event)) this.#judges?.count(event);
    else if (!isOfDetection(event)) this.health.count(event);
    // Panels and alerts about scoring are the same however Assay runs.
    if (event.type === 'conversations-judged' && event.arrivals > 0)
      this.health.count({ type: 'scorer-committed', turns: event.arrivals, tookMs: event.tookMs });
    if (event.type === 'answer-reused') this.#judges?.countReused(event.judge);
    this.#log.event(event);
    if (!isOfJudges(event)) this.#telemetry?.note(event);
    if (event.type === 'journal-refused') this.#readiness.refused(event.because, event.detail);
    else if (event.type === 'journal-synced') this.#readiness.accepted();
  }

  sources(): readonly MetricSource[] {
    return [...this.health.sources(), ...(this.#cluster?.sources() ?? []), ...(this.#judges?.sources() ?? [])];
  }
}

const CLUSTER_EVENTS: ReadonlySet<string> = new Set<ClusterEvent['type']>([
  'records-read',
  'record-unreadable',
  'record-late',
  'lanes-gained',
  'lanes-lost',
  'kafka-problem',
  'store-problem',
  'sending-problem',
  'arrivals-filed',
  'conversations-judged',
  'evaluations-sent',
]);
const JUDGE_EVENTS: ReadonlySet<string> = new Set<JudgeEvent['type']>([
  'judge-called',
  'question-ended',
  'judge-stopped',
  'judge-resumed',
  'judge-probed',
  'budget-exhausted',
  'judging-observed',
  'judging-failed',
]);
const DETECTION_EVENTS: ReadonlySet<string> = new Set<DetectionEvent['type']>([
  'detector-changed',
  'detection-observed',
  'detection-began-anew',
  'detection-dropped',
  'detection-failed',
  'webhook-delivered',
  'webhook-failed',
  'webhook-given-up',
]);

function isOfCluster(event: AnyEvent): event is ClusterEvent {
  return CLUSTER_EVENTS.has(event.type);
}

function isOfJudges(event: AnyEvent): event is JudgeEvent {
  return JUDGE_EVENTS.has(event.type);
}

function isOfDetection(event: AnyEvent): event is DetectionEvent {
  return DETECTION_EVENTS.has(event.type);
}
