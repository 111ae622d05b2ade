/** Scoring, from a turn's close to its place in the store: turns, conversations, checks, series. */
import type { About } from '../../model/evaluation.ts';
import { CLOSE_CAUSES, type CloseCause, DUE_CAUSES } from '../../model/causes.ts';
import type { DamageEvent } from '../../model/events/damage-events.ts';
import type { AnswerReused, EvidenceShown } from '../../model/events/judge-events.ts';
import {
  ENDLESS_SIGNS,
  FEEDBACK_FATES,
  type ScoringEvent,
  TURN_FATES,
  type TurnFate,
  WRONG_CLOCKS,
} from '../../model/events/scoring-events.ts';
import { FEEDBACK_WAYS } from '../../model/feedback.ts';
import { DOUBTS } from '../../model/turn.ts';
import { counter, GIVEN, histogram, readGauge } from '../metrics/define-metric.ts';
import { SERIES_PARTS, type SeriesPart } from '../metrics/series-budget.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import type { FailuresCounted } from './damage.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

/** Whether the rows came after their turn had closed. */
const IS_LATE = {
  stored: false,
  revised: true,
  'stored-already': false,
  duplicate: true,
  'too-late': true,
  pruned: true,
  forgotten: true,
  'over-limit': true,
  'logs-without-spans': false,
  'no-agent-steps': false,
  'not-understood': false,
} satisfies Record<TurnFate, boolean>;

/** Causes that exist at zero. The others are rare, and each would be nine series without information. */
const IS_USUAL = {
  settled: true,
  idle: false,
  max_age: false,
  size: false,
  pressure: false,
  unknown: false,
} satisfies Record<CloseCause, boolean>;

/** Readings of a log at each scrape. */
export interface LogReadings {
  readonly openTurns: number;
  readonly openSpans: number;
  /** How far scoring is behind it. */
  readonly lagSeconds: number;
}

export interface ScoringReadings {
  /** Undefined until it is open. */
  readonly log: () => LogReadings | undefined;
  readonly turnsWaiting: () => number;
  readonly series: () => number;
  readonly withheld: () => { readonly [part in SeriesPart]: readonly string[] };
  readonly labelSets: () => number;
  readonly criterionWeights: () => readonly (CriterionReading<'weight'> & { readonly about: About })[];
  /** Only criteria that were decided at all. */
  readonly criterionVariation: () => readonly CriterionReading<'ratio'>[];
}

type CriterionReading<Figure extends string> = { readonly suite: string; readonly criterion: string } & {
  readonly [F in Figure]: number;
};

