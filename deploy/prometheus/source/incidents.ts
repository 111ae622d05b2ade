/**
 * One page for one fall, whoever finds it: the rules by the score, the rules by the outcomes, or the detector. The
 * alert that is first pages, and fires until none of them sees the fall any more. The others carry its name in the
 * label `first`, by which Alertmanager mutes them, however the three begin and end.
 */
import { FALL_SIZE } from './falls.ts';
import { AGENT, on, remembered } from './promql.ts';
import { type Group, record } from './rule.ts';
import type { RuleSettings } from './settings.ts';

type Metric = 'tcr' | 'hard_failure';

/** How large the fall is at least, by whichever of the alerts sees most of it. */
const INCIDENT = 'agent:assay_incident:ratio';
/** 1, with the name of the alert that was first. */
const FIRST = 'agent:assay_incident_first:bool';

const SEEN_BY: Readonly<Record<Metric, readonly (readonly [alert: string, size: string])[]>> = {
  tcr: [
    ['AgentTcrRegression', openFall('tcr')],
    ['AgentSuccessRateDrop', openFall('success')],
    ['AgentDetectorRegression', byDetector('tcr')],
  ],
  hard_failure: [
    ['AgentHardFailureSpike', openFall('not_hard_failure')],
    ['AgentDetectorRegression', byDetector('hard_failure')],
  ],
};

export function incidents(settings: RuleSettings): Group {
  return {
    name: 'assay_incidents',
    intervalSeconds: settings.interval.fast,
    rules: [
      record(
        INCIDENT,
        ofMetrics((metric) => `max by (${AGENT}) (\n  ${seenOf(metric).join('\n  or ')}\n)`),
      ),
      record(
        FIRST,
        ofMetrics((metric) => {
          const of = `{metric="${metric}"}`;
          const firsts = seenOf(metric).map((one) => `${one} * 0 + 1`);
          return `(${remembered(`${FIRST}${of}`, settings)} and on (${AGENT}) ${INCIDENT}${of})\nor on (${AGENT}) ${firsts.join(`\nor on (${AGENT}) `)}`;
        }),
      ),
    ],
  };
}

function ofMetrics(vector: (metric: Metric) => string): string {
  const metrics: readonly Metric[] = ['tcr', 'hard_failure'];
  return metrics.map((metric) => `label_replace(${vector(metric)}, "metric", "${metric}", "", "")`).join('\nor ');
}

function seenOf(metric: Metric): readonly string[] {
  return SEEN_BY[metric].map(
    ([alert, size]) => `label_replace(max by (${AGENT}) (${size}), "first", "${alert}", "", "")`,
  );
}

/**
 * An alert's value with the label `first`, for as long as it sees the fall or was the first that did. So a page does
 * not end and begin again while the others last.
 */
export function paged(options: {
  readonly alert: string;
  readonly metric: Metric;
  readonly labels: string;
  readonly value: string;
  /** The value while only others see the fall. */
  readonly otherwise: string;
}): string {
  const of = `{metric="${options.metric}"}`;
  const wasFirst = `${FIRST}{metric="${options.metric}", first="${options.alert}"}`;
  return `max by (${options.labels}, first) (
  (
    ${options.value}
    or on (${AGENT}) (${options.otherwise} and on (${AGENT}) ${wasFirst})
  ) * ${on(AGENT, `topk by (${AGENT}) (1, ${FIRST}${of})`).replace('()', '(first)')}
)`;
}

export function incidentSize(metric: Metric): string {
  return `${INCIDENT}{metric="${metric}"}`;
}

function openFall(measure: string): string {
  return `${FALL_SIZE}{measure="${measure}", severity="page"} > 0`;
}

/** The end of its interval that is nearer to no change. A rise of hard failures has no size that compares with a fall. */
function byDetector(metric: Metric): string {
  const regressed = `assay_detector_state{metric="${metric}", state=~"regressed|partly_back"} == 1`;
  if (metric === 'hard_failure') return `(${regressed}) * 0`;
  return `clamp_min(-max without (bound) (assay_detector_change_ratio{metric="tcr", bound="upper"}), 0) and on (${AGENT}) ${regressed}
    or on (${AGENT}) (${regressed}) * 0`;
}
