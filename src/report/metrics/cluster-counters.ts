/**
 * Health of the way from Kafka to the shared store: how far behind, what could not be read, who has what. Starts at zero with the
 * process; what is said of quality comes from the store.
 */
import type { Counter, Gauge, Histogram } from 'prom-client';
import type { ClusterEvent } from '../../model/events/cluster-events.ts';
import { unreachable } from '../../model/unreachable.ts';
import { CLUSTER_METRICS } from './cluster-metrics.ts';
import type { MetricSource } from './exposition.ts';
import { PromMetrics } from './prom-metrics.ts';

export interface ClusterGauges {
  /** False of a gateway, which only writes to Kafka. */
  readonly reads: boolean;
  readonly lanes: () => number;
  readonly lags: () => readonly {
    readonly topic: string;
    readonly partition: number;
    readonly records: number;
    readonly seconds: number;
  }[];
  /** Undefined until the store has one. */
  readonly clusterTime: () => number | undefined;
  readonly spoolBytes: () => number;
  readonly turnsToFile: () => number;
  readonly topics: readonly string[];
}

export class ClusterCounters {
  readonly #metrics = new PromMetrics();
  readonly #records: Counter<'topic'>;
  readonly #rows: Counter<'topic' | 'signal'>;
  readonly #bytes: Counter<'topic'>;
  readonly #unreadable: Counter<'topic' | 'fate'>;
  readonly #late: Counter<'topic'>;
  readonly #laneChanges: Counter<'change'>;
  readonly #filing: Histogram;
  readonly #filed: Counter;
  readonly #judging: Histogram;
  readonly #judged: Counter;
  readonly #sent: Counter;
  readonly #kafkaProblem: Gauge;
  readonly #storeProblem: Gauge;
  readonly #sendingProblem: Gauge;

  constructor(gauges: ClusterGauges) {
    const metrics = this.#metrics;
    this.#records = metrics.counter(CLUSTER_METRICS.records);
    this.#rows = metrics.counter(CLUSTER_METRICS.rows);
    this.#bytes = metrics.counter(CLUSTER_METRICS.bytes);
    this.#unreadable = metrics.counter(CLUSTER_METRICS.unreadable);
    this.#late = metrics.counter(CLUSTER_METRICS.late);
    this.#laneChanges = metrics.counter(CLUSTER_METRICS.laneChanges);
    this.#filing = metrics.histogram(CLUSTER_METRICS.filing);
    this.#filed = metrics.counter(CLUSTER_METRICS.filed);
    this.#judging = metrics.histogram(CLUSTER_METRICS.judging);
    this.#judged = metrics.counter(CLUSTER_METRICS.judged);
    this.#sent = metrics.counter(CLUSTER_METRICS.sent);
    this.#kafkaProblem = metrics.gauge(CLUSTER_METRICS.kafkaProblem);
    this.#storeProblem = metrics.gauge(CLUSTER_METRICS.storeProblem);
    this.#sendingProblem = metrics.gauge(CLUSTER_METRICS.sendingProblem);
    // "No instance can" asks those that would: the 0 of a gateway must not stand for them.
    if (!gauges.reads)
      for (const gauge of [this.#kafkaProblem, this.#storeProblem, this.#sendingProblem]) gauge.remove();
    metrics.gauge(CLUSTER_METRICS.lanes, (gauge) => gauge.set(gauges.lanes()));
    metrics.gauge(CLUSTER_METRICS.spoolBytes, (gauge) => gauge.set(gauges.spoolBytes()));
    metrics.gauge(CLUSTER_METRICS.turnsToFile, (gauge) => gauge.set(gauges.turnsToFile()));
    metrics.gauge(CLUSTER_METRICS.clusterTimeLag, (gauge) => {
      const time = gauges.clusterTime();
      gauge.set(time === undefined ? 0 : Math.max(0, Date.now() - time) / 1000);
    });
    metrics.gauge(CLUSTER_METRICS.lagRecords, (gauge) => {
      // A partition that went to another instance is that one's to tell.
      gauge.reset();
      for (const { topic, partition, records } of gauges.lags()) gauge.set({ topic, partition }, records);
    });
    metrics.gauge(CLUSTER_METRICS.lagSeconds, (gauge) => {
      gauge.reset();
      for (const { topic, partition, seconds } of gauges.lags()) gauge.set({ topic, partition }, seconds);
    });
    for (const topic of gauges.topics) {
      this.#records.inc({ topic }, 0);
      this.#bytes.inc({ topic }, 0);
      this.#late.inc({ topic }, 0);
      for (const fate of ['dead-letter', 'dropped']) this.#unreadable.inc({ topic, fate }, 0);
    }
    for (const change of ['gained', 'lost']) this.#laneChanges.inc({ change }, 0);
  }

  count(event: ClusterEvent): void {
    switch (event.type) {
      case 'records-read':
        this.#records.inc({ topic: event.topic }, event.records);
        this.#rows.inc({ topic: event.topic, signal: event.signal }, event.rows);
        this.#bytes.inc({ topic: event.topic }, event.bytes);
        return;
      case 'record-unreadable':
        this.#unreadable.inc({ topic: event.topic, fate: event.fate });
        return;
      case 'record-late':
        this.#late.inc({ topic: event.topic });
        return;
      case 'lanes-gained':
        this.#laneChanges.inc({ change: 'gained' }, event.lanes.length);
        return;
      case 'lanes-lost':
        this.#laneChanges.inc({ change: 'lost' }, event.lanes.length);
        return;
      case 'kafka-problem':
        this.#kafkaProblem.set(event.problem === undefined ? 0 : 1);
        return;
      case 'store-problem':
        this.#storeProblem.set(event.problem === undefined ? 0 : 1);
        return;
      case 'sending-problem':
        this.#sendingProblem.set(event.problem === undefined ? 0 : 1);
        return;
      case 'arrivals-filed':
        this.#filing.observe(event.tookMs / 1000);
        this.#filed.inc(event.arrivals);
        return;
      case 'conversations-judged':
        this.#judging.observe(event.tookMs / 1000);
        this.#judged.inc(event.conversations);
        return;
      case 'evaluations-sent':
        this.#sent.inc(event.evaluations);
        return;
      default:
        unreachable(event);
    }
  }

  sources(): readonly MetricSource[] {
    return this.#metrics.sources();
  }
}
