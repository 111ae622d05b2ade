/** The metrics of judges: names, labels, units and meaning. `judge-counters.ts` counts them. They are there where judges are configured. */
import type { HistogramDefinition, MetricDefinition } from '../../model/metric.ts';

export const JUDGE_METRICS = {
  calls: {
    name: 'assay_judge_calls_total',
    type: 'counter',
    labels: ['judge', 'result'],
    unit: 'calls',
    help: 'Calls of models, by what came of them: said, or a kind of failure.',
    queries: [
      {
        asks: 'share of calls that fail, by kind',
        promql: `sum by (judge, result) (rate(assay_judge_calls_total{result!="said"}[1h]))
  / on (judge) group_left sum by (judge) (rate(assay_judge_calls_total[1h]))`,
      },
    ],
  },
  latency: {
    name: 'assay_judge_call_seconds',
    type: 'histogram',
    labels: ['judge'],
    unit: 'seconds',
    help: 'How long calls took, those that failed among them.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
  },
  tokens: {
    name: 'assay_judge_tokens_total',
    type: 'counter',
    labels: ['judge', 'direction'],
    unit: 'tokens',
    help: 'Tokens as the provider counts them, by direction: input or output.',
  },
  cost: {
    name: 'assay_judge_cost_total',
    type: 'counter',
    labels: ['judge'],
    unit: 'in the currency of the prices',
    help: 'What calls did cost by judges.*.prices. Where the provider did not say what it used, the most that it can have been.',
    queries: [
      { asks: 'cost of the last day, by judge', promql: 'sum by (judge) (increase(assay_judge_cost_total[1d]))' },
    ],
  },
  questions: {
    name: 'assay_judge_questions_total',
    type: 'counter',
    labels: ['judge', 'end'],
    unit: 'questions',
    help: 'Questions that came to an end: answered, a kind of failure, or why they were left out (over-budget, too-late, not-configured).',
    queries: [
      {
        asks: 'share of questions that end without an answer',
        promql: `1 - sum(increase(assay_judge_questions_total{end="answered"}[1d]))
  / sum(increase(assay_judge_questions_total[1d]))`,
      },
    ],
  },
  reused: {
    name: 'assay_judge_answers_reused_total',
    type: 'counter',
    labels: ['judge'],
    unit: 'answers',
    help: 'Questions for which an answer was there already, so that nobody was asked.',
    queries: [
      {
        asks: 'share of questions that cost nothing',
        promql: `sum by (judge) (increase(assay_judge_answers_reused_total[1d]))
  / (sum by (judge) (increase(assay_judge_answers_reused_total[1d]))
    + sum by (judge) (increase(assay_judge_questions_total[1d])))`,
      },
    ],
  },
  disagreed: {
    name: 'assay_judge_votes_disagreed_total',
    type: 'counter',
    labels: ['judge'],
    unit: 'questions',
    help: 'Answered questions whose votes were not of one mind.',
  },
  probed: {
    name: 'assay_judge_probed_total',
    type: 'counter',
    labels: ['judge', 'agreed'],
    unit: 'questions',
    help: 'Answered questions that were asked once more, by whether the judge said the same of every criterion: how far it agrees with itself.',
    queries: [
      {
        asks: 'how often a judge agrees with itself',
        promql: `sum by (judge) (increase(assay_judge_probed_total{agreed="yes"}[7d]))
  / sum by (judge) (increase(assay_judge_probed_total[7d]))`,
      },
    ],
  },
  waiting: {
    name: 'assay_judge_waiting_questions',
    type: 'gauge',
    labels: ['judge'],
    unit: 'questions',
    help: 'Questions that somebody waits for.',
  },
  oldest: {
    name: 'assay_judge_oldest_waiting_seconds',
    type: 'gauge',
    labels: ['judge'],
    unit: 'seconds',
    help: 'How long the oldest of them waits; judging.limit is the most.',
  },
  stopped: {
    name: 'assay_judge_stopped',
    type: 'gauge',
    labels: ['judge'],
    unit: '0 or 1',
    help: '1 while the judge is not asked because it can not answer: a key, a quota, a certificate, or it is away. The log says which.',
  },
  spent: {
    name: 'assay_judge_budget_spent_ratio',
    type: 'gauge',
    labels: ['window'],
    unit: 'from 0 to 1',
    help: 'How much of judging.budget is spent or reserved, by window: hour or day. A budget of 0 is spent. It is not there where nothing is limited.',
  },
  storeFailures: {
    name: 'assay_judging_failures_total',
    type: 'counter',
    labels: [],
    unit: 'failures',
    help: 'Times that asking judges could not use the store; it is tried again.',
  },
} as const satisfies Record<string, MetricDefinition | HistogramDefinition>;
