/**
 * The metrics that say how good the agent is: their names, help, labels and units. The numbers themselves are the store's
 * running totals (promise 2); `suite-totals.ts` says which of them an evaluation moves.
 *
 * TCR is not a gauge: it is the sum over the count of `assay_evaluation_score`, which adds up over instances, versions
 * and time windows, where an average of averages would not. Exactly, with late corrections:
 *   tcr = (score_sum + revised_up − revised_down) / score_count
 */
export interface QualityMetric {
  readonly name: string;
  readonly type: 'counter' | 'histogram';
  readonly help: string;
  /** What one stored unit is worth: totals are integers. */
  readonly scale: number;
  /** Upper bounds in the metric's own unit; histograms only. */
  readonly buckets: readonly number[];
}

export const MILLIONTH = 1e-6;

export const QUALITY_METRICS = {
  evaluations: {
    name: 'assay_evaluations_total',
    type: 'counter',
    help: 'Evaluations by outcome, each conversation (or turn) once per suite, at its first revision.',
    scale: 1,
    buckets: [],
  },
  score: {
    name: 'assay_evaluation_score',
    type: 'histogram',
    help: 'Score from 0 to 1 of each evaluation that could be scored. Its sum over its count is the task completion rate (TCR).',
    scale: MILLIONTH,
    buckets: [0, 0.25, 0.5, 0.7, 0.75, 0.85, 0.95, 1],
  },
  scoreSquared: {
    name: 'assay_evaluation_score_squared_total',
    type: 'counter',
    help: 'Sum of squared scores, for the variance of the TCR.',
    scale: MILLIONTH,
    buckets: [],
  },
  verdicts: {
    name: 'assay_verdicts_total',
    type: 'counter',
    help: 'Verdicts by criterion. Pass rate: pass / (pass + fail); the other verdicts never lower a score.',
    scale: 1,
    buckets: [],
  },
  steps: {
    name: 'assay_conversation_steps',
    type: 'histogram',
    help: 'Model calls and tool calls of what was evaluated, by outcome.',
    scale: 1,
    buckets: [1, 2, 5, 10, 20, 50, 100],
  },
  tokens: {
    name: 'assay_conversation_tokens',
    type: 'histogram',
    help: 'Tokens, input and output, of what was evaluated, by outcome; only where the spans say.',
    scale: 1,
    buckets: [100, 1000, 3000, 10_000, 30_000, 100_000, 300_000],
  },
  duration: {
    name: 'assay_conversation_duration_seconds',
    type: 'histogram',
    help: 'Time from the first span to the last of what was evaluated, by outcome.',
    scale: 1e-3,
    buckets: [1, 3, 10, 30, 60, 300, 900, 3600],
  },
  cost: {
    name: 'assay_conversation_cost_usd',
    type: 'histogram',
    help: 'Cost in US dollars of what was evaluated, by outcome; only where the spans say.',
    scale: MILLIONTH,
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
  },
  revisions: {
    name: 'assay_evaluations_revised_total',
    type: 'counter',
    help: 'Evaluations made again because spans came late, by the outcome before and after.',
    scale: 1,
    buckets: [],
  },
  revisedUp: {
    name: 'assay_evaluation_score_revised_up_total',
    type: 'counter',
    help: 'Score gained by revisions.',
    scale: MILLIONTH,
    buckets: [],
  },
  revisedDown: {
    name: 'assay_evaluation_score_revised_down_total',
    type: 'counter',
    help: 'Score lost by revisions.',
    scale: MILLIONTH,
    buckets: [],
  },
  unmatched: {
    name: 'assay_conversations_unscored_total',
    type: 'counter',
    help: 'Conversations that no suite scored, by reason.',
    scale: 1,
    buckets: [],
  },
} satisfies Record<string, QualityMetric>;

export type BaseLabels = {
  readonly suite: string;
  readonly agent: string;
  readonly agent_version: string;
  readonly environment: string;
};
