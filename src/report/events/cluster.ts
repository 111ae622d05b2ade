/** The way from Kafka to the shared store: how far behind, what could not be read, who has what. */
import { type ClusterEvent, RECORD_FATES } from '../../model/events/cluster-events.ts';
import type { ClusterGauges } from '../metrics/gauges.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { error, type EventTable, info, warn } from './event-table.ts';
import type { ScoringCounted } from './scoring.ts';

const BATCH_BUCKETS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

export const CLUSTER_METRICS = {
  records: {
    name: 'assay_kafka_records_total',
    type: 'counter',
    labels: ['topic'],
    unit: 'records',
    help: 'Records read from Kafka, by topic.',
    zeros: {},
  },
  rows: {
    name: 'assay_kafka_rows_total',
    type: 'counter',
    labels: ['topic', 'signal'],
    unit: 'spans, log records',
    help: 'Spans and log records in what was read from Kafka.',
  },
  bytes: {
    name: 'assay_kafka_bytes_total',
    type: 'counter',
    labels: ['topic'],
    unit: 'bytes',
    help: 'Bytes of the values of records read from Kafka.',
    zeros: {},
  },
  unreadable: {
    name: 'assay_kafka_unreadable_records_total',
    type: 'counter',
    labels: ['topic', 'fate'],
    unit: 'records',
    help: 'Records that hold neither spans nor log records of OTLP, by what became of them: dead-letter or dropped.',
    zeros: { fate: RECORD_FATES },
  },
  late: {
    name: 'assay_kafka_late_records_total',
    type: 'counter',
    labels: ['topic'],
    unit: 'records',
    help: 'Records that came with a timestamp before a time that was thought to be over. If this grows, raise kafka.clock_margin.',
    zeros: {},
  },
  laneChanges: {
    name: 'assay_kafka_lane_changes_total',
    type: 'counter',
    labels: ['change'],
    unit: 'lanes',
    help: 'Lanes that this instance gained and lost.',
    zeros: { change: ['gained', 'lost'] },
  },
  lanes: {
    name: 'assay_kafka_lanes',
    type: 'gauge',
    labels: [],
    unit: 'lanes',
    help: 'Lanes (partition numbers) that this instance has.',
    read: (now) => now.lanes(),
  },
  lagRecords: {
    name: 'assay_kafka_lag_records',
    type: 'gauge',
    labels: ['topic', 'partition'],
    unit: 'records',
    help: 'Records of the partition that have not been read.',
    read: (now) =>
      now.lags().map(({ topic, partition, records }) => ({ labels: { topic, partition }, value: records })),
  },
  lagSeconds: {
    name: 'assay_kafka_lag_seconds',
    type: 'gauge',
    labels: ['topic', 'partition'],
    unit: 'seconds',
    help: 'How far the log time of the partition is behind now; 0 where it has been read to its end.',
    queries: [{ asks: 'how far behind the slowest partition is', promql: 'max(assay_kafka_lag_seconds)' }],
    read: (now) =>
      now.lags().map(({ topic, partition, seconds }) => ({ labels: { topic, partition }, value: seconds })),
  },
  clusterTimeLag: {
    name: 'assay_cluster_time_lag_seconds',
    type: 'gauge',
    labels: [],
    unit: 'seconds',
    help: 'How far the time up to which conversations are judged is behind now.',
    read: (now) => {
      const time = now.clusterTime();
      return time === undefined ? 0 : Math.max(0, Date.now() - time) / 1000;
    },
  },
  kafkaProblem: {
    name: 'assay_kafka_problem',
    type: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: '1 while something keeps this instance from reading; the log says what. A gateway has none.',
  },
  storeProblem: {
    name: 'assay_store_problem',
    type: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: '1 while the shared store can not be used; the log says why. A gateway has none.',
  },
  sendingProblem: {
    name: 'assay_evaluations_topic_problem',
    type: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: '1 while the instance that sends evaluations to their topic can not; the log says why. They wait in the store. A gateway has none.',
  },
  spoolBytes: {
    name: 'assay_spool_bytes',
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Disk that the bytes of open turns hold.',
    read: (now) => now.spoolBytes(),
  },
  turnsToFile: {
    name: 'assay_filing_queue_length',
    type: 'gauge',
    labels: [],
    unit: 'turns',
    help: 'Closed turns that are not filed yet.',
    read: (now) => now.turnsToFile(),
  },
  filing: {
    name: 'assay_filing_seconds',
    type: 'histogram',
    labels: [],
    unit: 'seconds',
    help: 'Time to file one batch of closed turns in the shared store.',
    buckets: BATCH_BUCKETS,
  },
  filed: {
    name: 'assay_arrivals_filed_total',
    type: 'counter',
    labels: [],
    unit: 'turns',
    help: 'Closed turns filed in the shared store.',
  },
  judging: {
    name: 'assay_judging_seconds',
    type: 'histogram',
    labels: [],
    unit: 'seconds',
    help: 'Time to judge one batch of conversations and store it.',
    buckets: BATCH_BUCKETS,
  },
  judged: {
    name: 'assay_conversations_judged_total',
    type: 'counter',
    labels: [],
    unit: 'conversations',
    help: 'Conversations that were looked at because something was due.',
  },
  sent: {
    name: 'assay_evaluations_sent_total',
    type: 'counter',
    labels: [],
    unit: 'evaluations',
    help: 'Evaluations written to the topic of evaluations.',
  },
} as const satisfies MetricTable<ClusterGauges>;

