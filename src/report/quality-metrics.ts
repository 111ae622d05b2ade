/**
 * The metrics that say how good the agent is: their names, help, labels and units, and which of them one evaluation
 * moves. The numbers themselves are the store's running totals (promise 2); this file only decides what is counted.
 *
 * TCR is not a gauge: it is the sum over the count of `assay_evaluation_score`, which adds up over instances, versions
 * and time windows, where an average of averages would not. Exactly, with late corrections:
 *   tcr = (score_sum + revised_up − revised_down) / score_count
 */
import { type Evaluation, OUTCOMES, type Outcome, VERDICTS } from '../model/evaluation.ts';

export interface QualityMetric {
  readonly name: string;
  readonly type: 'counter' | 'histogram';
  readonly help: string;
  /** What one stored unit is worth: totals are integers. */
  readonly scale: number;
  /** Upper bounds in the metric's own unit; histograms only. */
  readonly buckets: readonly number[];
}

const MILLIONTH = 1e-6;

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
    help: 'Conversations and turns that no suite scored, or that were not taken, by reason.',
    scale: 1,
    buckets: [],
  },
} satisfies Record<string, QualityMetric>;

/** A change of one running total, in integers of the metric's scale. */
export interface Move {
  readonly metric: string;
  readonly labels: { readonly [label: string]: string };
  readonly amount: number;
  readonly exemplarValue?: number;
}

export type BaseLabels = {
  readonly suite: string;
  readonly agent: string;
  readonly agent_version: string;
  readonly environment: string;
};

/** What was evaluated, in numbers. */
export interface Effort {
  readonly steps: number;
  readonly tokens: number | undefined;
  readonly durationMs: number;
  readonly costUsd: number | undefined;
}

/** The series that exist at zero from the first sight of these labels, so that `increase()` sees the first event. */
export function zeroMoves(labels: BaseLabels, criteria: readonly string[]): Move[] {
  const moves: Move[] = [];
  for (const outcome of OUTCOMES) moves.push(counter(QUALITY_METRICS.evaluations, { ...labels, outcome }, 0));
  for (const criterion of criteria) {
    for (const verdict of VERDICTS) moves.push(counter(QUALITY_METRICS.verdicts, { ...labels, criterion, verdict }, 0));
  }
  moves.push(counter(QUALITY_METRICS.scoreSquared, labels, 0));
  moves.push(counter(QUALITY_METRICS.revisedUp, labels, 0), counter(QUALITY_METRICS.revisedDown, labels, 0));
  moves.push(...histogramZero(QUALITY_METRICS.score, labels));
  return moves;
}

/** What the first revision of an evaluation counts. */
export function firstMoves(evaluation: Evaluation, labels: BaseLabels, effort: Effort): Move[] {
  const byOutcome = { ...labels, outcome: evaluation.outcome };
  const moves = [counter(QUALITY_METRICS.evaluations, byOutcome, 1)];
  for (const [criterion, { verdict }] of evaluation.verdicts) {
    moves.push(counter(QUALITY_METRICS.verdicts, { ...labels, criterion, verdict }, 1));
  }
  if (evaluation.score !== undefined) moves.push(...scoreMoves(evaluation.score, labels));
  moves.push(...observe(QUALITY_METRICS.steps, byOutcome, effort.steps));
  moves.push(...observe(QUALITY_METRICS.duration, byOutcome, Math.max(0, Math.round(effort.durationMs))));
  if (effort.tokens !== undefined) moves.push(...observe(QUALITY_METRICS.tokens, byOutcome, effort.tokens));
  if (effort.costUsd !== undefined) {
    moves.push(...observe(QUALITY_METRICS.cost, byOutcome, Math.round(effort.costUsd / MILLIONTH)));
  }
  return moves;
}

/**
 * What a later revision corrects. An evaluation that gets its first score late is counted as scored then; one that
 * loses its score keeps the last one in the mean, because a count can't go down.
 */
export function revisedMoves(
  evaluation: Evaluation,
  labels: BaseLabels,
  before: { readonly score: number | undefined; readonly outcome: Outcome },
): Move[] {
  const moves = [counter(QUALITY_METRICS.revisions, { ...labels, from: before.outcome, to: evaluation.outcome }, 1)];
  if (evaluation.score === undefined) return moves;
  if (before.score === undefined) return [...moves, ...scoreMoves(evaluation.score, labels)];
  const gain = evaluation.score - before.score;
  if (gain > 0) moves.push(counter(QUALITY_METRICS.revisedUp, labels, gain));
  if (gain < 0) moves.push(counter(QUALITY_METRICS.revisedDown, labels, -gain));
  return moves;
}

export const UNSCORED_REASONS = [
  'no_suite_matched',
  'no_agent_steps',
  'logs_without_spans',
  'too_late',
  'over_limit',
] as const;

export function unmatchedMove(reason: string): Move {
  return counter(QUALITY_METRICS.unmatched, { reason }, 1);
}

function scoreMoves(score: number, labels: BaseLabels): Move[] {
  const squared = Math.round(score * score * MILLIONTH);
  return [
    ...observe(QUALITY_METRICS.score, { ...labels }, score),
    counter(QUALITY_METRICS.scoreSquared, labels, squared),
  ];
}

function counter(metric: QualityMetric, labels: { readonly [label: string]: string }, amount: number): Move {
  return { metric: metric.name, labels, amount };
}

/** One observation: the one bucket it falls into (they are summed up when rendered), the sum and the count. */
function observe(metric: QualityMetric, labels: { readonly [label: string]: string }, value: number): Move[] {
  const inUnits = value * metric.scale;
  const bound = metric.buckets.find((bucket) => inUnits <= bucket + 1e-12);
  return [
    {
      metric: `${metric.name}_bucket`,
      labels: { ...labels, le: bound === undefined ? '+Inf' : String(bound) },
      amount: 1,
      exemplarValue: inUnits,
    },
    counter({ ...metric, name: `${metric.name}_sum` }, labels, value),
    counter({ ...metric, name: `${metric.name}_count` }, labels, 1),
  ];
}

function histogramZero(metric: QualityMetric, labels: BaseLabels): Move[] {
  return [
    counter({ ...metric, name: `${metric.name}_sum` }, { ...labels }, 0),
    counter({ ...metric, name: `${metric.name}_count` }, { ...labels }, 0),
  ];
}
