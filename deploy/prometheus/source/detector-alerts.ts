/**
 * The alerts of the detector inside Assay. It sees every conversation and is faster than the rules, which are the
 * second opinion. With several instances one of them reports a stream; `max by` takes it, whichever it is.
 */
import { AGENT_PLACE, labelOfFirst, PERCENT, WHO } from './annotation.ts';
import { incidentSize, paged } from './incidents.ts';
import { AGENT } from './promql.ts';
import type { Alert, Group } from './rule.ts';
import type { RuleSettings } from './settings.ts';

const MINUTE = 60;
const STREAM = `${AGENT}, metric, criterion, segment`;

export function detectorAlerts(settings: RuleSettings): Group {
  return {
    name: 'assay_alerts_detector',
    intervalSeconds: settings.interval.fast,
    rules: [
      regressed({
        alert: 'AgentDetectorRegression',
        metrics: 'tcr|hard_failure',
        pages: true,
        severity: 'page',
        area: 'quality',
        dashboard: 'quality',
        what: '{{ if eq $labels.metric "tcr" }}Mean score{{ else }}Rate of hard failures{{ end }}',
        next: 'Next: if a version is new since the onset, roll it back; then read the conversations that fail.',
      }),
      regressed({
        alert: 'AgentDetectorPartRegression',
        metrics: 'criterion|segment',
        severity: 'ticket',
        area: 'quality',
        dashboard: 'quality',
        what: '{{ if eq $labels.metric "criterion" }}Pass rate of criterion {{ $labels.criterion }}{{ else }}Mean score of conversations with {{ $labels.segment }}{{ end }}',
        next: 'Next: read conversations that fail the criterion, or are of that part, since the onset.',
      }),
      regressed({
        alert: 'AgentDetectorEfficiencyRegression',
        metrics: 'cost_per_success|steps_per_success',
        severity: 'ticket',
        area: 'efficiency',
        dashboard: 'efficiency',
        what: '{{ if eq $labels.metric "cost_per_success" }}Cost per good outcome{{ else }}Steps per good outcome{{ end }}',
        next: 'Next: compare a recent conversation with one from before the onset.',
      }),
      versionWorse(),
    ],
  };
}

function regressed(options: {
  readonly alert: string;
  readonly metrics: string;
  /** Whether it is part of an incident of which only the first alert pages. */
  readonly pages?: boolean;
  readonly severity: Alert['severity'];
  readonly area: Alert['area'];
  readonly dashboard: Alert['dashboard'];
  readonly what: string;
  readonly next: string;
}): Alert {
  const part = `bottomk(1, max by (criterion) (assay_detector_tcr_change_by_criterion{part="criterion",${AGENT_PLACE}}) < 0)`;
  const cause = `topk(1, max by (part) (assay_detector_fall_share{metric=~"tcr|segment",${AGENT_PLACE}}))`;
  return {
    kind: 'alert',
    alert: options.alert,
    severity: options.severity,
    area: options.area,
    dashboard: options.dashboard,
    keepFiringFor: 15 * MINUTE,
    expr: options.pages === true ? pagedRegression(options.alert) : regression(options.metrics),
    summary: `${options.what} of ${WHO} changed by ${PERCENT} since the onset, says the detector`,
    description: `Onset, interval and evidence: assay_detector_change_timestamp_seconds, assay_detector_change_ratio, assay_detector_evidence_ratio. Criterion that moved the mean score most: ${labelOfFirst('criterion', part)}. Part of the traffic that explains most of it: ${labelOfFirst('part', cause)}. ${options.next}`,
    annotations: {
      criterion: `{{ with $labels.criterion }}{{ . }}{{ else }}${labelOfFirst('criterion', part)}{{ end }}`,
      part: labelOfFirst('part', cause),
    },
  };
}

function regression(metrics: string): string {
  const state = `max by (${STREAM}) (assay_detector_state{metric=~"${metrics}", state=~"regressed|partly_back"}) == 1`;
  return `max by (${STREAM}) (assay_detector_change_ratio{metric=~"${metrics}", bound="value"})
  and on (${STREAM}) (${state})
or (${state}) * 0`;
}

function pagedRegression(alert: string): string {
  const ofMetric = (metric: 'tcr' | 'hard_failure') =>
    paged({
      alert,
      metric,
      labels: STREAM,
      value: `(${regression(metric)})`,
      otherwise: `-1 * ${incidentSize(metric)}`,
    });
  return `${ofMetric('tcr')}\nor ${ofMetric('hard_failure')}`;
}

function versionWorse(): Alert {
  const labels = `${AGENT}, agent_version, baseline_version`;
  return {
    kind: 'alert',
    alert: 'AgentDetectorVersionWorse',
    severity: 'ticket',
    area: 'quality',
    dashboard: 'versions',
    keepFiringFor: 30 * MINUTE,
    expr: `max by (${labels}) (assay_version_verdict{verdict="worse"}) == 1`,
    summary: `Version {{ $labels.agent_version }} of ${WHO} scores lower than {{ $labels.baseline_version }}, says the detector`,
    description:
      'Compared segment by segment; valid however often it is checked. Next: stop the roll-out, or roll back.',
    annotations: { version: '{{ $labels.agent_version }}', baseline_version: '{{ $labels.baseline_version }}' },
  };
}
