/**
 * The metrics that say how good the agent is: their names, labels, units and meaning. The numbers themselves are the store's
 * running totals (promise 2); `suite-totals.ts` says which of them an evaluation moves.
 *
 * TCR is not a gauge: it is the sum over the count of `assay_evaluation_score`, which adds up over instances, versions
 * and time windows, where an average of averages would not.
 *
 * Counters only go up. So an evaluation is counted at each revision, and what the revision before had added is added to
 * a twin with `_withdrawn` in its name: every metric less its twin is what the store says now, whatever came late.
 */
import type { HistogramDefinition, MetricDefinition } from '../../model/metric.ts';
import { netIncrease, withdrawnName } from './net-increase.ts';
import type { SeriesPart } from './series-budget.ts';

interface Scaled {
  /** Value of one stored unit, because totals are integers. Sums of them are exact up to 2^53, about 9 × 10^15. */
  readonly scale: number;
  /** Part of an agent that is withheld where there are too many series; absent where it is always exposed. */
  readonly part?: SeriesPart;
}

export type HistogramMetric = HistogramDefinition & Scaled;
export type SingleMetric = MetricDefinition & Scaled & { readonly type: 'counter' | 'gauge' };
export type QualityMetric = HistogramMetric | SingleMetric;

export const MILLIONTH = 1e-6;
const THOUSANDTH = 1e-3;
const BILLIONTH = 1e-9;

export const BASE_LABELS = ['suite', 'agent', 'agent_version', 'environment', 'segment'] as const;

