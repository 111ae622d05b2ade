/**
 * The metrics that say how Assay itself is: names, labels, units and meaning. `health-counters.ts` counts them; unlike the quality metrics they
 * start at zero with the process, as Prometheus counters do.
 */
import type { HistogramDefinition, MetricDefinition } from '../../model/metric.ts';

export const HEALTH_METRICS = {
  received: {
    name: 'assay_received_requests_total',
    type: 'counter',
    labels: ['transport', 'signal', 'encoding'],
    unit: 'requests',
    help: 'Requests accepted, which is journaled and synced, by transport, signal and content encoding.',
  },
  receivedRecords: {
    name: 'assay_received_records_total',
    type: 'counter',
    labels: ['signal'],
    unit: 'spans, log records',
    help: 'Spans and log records accepted: journaled and synced.',
    queries: [
      { asks: 'spans accepted each second', promql: 'sum(rate(assay_received_records_total{signal="traces"}[5m]))' },
    ],
  },
  receivedBytes: {
    name: 'assay_received_bytes_total',
    type: 'counter',
    labels: ['signal'],
    unit: 'bytes',
    help: 'Bytes accepted, after decompression.',
  },
  rejected: {
    name: 'assay_rejected_records_total',
    type: 'counter',
    labels: ['signal', 'reason'],
    unit: 'spans, log records',
    help: 'Spans and log records that a partial success rejected, by reason.',
  },
  refused: {
    name: 'assay_refused_requests_total',
    type: 'counter',
    labels: ['transport', 'reason'],
    unit: 'requests',
    help: 'Requests answered with an error, by transport and reason.',
    queries: [
      {
        asks: 'clients that were told to wait: the journal is full, or too much is in flight',
        promql: 'sum by (reason) (rate(assay_refused_requests_total{reason=~"not-admitted|overloaded"}[5m]))',
      },
    ],
  },
  redactions: {
    name: 'assay_redactions_total',
    type: 'counter',
    labels: ['pattern'],
    unit: 'places',
    help: 'Secrets taken out of accepted requests before they were stored, by pattern; key and user_id are such patterns too.',
  },
  journalBytes: {
    name: 'assay_journal_bytes',
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Disk that the journal holds.',
  },
  sync: {
    name: 'assay_journal_sync_seconds',
    type: 'histogram',
    labels: [],
    unit: 'seconds',
    help: 'Time to write and sync one group of the journal.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
  corrupt: {
    name: 'assay_journal_corrupt_bytes_total',
    type: 'counter',
    labels: [],
    unit: 'bytes',
    help: 'Bytes of the journal found corrupt and set aside.',
  },
  openTurns: {
    name: 'assay_open_turns',
    type: 'gauge',
    labels: [],
    unit: 'turns',
    help: 'Turns that are still collecting spans.',
  },
  openRecords: {
    name: 'assay_open_records',
    type: 'gauge',
    labels: [],
    unit: 'spans, log records',
    help: 'Spans and log records of open turns.',
  },
  turns: {
    name: 'assay_turns_closed_total',
    type: 'counter',
    labels: ['cause', 'fate'],
    unit: 'turns',
    help: 'Turns closed, by cause and by what became of them. not-understood: the bytes could not be read, and the log says why.',
  },
  lateRecords: {
    name: 'assay_late_records_total',
    type: 'counter',
    labels: ['fate'],
    unit: 'spans, log records',
    help: 'Spans and log records that came after their turn had closed, by what became of them.',
    queries: [
      {
        asks: 'share of spans that came late (read from Kafka: divided by assay_kafka_rows_total)',
        promql: 'sum(rate(assay_late_records_total[1h])) / sum(rate(assay_received_records_total[1h]))',
      },
    ],
  },
  conversations: {
    name: 'assay_conversations_due_total',
    type: 'counter',
    labels: ['cause'],
    unit: 'conversations',
    help: 'Conversations that became due, by cause.',
  },
  backlog: {
    name: 'assay_scoring_queue_length',
    type: 'gauge',
    labels: [],
    unit: 'turns',
    help: 'Turns that are closed and not yet stored.',
  },
  logLag: {
    name: 'assay_log_lag_seconds',
    type: 'gauge',
    labels: [],
    unit: 'seconds',
    help: 'How far scoring is behind the log.',
  },
  commit: {
    name: 'assay_scoring_batch_seconds',
    type: 'histogram',
    labels: [],
    unit: 'seconds',
    help: 'Time to score and store one batch of turns.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  },
  scored: {
    name: 'assay_turns_scored_total',
    type: 'counter',
    labels: [],
    unit: 'turns',
    help: 'Turns that went through scoring and into the store.',
  },
  scorerFailures: {
    name: 'assay_scoring_failures_total',
    type: 'counter',
    labels: [],
    unit: 'failures',
    help: 'Batches that were undone and done again, and ends of the scoring thread.',
  },
  checkErrors: {
    name: 'assay_check_errors_total',
    type: 'counter',
    labels: ['suite', 'criterion', 'reason'],
    unit: 'checks',
    help: 'Checks that threw, ran past their limit or answered neither yes nor no.',
    queries: [
      {
        asks: 'criteria whose checks fail to answer',
        promql: 'sum by (suite, criterion) (increase(assay_check_errors_total[1h])) > 0',
      },
    ],
  },
  criterionWeight: {
    name: 'assay_criterion_weight_ratio',
    type: 'gauge',
    labels: ['suite', 'criterion'],
    unit: 'from 0 to 1',
    help: 'Weight of a criterion in its suite, from 0 to 1.',
    queries: [
      {
        asks: 'how many points of TCR each criterion costs',
        promql: `max by (criterion) (assay_criterion_weight_ratio{suite="default"})
  * sum by (criterion) (increase(assay_verdicts_total{suite="default",verdict="fail"}[1d]))
  / sum by (criterion) (increase(assay_verdicts_total{suite="default",verdict=~"pass|fail"}[1d]))`,
      },
    ],
  },
  criterionVariation: {
    name: 'assay_criterion_variation_ratio',
    type: 'gauge',
    labels: ['suite', 'criterion'],
    unit: 'from 0 to 1',
    help: 'What the rarer of pass and fail comes to at the most (95 % confidence) of all that this instance ever decided. Near 0 the criterion always says the same.',
    queries: [
      {
        asks: 'criteria that always say the same; assay validate --store says more',
        promql: 'min by (suite, criterion) (assay_criterion_variation_ratio) < 0.01',
      },
    ],
  },
  criterionLikeness: {
    name: 'assay_criterion_likeness_ratio',
    type: 'gauge',
    labels: ['suite', 'criterion', 'other'],
    unit: 'from -1 to 1',
    help: 'How alike two criteria of a suite are (phi coefficient) by the newest 2,000 evaluations of the store, every ten minutes. Only those that say the same (near 1) or the opposite (near -1), at most 100 pairs.',
    queries: [
      {
        asks: 'criteria that say what another one says, and so count twice',
        promql: 'max by (suite, criterion, other) (assay_criterion_likeness_ratio)',
      },
    ],
  },
  series: {
    name: 'assay_series',
    type: 'gauge',
    labels: [],
    unit: 'series',
    help: 'Series of the quality metrics, as they are exposed.',
  },
  labelValues: {
    name: 'assay_label_values',
    type: 'gauge',
    labels: [],
    unit: 'combinations',
    help: 'Combinations of agent, version, environment and segment that have series.',
  },
  labelValuesMax: {
    name: 'assay_label_values_max',
    type: 'gauge',
    labels: [],
    unit: 'combinations',
    help: 'How many combinations there may be before new ones are counted under `other` (metrics.max_label_values).',
    queries: [
      {
        asks: 'how full the labels are; at 1, new agents and versions are counted under `other`',
        promql: 'max(assay_label_values) / max(assay_label_values_max)',
      },
    ],
  },
  folded: {
    name: 'assay_series_folded_total',
    type: 'counter',
    labels: ['label'],
    unit: 'evaluations',
    help: 'Evaluations counted under `other` because there are as many label sets (label agent) or segments (label segment) as allowed.',
  },
  pruned: {
    name: 'assay_store_pruned_conversations_total',
    type: 'counter',
    labels: [],
    unit: 'conversations',
    help: 'Conversations that retention let go.',
  },
  results: {
    name: 'assay_results_total',
    type: 'counter',
    labels: ['fate'],
    unit: 'evaluations',
    help: 'Evaluations that were to go to a backend as OpenTelemetry events: sent, refused by it for good, or dropped because too many waited.',
  },
  resultFailures: {
    name: 'assay_result_failures_total',
    type: 'counter',
    labels: [],
    unit: 'requests',
    help: 'Requests with results that failed and are made again.',
  },
  reloadSuccessful: {
    name: 'assay_config_last_reload_successful',
    type: 'gauge',
    labels: [],
    unit: '0 or 1',
    help: 'Whether the configuration could be read the last time that it was asked for; 0: what ran before runs on.',
  },
  reloadedAt: {
    name: 'assay_config_last_reload_success_timestamp_seconds',
    type: 'gauge',
    labels: [],
    unit: 'seconds since 1970',
    help: 'When the configuration that is in use was read.',
    queries: [
      {
        asks: 'instances that run another configuration than the newest one',
        promql:
          'assay_config_last_reload_success_timestamp_seconds < on () group_left () max(assay_config_last_reload_success_timestamp_seconds) - 600',
      },
    ],
  },
  writes: {
    name: 'assay_api_writes_total',
    type: 'counter',
    labels: ['route', 'code'],
    unit: 'requests',
    help: 'Requests to write through the API, by route and class of the answer: 2xx, 4xx, 5xx.',
    queries: [
      {
        asks: 'writes that were refused or failed, by route',
        promql: 'sum by (route, code) (increase(assay_api_writes_total{code!="2xx"}[1h])) > 0',
      },
    ],
  },
  buildInfo: {
    name: 'assay_build_info',
    type: 'gauge',
    labels: ['version'],
    unit: 'always 1',
    help: 'Always 1; the version is the label.',
  },
} as const satisfies Record<string, MetricDefinition | HistogramDefinition>;
