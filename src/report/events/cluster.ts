/** The way from Kafka to the shared store: lag, unreadable records, lanes, problems. */
import { type ClusterEvent, RECORD_FATES } from '../../model/events/cluster-events.ts';
import { counter, GIVEN, readGauge } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { error, type EventTable, info, warn } from './event-table.ts';
import type { DamageCounted } from './damage.ts';
import type { ScoringCounted } from './scoring.ts';

/** Readings of a log's lanes at each scrape. */
export interface LaneReadings {
  readonly count: number;
  /** Lags as the brokers reported them last, for each partition that this instance reads. */
  readonly lags: readonly PartitionLag[];
}

export interface PartitionLag {
  readonly topic: string;
  readonly partition: number;
  readonly records: number;
  readonly seconds: number;
}

export interface ClusterReadings {
  /** Undefined until it is open. */
  readonly log: () => { readonly lanes?: LaneReadings } | undefined;
  /** Undefined until the store has one. */
  readonly clusterTime: () => number | undefined;
}

export const CLUSTER_METRICS = {
  rows: counter('assay_kafka_rows_total', 'spans, log records', {
    labels: ['topic', 'signal'],
    help: 'Spans and log records in what was read from Kafka.',
  }),
  bytes: counter('assay_kafka_bytes_total', 'bytes', {
    labels: { topic: GIVEN },
    help: 'Bytes of the values of records read from Kafka.',
  }),
  unreadable: counter('assay_kafka_unreadable_records_total', 'records', {
    labels: { topic: GIVEN, fate: RECORD_FATES },
    help: 'Records that hold neither spans nor log records of OTLP, by their fate: dead-letter, dropped, or empty, which is skipped.',
  }),
  late: counter('assay_kafka_late_records_total', 'records', {
    labels: { topic: GIVEN },
    help: 'Records whose timestamp lies before a time that was considered complete. If this grows, raise kafka.clock_margin.',
  }),
  lanes: readGauge('assay_kafka_lanes', 'lanes', {
    help: 'Lanes (partition numbers) that this instance has.',
    read: (now) => now.log()?.lanes?.count ?? 0,
  }),
  lagRecords: readGauge('assay_kafka_lag_records', 'records', {
    labels: ['topic', 'partition'],
    help: 'Records of the partition that have not been read.',
    read: (now) =>
      lagsOf(now).map(({ topic, partition, records }) => ({ labels: { topic, partition }, value: records })),
  }),
  lagSeconds: readGauge('assay_kafka_lag_seconds', 'seconds', {
    labels: ['topic', 'partition'],
    help: 'Lag of the log time of the partition; 0 if it has been read to its end.',
    queries: {
      'how far behind the slowest partition is': 'max(assay_kafka_lag_seconds)',
    },
    read: (now) =>
      lagsOf(now).map(({ topic, partition, seconds }) => ({ labels: { topic, partition }, value: seconds })),
  }),
  clusterTimeLag: readGauge('assay_cluster_time_lag_seconds', 'seconds', {
    help: 'Lag of the time up to which conversations are scored.',
    read: (now) => {
      const time = now.clusterTime();
      return time === undefined ? 0 : Math.max(0, Date.now() - time) / 1000;
    },
  }),
  filed: counter('assay_arrivals_filed_total', 'turns', { help: 'Closed turns filed in the shared store.' }),
  sent: counter('assay_evaluations_sent_total', 'evaluations', {
    help: 'Evaluations written to the topic of evaluations.',
  }),
} satisfies MetricTable<ClusterReadings>;

function lagsOf({ log }: ClusterReadings): readonly PartitionLag[] {
  return log()?.lanes?.lags ?? [];
}

type ClusterCounted = Counted<typeof CLUSTER_METRICS>;

export const CLUSTER_EVENTS = {
  'records-read': {
    count: ({ topic, signal, ...read }, { cluster: { rows, bytes } }) => {
      rows.inc({ topic, signal }, read.rows);
      bytes.inc({ topic }, read.bytes);
    },
  },
  'record-unreadable': {
    log: ({ topic, partition, offset, reason, fate }) =>
      warn(
        'kafka: record cannot be read, skipping it',
        { topic, partition, offset, reason, fate },
        `unreadable ${topic}`,
      ),
    count: ({ topic, fate }, { cluster }) => cluster.unreadable.inc({ topic, fate }),
  },
  'record-empty': { count: ({ topic }, { cluster }) => cluster.unreadable.inc({ topic, fate: 'empty' }) },
  'record-late': {
    log: ({ topic, byMs }) =>
      warn(
        'kafka: record is later than kafka.clock_margin allows, using the current log time for it',
        { topic, by_ms: byMs },
        `late ${topic}`,
      ),
    count: ({ topic }, { cluster }) => cluster.late.inc({ topic }),
  },
  'lanes-gained': {
    log: ({ lanes, kept }) => info('kafka: lanes gained, reading them', { lanes: lanes.join(' '), kept }),
  },
  'lanes-lost': {
    log: ({ lanes, because }) =>
      info('kafka: lanes lost, their next owner reads them', { lanes: lanes.join(' '), because }),
  },
  'kafka-problem': {
    log: ({ problem }) =>
      problem === undefined
        ? info('kafka: problem is over, reading again')
        : error('kafka: cannot read, retrying', { problem }),
    count: ({ problem }, { damage }) => damage.problem.set({ part: 'kafka' }, problem === undefined ? 0 : 1),
  },
  'store-problem': {
    log: ({ problem }) =>
      problem === undefined
        ? info('store: problem is over, using the shared store again')
        : error('store: cannot use the shared store, retrying', { problem }),
    count: ({ problem }, { damage }) => damage.problem.set({ part: 'store' }, problem === undefined ? 0 : 1),
  },
  'sending-problem': {
    log: ({ problem }) =>
      problem === undefined
        ? info('kafka: problem is over, sending evaluations to their topic again')
        : error('kafka: cannot send evaluations to their topic, keeping them in the store and retrying', { problem }),
    count: ({ problem }, { damage }) => damage.problem.set({ part: 'evaluations' }, problem === undefined ? 0 : 1),
  },
  'arrivals-filed': {
    count: ({ arrivals }, { cluster }) => cluster.filed.inc(arrivals),
  },
  'conversations-scored': {
    count: ({ arrivals, tookMs }, { scoring }) => {
      if (arrivals === 0) return;
      // Panels and alerts about scoring are the same however Assay runs.
      scoring.commit.observe(tookMs / 1000);
      scoring.scored.inc(arrivals);
    },
  },
  'evaluations-sent': { count: ({ evaluations }, { cluster }) => cluster.sent.inc(evaluations) },
} satisfies EventTable<
  ClusterEvent,
  { readonly cluster: ClusterCounted; readonly damage: DamageCounted; readonly scoring: ScoringCounted }
>;