/** Metrics of an evaluation's content; each has a twin in `WITHDRAWN_METRICS`. */
const SAID_METRICS = {
  evaluations: {
    name: 'assay_evaluations_total',
    type: 'counter',
    labels: [...BASE_LABELS, 'outcome'],
    unit: 'evaluations',
    help: 'Evaluations by outcome, of each conversation (or turn) and suite, at each revision.',
    queries: [
      {
        asks: 'share of successes in the last day, by agent, of a suite that checks the task',
        promql: `${netIncrease('agent', 'assay_evaluations_total{suite="refunds",outcome="successful_completion"}', '[1d]')}
  / ${netIncrease('agent', 'assay_evaluations_total{suite="refunds",outcome=~"successful_completion|.*_failure"}', '[1d]')}`,
      },
    ],
    scale: 1,
  },
  score: {
    name: 'assay_evaluation_score',
    type: 'histogram',
    labels: BASE_LABELS,
    unit: 'score from 0 to 1',
    help: 'Score from 0 to 1 of each evaluation that could be scored. Its sum over its count is the mean score: the task completion rate (TCR) of a suite that checks the task, a form score otherwise.',
    queries: [
      {
        asks: 'mean score of the last hour, by version',
        promql: `${netIncrease('agent, agent_version', 'assay_evaluation_score_sum{suite="default"}', '[1h]')}
  / ${netIncrease('agent, agent_version', 'assay_evaluation_score_count{suite="default"}', '[1h]')}`,
      },
    ],
    scale: MILLIONTH,
    buckets: [0, 0.25, 0.5, 0.7, 0.75, 0.85, 0.95, 1],
  },
  scoreSquared: {
    name: 'assay_evaluation_score_squared_total',
    type: 'counter',
    labels: BASE_LABELS,
    unit: 'score²',
    help: 'Sum of squared scores, for the variance of the mean score.',
    queries: [
      {
        asks: 'variance of the score in the last day (of the same conversations as the sum)',
        promql: `sum(increase(assay_evaluation_score_squared_total{suite="default"}[1d])) / sum(increase(assay_evaluation_score_count{suite="default"}[1d]))
  - (sum(increase(assay_evaluation_score_sum{suite="default"}[1d])) / sum(increase(assay_evaluation_score_count{suite="default"}[1d]))) ^ 2`,
      },
    ],
    scale: MILLIONTH,
  },
  verdicts: {
    name: 'assay_verdicts_total',
    type: 'counter',
    labels: [...BASE_LABELS, 'criterion', 'verdict'],
    unit: 'verdicts',
    help: 'Verdicts by criterion. Pass rate: pass / (pass + fail); the other verdicts never lower a score.',
    queries: [
      {
        asks: 'pass rate by criterion',
        promql: `${netIncrease('criterion', 'assay_verdicts_total{suite="default",verdict="pass"}', '[1h]')}
  / ${netIncrease('criterion', 'assay_verdicts_total{suite="default",verdict=~"pass|fail"}', '[1h]')}`,
      },
    ],
    part: 'criteria',
    scale: 1,
  },
  undecided: {
    name: 'assay_criteria_undecided_total',
    type: 'counter',
    labels: ['suite', 'criterion', 'critical', 'reason'],
    unit: 'verdicts',
    help: 'Applicable questions without an answer, by reason: argument_absent (the tool was called without an argument that the criterion reads), absent, not_recorded, language, error.',
    queries: [
      {
        asks: 'critical criteria whose tool was called without the argument that they read, in the last day: it may have another name now',
        promql: `sum by (suite, criterion) (increase(assay_criteria_undecided_total{critical="true",reason="argument_absent"}[1d])) > 0`,
      },
    ],
    scale: 1,
  },
  findings: {
    name: 'assay_findings_total',
    type: 'counter',
    labels: [...BASE_LABELS, 'finding'],
    unit: 'findings',
    help: 'Correct answers that leave the golden trace: reached the wrong way (lucky_path), or with more steps than the trace allows (silent_inefficiency).',
    queries: [
      {
        asks: 'share of evaluations that were right by luck in the last day',
        promql: `sum(increase(assay_findings_total{suite="default",finding="lucky_path"}[1d])) / sum(increase(assay_evaluations_total{suite="default"}[1d]))`,
      },
    ],
    scale: 1,
  },
  steps: {
    name: 'assay_conversation_steps',
    type: 'histogram',
    labels: [...BASE_LABELS, 'outcome'],
    unit: 'steps',
    help: 'Model calls and tool calls of evaluated conversations (or turns), by outcome.',
    queries: [
      {
        asks: 'steps per good outcome',
        promql: `sum(increase(assay_conversation_steps_sum{suite="default",outcome!="unscored"}[1h]))
  / sum(increase(assay_conversation_steps_count{suite="default",outcome=~"successful_completion|no_fault_found"}[1h]))`,
      },
    ],
    part: 'effort',
    scale: 1,
    buckets: [1, 2, 5, 10, 20, 50, 100],
  },
  stepsSquared: {
    name: 'assay_conversation_steps_squared_total',
    type: 'counter',
    labels: BASE_LABELS,
    unit: 'steps²',
    help: 'Sum of squared steps, of all outcomes, for the variance.',
    part: 'effort',
    scale: 1,
  },
  tokens: {
    name: 'assay_conversation_tokens',
    type: 'histogram',
    labels: [...BASE_LABELS, 'outcome'],
    unit: 'tokens',
    help: 'Input and output tokens of evaluated conversations (or turns), by outcome; only if the spans report them.',
    part: 'effort',
    scale: 1,
    buckets: [100, 1000, 3000, 10_000, 30_000, 100_000, 300_000],
  },
  duration: {
    name: 'assay_conversation_duration_seconds',
    type: 'histogram',
    labels: [...BASE_LABELS, 'outcome'],
    unit: 'seconds',
    help: 'Time from the first to the last span of evaluated conversations (or turns), by outcome.',
    queries: [
      {
        asks: '95th percentile of the time that good outcomes took',
        promql: `histogram_quantile(0.95, sum by (agent, le) (
  increase(assay_conversation_duration_seconds_bucket{suite="default",outcome="successful_completion"}[1h])))`,
      },
    ],
    part: 'effort',
    scale: THOUSANDTH,
    buckets: [1, 3, 10, 30, 60, 300, 900, 3600],
  },
  cost: {
    name: 'assay_conversation_cost_usd',
    type: 'histogram',
    labels: [...BASE_LABELS, 'outcome'],
    unit: 'US dollars',
    help: 'Cost in US dollars of evaluated conversations (or turns), by outcome; only if all of it is known from spans or the price table. More than 1000 is counted as 1000.',
    queries: [
      {
        asks: 'cost per good outcome',
        promql: `sum by (agent) (increase(assay_conversation_cost_usd_sum{suite="default",outcome!="unscored"}[1d]))
  / sum by (agent) (increase(assay_conversation_cost_usd_count{suite="default",outcome=~"successful_completion|no_fault_found"}[1d]))`,
      },
    ],
    part: 'effort',
    scale: MILLIONTH,
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
  },
  costSquared: {
    name: 'assay_conversation_cost_usd_squared_total',
    type: 'counter',
    labels: BASE_LABELS,
    unit: 'US dollars²',
    help: 'Sum of squared costs, of all outcomes, for the variance; kept in billionths and exact up to nine million dollars².',
    part: 'effort',
    scale: BILLIONTH,
  },
  judged: {
    name: 'assay_judged_verdicts_total',
    type: 'counter',
    labels: ['suite', 'criterion', 'judge', 'judge_version', 'verdict'],
    unit: 'verdicts',
    help: 'Verdicts by a judge, pass or fail, by the version of the judge: its question, its evidence, its model.',
    queries: [
      {
        asks: 'pass rate of the last day as the judge sees it',
        promql: `sum by (suite, criterion) (increase(assay_judged_verdicts_total{verdict="pass"}[1d]))
  / sum by (suite, criterion) (increase(assay_judged_verdicts_total[1d]))`,
      },
    ],
    scale: 1,
  },
  endings: {
    name: 'assay_evaluation_endings_total',
    type: 'counter',
    labels: [...BASE_LABELS, 'ending'],
    unit: 'evaluations',
    help: 'Evaluations by the ending of the conversation (or turn): answered, asked, refused, handed_over, abandoned, error, no_answer, unknown.',
    queries: [
      {
        asks: 'share of conversations that were handed over to a person in the last day, by version',
        promql: `sum by (agent, agent_version) (increase(assay_evaluation_endings_total{suite="default",ending="handed_over"}[1d]))
  / sum by (agent, agent_version) (increase(assay_evaluation_endings_total{suite="default"}[1d]))`,
      },
    ],
    part: 'effort',
    scale: 1,
  },
  decidedShare: {
    name: 'assay_evaluation_decided_share',
    type: 'histogram',
    labels: ['suite'],
    unit: 'share from 0 to 1',
    help: 'Decided share of the weight of a suite, of each evaluation.',
    queries: [
      {
        asks: 'mean share of the weight that was decided in the last day, by suite',
        promql: `sum by (suite) (increase(assay_evaluation_decided_share_sum[1d])) / sum by (suite) (increase(assay_evaluation_decided_share_count[1d]))`,
      },
    ],
    scale: MILLIONTH,
    buckets: [0, 0.25, 0.5, 0.75, 0.9, 1],
  },
} as const satisfies Record<string, QualityMetric>;