type ClusterCounted = Counted<typeof CLUSTER_METRICS>;

export const CLUSTER_EVENTS = {
  'records-read': {
    count: ({ topic, signal, ...read }, { records, rows, bytes }) => {
      records.inc({ topic }, read.records);
      rows.inc({ topic, signal }, read.rows);
      bytes.inc({ topic }, read.bytes);
    },
  },
  'record-unreadable': {
    log: ({ topic, partition, offset, reason, fate }) =>
      warn(
        'kafka: record cannot be read, reading goes on after it',
        { topic, partition, offset, reason, fate },
        `unreadable ${topic}`,
      ),
    count: ({ topic, fate }, { unreadable }) => unreadable.inc({ topic, fate }),
  },
  'record-late': {
    log: ({ topic, byMs }) =>
      warn(
        'kafka: record is later than kafka.clock_margin allows, taking it at the current log time',
        { topic, by_ms: byMs },
        `late ${topic}`,
      ),
    count: ({ topic }, { late }) => late.inc({ topic }),
  },
  'lanes-gained': {
    log: ({ lanes, kept }) => info('kafka: lanes gained, reading them', { lanes: lanes.join(' '), kept }),
    count: ({ lanes }, { laneChanges }) => laneChanges.inc({ change: 'gained' }, lanes.length),
  },
  'lanes-lost': {
    log: ({ lanes, because }) =>
      info('kafka: lanes lost, their next owner reads them', { lanes: lanes.join(' '), because }),
    count: ({ lanes }, { laneChanges }) => laneChanges.inc({ change: 'lost' }, lanes.length),
  },
  'kafka-problem': {
    log: ({ problem }) =>
      problem === undefined
        ? info('kafka: problem is over, reading again')
        : error('kafka: cannot read, retrying', { problem }),
    count: ({ problem }, { kafkaProblem }) => kafkaProblem.set(problem === undefined ? 0 : 1),
  },
  'store-problem': {
    log: ({ problem }) =>
      problem === undefined
        ? info('store: problem is over, using the shared store again')
        : error('store: cannot use the shared store, retrying', { problem }),
    count: ({ problem }, { storeProblem }) => storeProblem.set(problem === undefined ? 0 : 1),
  },
  'sending-problem': {
    log: ({ problem }) =>
      problem === undefined
        ? info('kafka: problem is over, sending evaluations to their topic again')
        : error('kafka: cannot send evaluations to their topic, they wait in the store', { problem }),
    count: ({ problem }, { sendingProblem }) => sendingProblem.set(problem === undefined ? 0 : 1),
  },
  'arrivals-filed': {
    count: ({ arrivals, tookMs }, { filing, filed }) => {
      filing.observe(tookMs / 1000);
      filed.inc(arrivals);
    },
  },
  'conversations-judged': {
    count: ({ conversations, arrivals, tookMs }, { judging, judged, commit, scored }) => {
      judging.observe(tookMs / 1000);
      judged.inc(conversations);
      if (arrivals === 0) return;
      // Panels and alerts about scoring are the same however Assay runs.
      commit.observe(tookMs / 1000);
      scored.inc(arrivals);
    },
  },
  'evaluations-sent': { count: ({ evaluations }, { sent }) => sent.inc(evaluations) },
} satisfies EventTable<ClusterEvent, ClusterCounted & Pick<ScoringCounted, 'commit' | 'scored'>>;

/** A gateway reads nothing. "No instance can" asks those that read, and a 0 of a gateway must not stand for them. */
export function withoutReading({ kafkaProblem, storeProblem, sendingProblem }: ClusterCounted): void {
  for (const gauge of [kafkaProblem, storeProblem, sendingProblem]) gauge.remove();
}
