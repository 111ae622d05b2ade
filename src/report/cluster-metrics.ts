/**
 * Health of the way from Kafka to the shared store: how far behind, what could not be read, who has what. Starts at zero with the
 * process; what is said of quality comes from the store.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ClusterEvent } from '../model/events/cluster-events.ts';
import { unreachable } from '../model/unreachable.ts';
import type { MetricSource } from './exposition.ts';
import { sourcesOf } from './prom-sources.ts';

export interface ClusterGauges {
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

const BATCH_BUCKETS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

export class ClusterMetrics {
  readonly #registry = new Registry();
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

  constructor(gauges: ClusterGauges) {
    const registers = [this.#registry];
    const counter = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
      new Counter<T>({ name, help, labelNames, registers });
    const gauge = (name: string, help: string, read?: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        ...(read === undefined
          ? {}
          : {
              collect() {
                this.set(read());
              },
            }),
      });
    const histogram = (name: string, help: string) => new Histogram({ name, help, buckets: BATCH_BUCKETS, registers });

    this.#records = counter('assay_kafka_records_total', 'Records read from Kafka, by topic.', ['topic']);
    this.#rows = counter('assay_kafka_rows_total', 'Spans and log records in what was read from Kafka.', [
      'topic',
      'signal',
    ]);
    this.#bytes = counter('assay_kafka_bytes_total', 'Bytes of the values of records read from Kafka.', ['topic']);
    this.#unreadable = counter(
      'assay_kafka_unreadable_records_total',
      'Records that hold neither spans nor log records of OTLP, by what became of them: dead-letter or dropped.',
      ['topic', 'fate'],
    );
    this.#late = counter(
      'assay_kafka_late_records_total',
      'Records that came with a timestamp before a time that was thought to be over. If this grows, raise kafka.clock_margin.',
      ['topic'],
    );
    this.#laneChanges = counter('assay_kafka_lane_changes_total', 'Lanes that this instance gained and lost.', [
      'change',
    ]);
    this.#filing = histogram('assay_filing_seconds', 'Time to file one batch of closed turns in the shared store.');
    this.#filed = counter('assay_arrivals_filed_total', 'Closed turns filed in the shared store.');
    this.#judging = histogram('assay_judging_seconds', 'Time to judge one batch of conversations and store it.');
    this.#judged = counter(
      'assay_conversations_judged_total',
      'Conversations that were looked at because something was due.',
    );
    this.#sent = counter('assay_evaluations_sent_total', 'Evaluations written to the topic of evaluations.');
    this.#kafkaProblem = gauge(
      'assay_kafka_problem',
      '1 while something keeps this instance from reading; the log says what.',
    );
    this.#storeProblem = gauge('assay_store_problem', '1 while the shared store can not be used; the log says why.');
    gauge('assay_kafka_lanes', 'Lanes (partition numbers) that this instance has.', gauges.lanes);
    gauge('assay_spool_bytes', 'Disk that the bytes of open turns hold.', gauges.spoolBytes);
    gauge('assay_filing_queue_length', 'Closed turns that are not filed yet.', gauges.turnsToFile);
    gauge(
      'assay_cluster_time_lag_seconds',
      'How far the time up to which conversations are judged is behind now.',
      () => {
        const time = gauges.clusterTime();
        return time === undefined ? 0 : Math.max(0, Date.now() - time) / 1000;
      },
    );
    this.#lag('assay_kafka_lag_records', 'Records of the partition that have not been read.', gauges, 'records');
    this.#lag(
      'assay_kafka_lag_seconds',
      'How far the log time of the partition is behind now; 0 where it has been read to its end.',
      gauges,
      'seconds',
    );
    for (const topic of gauges.topics) {
      this.#records.inc({ topic }, 0);
      this.#bytes.inc({ topic }, 0);
      this.#late.inc({ topic }, 0);
      for (const fate of ['dead-letter', 'dropped']) this.#unreadable.inc({ topic, fate }, 0);
    }
    for (const change of ['gained', 'lost']) this.#laneChanges.inc({ change }, 0);
  }

  #lag(name: string, help: string, gauges: ClusterGauges, what: 'records' | 'seconds'): void {
    new Gauge({
      name,
      help,
      labelNames: ['topic', 'partition'],
      registers: [this.#registry],
      collect() {
        // A partition that went to another instance is that one's to tell.
        this.reset();
        for (const lag of gauges.lags()) this.set({ topic: lag.topic, partition: lag.partition }, lag[what]);
      },
    });
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
    return sourcesOf(this.#registry);
  }
}
