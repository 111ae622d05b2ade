/**
 * The metrics that compare a suite in shadow with the live one of its name. Their verdicts move no other metric and no
 * alert.
 */
import type { MetricDefinition } from '../../model/metric.ts';
import { MILLIONTH, type SingleMetric } from './quality-metrics.ts';

const SHADOW_LABELS = ['suite', 'version'] as const;

export const SHADOW_METRICS = {
  evaluations: {
    name: 'assay_shadow_evaluations_total',
    type: 'counter',
    labels: [...SHADOW_LABELS, 'outcome'],
    unit: 'evaluations',
    help: 'Evaluations by suites in shadow, by outcome, each conversation (or turn) once. No other quality metric has them.',
    scale: 1,
  },
  compared: {
    name: 'assay_shadow_compared_total',
    type: 'counter',
    labels: [...SHADOW_LABELS, 'from', 'to'],
    unit: 'evaluations',
    help: 'Conversations (or turns) that both the live suite and the one in shadow have evaluated, by the outcome of the live one (from) and of the other (to). Later revisions are not counted again.',
    queries: [
      {
        asks: 'share of conversations whose outcome would be another one',
        promql: `1 - sum by (suite, version) (
    increase(assay_shadow_compared_total{from="successful_completion",to="successful_completion"}[1d])
  + increase(assay_shadow_compared_total{from="graceful_failure",to="graceful_failure"}[1d])
  + increase(assay_shadow_compared_total{from="partial_failure",to="partial_failure"}[1d])
  + increase(assay_shadow_compared_total{from="hard_failure",to="hard_failure"}[1d])
) / sum by (suite, version) (increase(assay_shadow_compared_total[1d]))`,
      },
    ],
    scale: 1,
  },
  scoreUp: {
    name: 'assay_shadow_score_up_total',
    type: 'counter',
    labels: SHADOW_LABELS,
    unit: 'score',
    help: 'Amount by which the suite in shadow scored higher than the live one, summed over evaluations by both.',
    queries: [
      {
        asks: 'by how much the mean score would be another one',
        promql: `( sum by (suite, version) (increase(assay_shadow_score_up_total[1d]))
  - sum by (suite, version) (increase(assay_shadow_score_down_total[1d])) )
  / sum by (suite, version) (increase(assay_shadow_compared_total{from!="unscored",to!="unscored"}[1d]))`,
      },
    ],
    scale: MILLIONTH,
  },
  scoreDown: {
    name: 'assay_shadow_score_down_total',
    type: 'counter',
    labels: SHADOW_LABELS,
    unit: 'score',
    help: 'Amount by which the suite in shadow scored lower than the live one, summed over evaluations by both.',
    scale: MILLIONTH,
  },
  verdictsDiffering: {
    name: 'assay_shadow_verdicts_differing_total',
    type: 'counter',
    labels: [...SHADOW_LABELS, 'criterion'],
    unit: 'verdicts',
    help: 'Verdicts of the suite in shadow that differ from the live one on a criterion of the same name.',
    scale: 1,
  },
} as const satisfies Record<string, SingleMetric & MetricDefinition>;
