/** The metrics that Prometheus can have of Assay: exposed ones, and those that the rules record. */
import { alertsOf, ruleGroups } from '../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS } from '../../deploy/prometheus/source/settings.ts';
import type { MetricDefinition } from '../../src/model/metric.ts';
import { CLUSTER_METRICS } from '../../src/report/events/cluster.ts';
import { DETECTION_METRICS } from '../../src/report/events/detection.ts';
import { HEALTH_METRICS } from '../../src/report/events/event-reporter.ts';
import { JUDGE_METRICS } from '../../src/report/events/judges.ts';
import { ESTIMATE_METRICS } from '../../src/report/metrics/estimate-metrics.ts';
import { QUALITY_METRICS, WITHDRAWN_METRICS } from '../../src/report/metrics/quality-metrics.ts';
import { SHADOW_METRICS } from '../../src/report/metrics/shadow-metrics.ts';

const groups = ruleGroups(RULE_SETTINGS);

export const ALERT_NAMES = alertsOf(groups).map(({ alert }) => alert);

export const RECORDED: ReadonlySet<string> = new Set(
  groups.flatMap(({ rules }) => rules.flatMap((rule) => (rule.kind === 'recording' ? [rule.record] : []))),
);

export const EXPOSED: ReadonlySet<string> = new Set([
  ...[
    QUALITY_METRICS,
    WITHDRAWN_METRICS,
    SHADOW_METRICS,
    HEALTH_METRICS,
    CLUSTER_METRICS,
    DETECTION_METRICS,
    JUDGE_METRICS,
    ESTIMATE_METRICS,
  ]
    .flatMap((table): readonly MetricDefinition[] => Object.values(table))
    .flatMap(({ name, type }) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name],
    ),
]);

/** Names of Assay's metrics in an expression that Prometheus would not find. */
export function unknownMetrics(promql: string): readonly string[] {
  // Quoted text is a label's value.
  const names = promql.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/\b(?:agent\w*:)?assay_\w+(?::\w+)?/g) ?? [];
  return names.filter((name) => !EXPOSED.has(name) && !RECORDED.has(name));
}
