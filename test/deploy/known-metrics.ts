/** What Prometheus can know of Assay: what is exposed, and what the rules record. */
import { alertsOf, ruleGroups } from '../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../../deploy/prometheus/source/settings.ts';
import type { MetricDefinition } from '../../src/model/metric.ts';
import { CLUSTER_METRICS } from '../../src/report/cluster-metrics.ts';
import { HEALTH_METRICS } from '../../src/report/health-metrics.ts';
import { QUALITY_METRICS } from '../../src/report/quality-metrics.ts';

/** The detector's gauges, as they are agreed on. */
const DETECTOR = [
  'assay_detector_state',
  'assay_detector_log_evidence',
  'assay_detector_log_evidence_threshold',
  'assay_detector_baseline',
  'assay_detector_observed',
  'assay_detector_change_ratio',
  'assay_detector_change_lower_ratio',
  'assay_detector_change_upper_ratio',
  'assay_detector_change_timestamp_seconds',
  'assay_detector_minimum_detectable_change_ratio',
  'assay_detector_tcr_change_by_criterion',
  'assay_version_verdict',
  'assay_version_log_evidence',
];

const groups = ruleGroups(RULE_SETTINGS);

export const ALERT_NAMES = alertsOf(groups).map(({ alert }) => alert);

export const RECORDED: ReadonlySet<string> = new Set(
  groups.flatMap(({ rules }) => rules.flatMap((rule) => (rule.kind === 'recording' ? [rule.record] : []))),
);

export const EXPOSED: ReadonlySet<string> = new Set([
  ...DETECTOR,
  ...[QUALITY_METRICS, HEALTH_METRICS, CLUSTER_METRICS]
    .flatMap((table): readonly MetricDefinition[] => Object.values(table))
    .flatMap(({ name, type }) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name],
    ),
]);

/** Names of Assay's in an expression that Prometheus would find nothing under. */
export function unknownMetrics(promql: string): readonly string[] {
  // Text in quotes is a label's value.
  const names = promql.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/\b(?:agent\w*:)?assay_\w+(?::\w+)?/g) ?? [];
  return names.filter((name) => !EXPOSED.has(name) && !RECORDED.has(name));
}