/** Beside `firstSeen` and with its labels: when the first conversation of a version began. Kept, and no metric. */
export const FIRST_BEGAN = 'agent_version_first_began';

export const QUALITY_METRICS = {
  ...SAID_METRICS,
  firstSeen: {
    name: 'assay_agent_version_first_seen_timestamp_seconds',
    type: 'gauge',
    labels: ['agent', 'agent_version', 'environment'],
    unit: 'seconds since 1970',
    help: 'Log time of the first evaluation of a version. Each instance reports its own: take the smallest.',
    queries: [
      {
        asks: 'versions that were seen first within the last hour, for marks in a dashboard',
        promql: `min by (agent, agent_version, environment) (assay_agent_version_first_seen_timestamp_seconds) > time() - 3600`,
      },
    ],
    scale: THOUSANDTH,
  },
  revisions: {
    name: 'assay_evaluations_revised_total',
    type: 'counter',
    labels: [...BASE_LABELS, 'from', 'to'],
    unit: 'evaluations',
    help: 'Re-evaluations caused by late spans, by the outcome before and after.',
    queries: [
      {
        asks: 'share of evaluations that were made again; if it grows, raise turn.settle and conversation.idle',
        promql: `sum(increase(assay_evaluations_revised_total[1d])) / sum(increase(assay_evaluations_total[1d]))`,
      },
    ],
    scale: 1,
  },
  costSource: {
    name: 'assay_conversation_cost_source_total',
    type: 'counter',
    labels: [...BASE_LABELS, 'source'],
    unit: 'evaluations',
    help: 'First evaluations by the source of the cost of their conversation (or turn): spans, price table, partly, not known. Only the first two are in assay_conversation_cost_usd.',
    queries: [
      {
        asks: 'share of conversations whose cost is known, of the last day',
        promql: `sum by (agent) (increase(assay_conversation_cost_source_total{suite="default",source=~"spans|price table"}[1d]))
  / sum by (agent) (increase(assay_conversation_cost_source_total{suite="default"}[1d]))`,
      },
    ],
    part: 'effort',
    scale: 1,
  },
  subAgentSteps: {
    name: 'assay_sub_agent_steps_total',
    type: 'counter',
    labels: ['suite', 'agent', 'sub_agent', 'result'],
    unit: 'steps',
    help: 'Model calls and tool calls of sub-agents by result, ok or error, in first evaluations of conversations (or turns). Sub-agents after the 16th of an agent are `other`.',
    queries: [
      {
        asks: 'share of steps that failed in the last day, by sub-agent',
        promql: `sum by (agent, sub_agent) (increase(assay_sub_agent_steps_total{suite="default",result="error"}[1d]))
  / sum by (agent, sub_agent) (increase(assay_sub_agent_steps_total{suite="default"}[1d]))`,
      },
    ],
    part: 'effort',
    scale: 1,
  },
  subAgentCost: {
    name: 'assay_sub_agent_cost_usd_total',
    type: 'counter',
    labels: ['suite', 'agent', 'sub_agent'],
    unit: 'US dollars',
    help: 'Cost in US dollars of sub-agents in first evaluations of conversations (or turns); only if all of it is known from spans or the price table.',
    part: 'effort',
    scale: MILLIONTH,
  },
  subAgentVerdicts: {
    name: 'assay_sub_agent_verdicts_total',
    type: 'counter',
    labels: ['suite', 'agent', 'sub_agent', 'criterion', 'verdict'],
    unit: 'verdicts',
    help: 'Verdicts by criterion, pass or fail, on conversations (or turns) in which the sub-agent took part, of first evaluations.',
    queries: [
      {
        asks: 'pass rate of the last day of conversations in which a sub-agent took part, by criterion',
        promql: `sum by (agent, sub_agent, criterion) (increase(assay_sub_agent_verdicts_total{suite="default",verdict="pass"}[1d]))
  / sum by (agent, sub_agent, criterion) (increase(assay_sub_agent_verdicts_total{suite="default"}[1d]))`,
      },
    ],
    part: 'criteria',
    scale: 1,
  },
  feedback: {
    name: 'assay_feedback_total',
    type: 'counter',
    labels: ['agent', 'agent_version', 'environment', 'segment', 'polarity'],
    unit: 'feedback',
    help: "Feedback of the agent's users, each once, by polarity: positive, neutral, negative.",
    queries: [
      {
        asks: 'share of negative feedback in the last day, by agent',
        promql: `sum by (agent) (increase(assay_feedback_total{polarity="negative"}[1d])) / sum by (agent) (increase(assay_feedback_total[1d]))`,
      },
    ],
    scale: 1,
  },
  unmatched: {
    name: 'assay_conversations_unscored_total',
    type: 'counter',
    labels: ['reason'],
    unit: 'conversations',
    help: 'Conversations that no suite scored, by reason.',
    scale: 1,
  },
} as const satisfies Record<string, QualityMetric>;

export type SaidMetric = (typeof SAID_METRICS)[keyof typeof SAID_METRICS];

/** Amounts that revisions withdrew from each. */
export const WITHDRAWN_METRICS: readonly QualityMetric[] = Object.values(SAID_METRICS).map(
  (metric: QualityMetric): QualityMetric => {
    const name = withdrawnName(metric.name);
    const help = `What later revisions took out of ${metric.name}.`;
    const { type, labels, unit, scale, part } = metric;
    const twin = { name, labels, unit, help, scale, ...(part === undefined ? {} : { part }) };
    return type === 'histogram' ? { ...twin, type, buckets: metric.buckets } : { ...twin, type };
  },
);

/** 1 of a series of this metric, -1 of one of its twin: times its value, they sum to what the store says now. Undefined of others. */
export function signIn({ name }: SaidMetric, series: string): 1 | -1 | undefined {
  if (series === name) return 1;
  return series === withdrawnName(name) ? -1 : undefined;
}
