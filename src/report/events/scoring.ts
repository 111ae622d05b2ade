/** From a turn's close to its place in the store: turns, conversations, checks, series. */
import type { AnswerReused } from '../../model/events/judge-events.ts';
import { type ScoringEvent, TURN_FATES, type TurnFate } from '../../model/events/scoring-events.ts';
import type { Gauges } from '../metrics/gauges.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

/** Fates of turns whose spans came before its first close. */
const IN_TIME: readonly TurnFate[] = ['stored', 'no-agent-steps'];
const LATE_FATES = TURN_FATES.filter((fate) => !IN_TIME.includes(fate) && fate !== 'not-understood');

export const SCORING_METRICS = {
  openTurns: {
    name: 'assay_open_turns',
    type: 'gauge',
    labels: [],
    unit: 'turns',
    help: 'Turns that are still collecting spans.',
    read: (now) => now.openTurns(),
  },
  openRecords: {
    name: 'assay_open_records',
    type: 'gauge',
    labels: [],
    unit: 'spans, log records',
    help: 'Spans and log records of open turns.',
    read: (now) => now.openSpans(),
  },
  turns: {
    name: 'assay_turns_closed_total',
    type: 'counter',
    labels: ['cause', 'fate'],
    unit: 'turns',
    help: 'Turns closed, by cause and by what became of them. not-understood: the bytes could not be read, and the log says why.',
    zeros: { cause: ['settled'], fate: TURN_FATES },
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
    zeros: { fate: LATE_FATES },
  },
  conversations: {
    name: 'assay_conversations_due_total',
    type: 'counter',
    labels: ['cause'],
    unit: 'conversations',
    help: 'Conversations that became due, by cause.',
    zeros: { cause: ['idle', 'end_marker', 'single_trace', 'max_age', 'max_turns'] },
  },
  backlog: {
    name: 'assay_scoring_queue_length',
    type: 'gauge',
    labels: [],
    unit: 'turns',
    help: 'Turns that are closed and not yet stored.',
    read: (now) => now.scoringBacklog(),
  },
  logLag: {
    name: 'assay_log_lag_seconds',
    type: 'gauge',
    labels: [],
    unit: 'seconds',
    help: 'How far scoring is behind the log.',
    read: (now) => now.logLagSeconds(),
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
    zeros: { reason: ['error', 'timeout'] },
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
    read: (now) =>
      now.criterionWeights().map(({ suite, criterion, weight }) => ({ labels: { suite, criterion }, value: weight })),
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
    read: (now) =>
      now.criterionVariation().map(({ suite, criterion, ratio }) => ({ labels: { suite, criterion }, value: ratio })),
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
    read: (now) => now.criterionLikeness().map(({ phi, ...labels }) => ({ labels, value: phi })),
  },
  series: {
    name: 'assay_series',
    type: 'gauge',
    labels: [],
    unit: 'series',
    help: 'Series of the quality metrics, as they are exposed.',
    read: (now) => now.series(),
  },
  labelValues: {
    name: 'assay_label_values',
    type: 'gauge',
    labels: [],
    unit: 'combinations',
    help: 'Combinations of agent, version, environment and segment that have series.',
    read: (now) => now.labelSets(),
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
    read: (now) => now.labelSetsMax,
  },
  folded: {
    name: 'assay_series_folded_total',
    type: 'counter',
    labels: ['label'],
    unit: 'evaluations',
    help: 'Evaluations counted under `other` because there are as many label sets (label agent) or segments (label segment) as allowed.',
    zeros: { label: ['agent', 'segment'] },
  },
  pruned: {
    name: 'assay_store_pruned_conversations_total',
    type: 'counter',
    labels: [],
    unit: 'conversations',
    help: 'Conversations that retention let go.',
  },
} as const satisfies MetricTable<Gauges>;

export const SCORING_EVENTS = {
  'turn-closed': {
    count: ({ cause, fate, rows }, { turns, lateRecords }) => {
      turns.inc({ cause, fate });
      if (fate !== 'stored' && fate !== 'no-agent-steps') lateRecords.inc({ fate }, rows);
    },
  },
  'conversation-evaluated': { count: ({ cause }, { conversations }) => conversations.inc({ cause }) },
  'check-failed': {
    log: ({ suite, criterion, reason }) =>
      warn(
        'scoring: check failed to answer, its verdict is error',
        { suite, criterion, reason },
        `check ${suite}/${criterion}`,
      ),
    count: ({ suite, criterion }, { checkErrors }) => checkErrors.inc({ suite, criterion, reason: 'error' }),
  },
  'check-stopped': {
    log: ({ suite, criterion, suspended }) =>
      error('scoring: check ran past its limit and was stopped, its verdict is error', { suite, criterion, suspended }),
    count: ({ suite, criterion }, { checkErrors }) => checkErrors.inc({ suite, criterion, reason: 'timeout' }),
  },
  'not-understood': {
    log: ({ what, reason }) =>
      error('scoring: turn or conversation cannot be understood, it is left out', { what, reason }, 'not understood'),
  },
  'labels-folded': {
    log: ({ label, agent }) =>
      warn(
        `metrics: too many ${label === 'agent' ? 'label sets' : 'segments'}, counting new ones under \`other\``,
        { agent },
        `folded ${label}`,
      ),
    count: ({ label }, { folded }) => folded.inc({ label }),
  },
  'scorer-committed': {
    count: ({ turns, tookMs }, { commit, scored }) => {
      commit.observe(tookMs / 1000);
      scored.inc(turns);
    },
  },
  'scorer-failed': {
    log: (event) => error('scoring: failed, retrying', { error: event.error }, `scorer ${event.error}`),
    count: (_event, { scorerFailures }) => scorerFailures.inc(),
  },
  'scorer-restarted': {
    log: ({ because }) => warn('scoring: thread restarted, unfinished work is redone', { because }),
  },
  'store-pruned': {
    log: ({ conversations, bytes }) =>
      conversations === 0 ? undefined : info('store: deleted conversations past retention', { conversations, bytes }),
    count: ({ conversations }, { pruned }) => pruned.inc(conversations),
  },
} satisfies EventTable<Exclude<ScoringEvent, AnswerReused>, ScoringCounted>;

export type ScoringCounted = Counted<typeof SCORING_METRICS>;