export const SCORING_METRICS = {
  openTurns: readGauge('assay_open_turns', 'turns', {
    help: 'Turns that are still collecting spans.',
    read: (now) => now.log()?.openTurns ?? 0,
  }),
  turns: counter('assay_turns_closed_total', 'turns', {
    labels: { cause: CLOSE_CAUSES.filter((cause) => IS_USUAL[cause]), fate: TURN_FATES },
    help: 'Turns closed, by cause and by their fate. not-understood: the bytes could not be read, and the log has the reason. stored-already: the scoring thread had ended after it stored the turn and before it reported this, so the turn was submitted again.',
  }),
  doubted: counter('assay_turns_doubted_total', 'turns', {
    labels: { doubt: DOUBTS },
    help: 'Turns that were not read as they happened, by the sign of it; the criteria that it concerns are not applicable. frameworks.md says what each means.',
    queries: {
      'turns that were not understood, by their sign': 'sum by (doubt) (increase(assay_turns_doubted_total[1h])) > 0',
    },
  }),
  withoutEnd: counter('assay_turns_without_end_total', 'turns', {
    labels: { sign: ENDLESS_SIGNS },
    help: 'Turns without an end that no suite scored, so it is unknown whether the agent crashed. no-root: a trace names a conversation, its root never arrived, and nothing in it is work of an agent. open-call: the last model call asks for a tool, and nothing follows it.',
    queries: {
      'turns that may have been lost with their process': 'sum by (sign) (increase(assay_turns_without_end_total[1d]))',
    },
  }),
  wrongClocks: counter('assay_turns_clock_wrong_total', 'turns', {
    labels: { reason: WRONG_CLOCKS },
    help: 'Turns whose spans say a time that cannot be true, so that lists and figures show them at their time of arrival. future: more than ten minutes ahead of it. before_2000: as of a clock that was never set.',
    queries: {
      'turns of machines whose clock is wrong': 'sum by (reason) (increase(assay_turns_clock_wrong_total[1d])) > 0',
    },
  }),
  lateRecords: counter('assay_late_records_total', 'spans, log records', {
    labels: { fate: TURN_FATES.filter((fate) => IS_LATE[fate]) },
    help: 'Spans and log records that arrived after their turn had closed, by their fate.',
    queries: {
      'share of spans that came late (read from Kafka: divided by assay_kafka_rows_total)':
        'sum(rate(assay_late_records_total{fate!="duplicate"}[1h])) / sum(rate(assay_received_records_total[1h]))',
    },
  }),
  conversations: counter('assay_conversations_due_total', 'conversations', {
    labels: { cause: DUE_CAUSES },
    help: 'Conversations that became due, by cause.',
  }),
  feedback: counter('assay_feedback_received_total', 'feedback', {
    labels: { way: FEEDBACK_WAYS, fate: FEEDBACK_FATES },
    help: 'Feedback of users as it was received, by its way and its fate. waiting: its conversation is not known yet. known: it was there before. gone: its conversation was deleted. unplaced: it names no conversation, and its trace leads to none.',
    queries: {
      'feedback that was lost in the last day':
        'sum by (way, fate) (increase(assay_feedback_received_total{fate=~"gone|too_many|unplaced"}[1d])) > 0',
    },
  }),
  backlog: readGauge('assay_scoring_queue_length', 'turns', {
    help: 'Turns that are closed and not yet stored; with Kafka, not yet filed in the shared store.',
    read: (now) => now.turnsWaiting(),
  }),
  logLag: readGauge('assay_log_lag_seconds', 'seconds', {
    help: 'Lag of scoring behind the log.',
    read: (now) => now.log()?.lagSeconds ?? 0,
  }),
  commit: histogram('assay_scoring_batch_seconds', 'seconds', {
    help: 'Time to score and store one batch of turns.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  }),
  scored: counter('assay_turns_scored_total', 'turns', { help: 'Turns scored and stored.' }),
  checkErrors: counter('assay_check_errors_total', 'checks', {
    labels: { suite: GIVEN, criterion: GIVEN, reason: ['error', 'timeout'] },
    help: 'Checks that threw, exceeded their time limit or answered neither yes nor no.',
    queries: {
      'criteria whose checks fail to answer': 'sum by (suite, criterion) (increase(assay_check_errors_total[1h])) > 0',
    },
  }),
  suspensions: counter('assay_check_suspensions_total', 'pauses', {
    labels: { suite: GIVEN, criterion: GIVEN },
    help: 'Pauses of a criterion because its check ran past its limit too often. They are of log time, for one agent or all, and end by themselves; conversations without a score for it are evaluated again then.',
    queries: {
      'criteria that were suspended': 'sum by (suite, criterion) (increase(assay_check_suspensions_total[1h])) > 0',
    },
  }),
  criterionWeight: readGauge('assay_criterion_weight_ratio', 'from 0 to 1', {
    labels: ['suite', 'criterion', 'about'],
    help: 'Weight of a criterion in its suite, from 0 to 1, and what it is about: form, rules or task. Only a suite with a criterion about the task says anything of success.',
    queries: {
      'how many points of the mean score each criterion costs': `max by (criterion) (assay_criterion_weight_ratio{suite="default"})
  * sum by (criterion) (increase(assay_verdicts_total{suite="default",verdict="fail"}[1d]))
  / sum by (criterion) (increase(assay_verdicts_total{suite="default",verdict=~"pass|fail"}[1d]))`,
    },
    read: (now) => now.criterionWeights().map(({ weight, ...labels }) => ({ labels, value: weight })),
  }),
  criterionVariation: readGauge('assay_criterion_variation_ratio', 'from 0 to 1', {
    labels: ['suite', 'criterion'],
    help: 'Upper bound (95 % confidence) on the share of the rarer of pass and fail, over everything that this instance ever decided. Near 0 the criterion always gives the same answer.',
    queries: {
      'criteria that always say the same; assay validate --store says more':
        'min by (suite, criterion) (assay_criterion_variation_ratio) < 0.01',
    },
    read: (now) =>
      now.criterionVariation().map(({ suite, criterion, ratio }) => ({ labels: { suite, criterion }, value: ratio })),
  }),
  series: readGauge('assay_series', 'series', {
    help: 'Series of the quality metrics, as they are exposed.',
    read: (now) => now.series(),
  }),
  withheld: readGauge('assay_series_withheld_agents', 'agents', {
    labels: ['part'],
    help: 'Agents of which a part is not exposed, because there are more series than metrics.max_series: effort (steps, tokens, duration, cost, endings), criteria (verdicts), buckets (of histograms). The page and the API have all of it.',
    read: (now) => {
      const withheld = now.withheld();
      return SERIES_PARTS.map((part) => ({ labels: { part }, value: withheld[part].length }));
    },
  }),
  labelValues: readGauge('assay_label_values', 'combinations', {
    help: 'Combinations of agent, version, environment and segment that have series. From metrics.max_label_values on, idle ones that are no newest version give way, or new ones are counted under `other`.',
    read: (now) => now.labelSets(),
  }),
  folded: counter('assay_series_folded_total', 'evaluations', {
    labels: { label: ['agent', 'segment'] },
    help: 'Evaluations counted under `other` because there are as many label sets (label agent) or segments (label segment) as allowed.',
  }),
  pruned: counter('assay_store_pruned_conversations_total', 'conversations', {
    help: 'Conversations that retention deleted.',
  }),
} satisfies MetricTable<ScoringReadings>;

export const SCORING_EVENTS = {
  'turn-closed': {
    count: ({ cause, fate, rows }, { turns, lateRecords }) => {
      turns.inc({ cause, fate });
      if (IS_LATE[fate]) lateRecords.inc({ fate }, rows);
    },
  },
  'turn-without-end': {
    // Counters keep the first revision, as all others do.
    count: ({ revision, sign }, { withoutEnd }) => {
      if (revision === 1) withoutEnd.inc({ sign });
    },
  },
  'turn-doubted': { count: ({ doubt }, { doubted }) => doubted.inc({ doubt }) },
  'clock-wrong': { count: ({ reason }, { wrongClocks }) => wrongClocks.inc({ reason }) },
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
    log: ({ suite, criterion, suspendedUntil }) =>
      error(
        suspendedUntil === undefined
          ? 'scoring: check ran for longer than a second and was stopped, its verdict is error'
          : 'scoring: check ran for longer than a second too often, its verdict is error until the pause is over',
        {
          suite,
          criterion,
          suspended: suspendedUntil !== undefined,
          ...(suspendedUntil !== undefined && { until: new Date(suspendedUntil).toISOString() }),
        },
      ),
    count: ({ suite, criterion, suspendedUntil }, { checkErrors, suspensions }) => {
      checkErrors.inc({ suite, criterion, reason: 'timeout' });
      if (suspendedUntil !== undefined) suspensions.inc({ suite, criterion });
    },
  },
  'not-understood': {
    log: ({ what, reason }) =>
      error('scoring: turn or conversation cannot be parsed, leaving it out', { what, reason }, 'not understood'),
  },
  'feedback-arrived': { count: ({ way, fate }, { feedback }) => feedback.inc({ way, fate }) },
  'labels-folded': {
    log: ({ label, agent, version }) =>
      warn(
        `metrics: too many ${label === 'agent' ? 'label sets' : 'segments'}, counting new ones under \`other\``,
        { agent, version },
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
    count: (_event, { failures }) => failures.inc({ part: 'scoring' }),
  },
  'scorer-restarted': {
    log: ({ because }) => warn('scoring: thread restarted, retrying unfinished work', { because }),
  },
  'store-pruned': {
    log: ({ conversations, bytes }) =>
      conversations === 0
        ? undefined
        : info('store: conversations past retention deleted, counters stay', { conversations, bytes }),
    count: ({ conversations }, { pruned }) => pruned.inc(conversations),
  },
} satisfies EventTable<
  Exclude<ScoringEvent, AnswerReused | EvidenceShown | ContentDamaged>,
  ScoringCounted & FailuresCounted
>;

type ContentDamaged = Extract<DamageEvent, { readonly type: 'content-damaged' }>;
export type ScoringCounted = Counted<typeof SCORING_METRICS>;
