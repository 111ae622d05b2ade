/**
 * The metrics of regression detection: names, labels, units and meaning. Gauges are what the owner of detection said last; other instances have
 * none. `detection-view.ts` keeps them.
 */
import type { MetricDefinition } from '../../model/metric.ts';

const WATCHED = ['suite', 'agent', 'environment'] as const;
const LEVEL = [...WATCHED, 'metric', 'criterion'] as const;
const VERSION = [...WATCHED, 'agent_version', 'baseline_version'] as const;

export const DETECTION_METRICS = {
  state: {
    name: 'assay_detector_state',
    type: 'gauge',
    labels: [...LEVEL, 'state'],
    unit: '0 or 1',
    help: '1 for the state that a detector is in: no_data, learning, ok, suspected, regressed or recovered.',
    queries: [
      {
        asks: 'what has got worse',
        promql: 'max by (suite, agent, environment, metric, criterion) (assay_detector_state{state="regressed"}) == 1',
      },
    ],
  },
  logEvidence: {
    name: 'assay_detector_log_evidence',
    type: 'gauge',
    labels: LEVEL,
    unit: 'nats',
    help: 'Natural logarithm of the evidence that a level has become worse; it is a regression from assay_detector_log_evidence_threshold on.',
  },
  logThreshold: {
    name: 'assay_detector_log_evidence_threshold',
    type: 'gauge',
    labels: LEVEL,
    unit: 'nats',
    help: 'Natural logarithm of the evidence that an alarm takes.',
  },
  baseline: {
    name: 'assay_detector_baseline',
    type: 'gauge',
    labels: LEVEL,
    unit: "the metric's own",
    help: 'What was expected of the traffic that was observed, in the unit of the metric.',
  },
  observed: {
    name: 'assay_detector_observed',
    type: 'gauge',
    labels: LEVEL,
    unit: "the metric's own",
    help: 'What was observed: since the onset where something is wrong, else of late.',
  },
  change: {
    name: 'assay_detector_change_ratio',
    type: 'gauge',
    labels: LEVEL,
    unit: 'relative to the baseline',
    help: 'Change against what was expected; negative is a fall.',
    queries: [
      {
        asks: 'how much what has got worse has changed',
        promql: 'assay_detector_change_ratio and ignoring (state) assay_detector_state{state="regressed"} == 1',
      },
    ],
  },
  changeLower: {
    name: 'assay_detector_change_lower_ratio',
    type: 'gauge',
    labels: LEVEL,
    unit: 'relative to the baseline',
    help: 'Lower end of the 95 % interval of the change; approximate.',
  },
  changeUpper: {
    name: 'assay_detector_change_upper_ratio',
    type: 'gauge',
    labels: LEVEL,
    unit: 'relative to the baseline',
    help: 'Upper end of the 95 % interval of the change; approximate.',
  },
  onset: {
    name: 'assay_detector_change_timestamp_seconds',
    type: 'gauge',
    labels: LEVEL,
    unit: 'seconds since 1970',
    help: 'When the change seems to have begun; absent where nothing is wrong.',
  },
  detectable: {
    name: 'assay_detector_minimum_detectable_change_ratio',
    type: 'gauge',
    labels: LEVEL,
    unit: 'relative to the baseline',
    help: 'The smallest change that would be found within a day at the present traffic.',
  },
  parts: {
    name: 'assay_detector_tcr_change_by_criterion',
    type: 'gauge',
    labels: [...WATCHED, 'part', 'criterion'],
    unit: 'points of TCR',
    help: 'What each criterion, and the mix of what is asked, adds to the change of TCR; the parts add up to the change.',
    queries: [
      {
        asks: 'which criterion explains most of a fall',
        promql: 'bottomk by (suite, agent, environment) (1, assay_detector_tcr_change_by_criterion{part="criterion"})',
      },
    ],
  },
  verdict: {
    name: 'assay_version_verdict',
    type: 'gauge',
    labels: [...VERSION, 'verdict'],
    unit: '0 or 1',
    help: '1 for what is known of a version against the one that had most of the traffic before: worse, better, equivalent or inconclusive.',
  },
  versionEvidence: {
    name: 'assay_version_log_evidence',
    type: 'gauge',
    labels: [...VERSION, 'direction'],
    unit: 'nats',
    help: 'Natural logarithm of the evidence that a version is worse, or better, than the one before.',
  },
  observations: {
    name: 'assay_detection_observations',
    type: 'gauge',
    labels: [],
    unit: 'evaluations',
    help: 'Evaluations that detection has observed since it began to learn.',
  },
  time: {
    name: 'assay_detection_time_seconds',
    type: 'gauge',
    labels: [],
    unit: 'seconds since 1970',
    help: 'Log time up to which detection has observed; absent where another instance has it.',
  },
  keptOut: {
    name: 'assay_detection_kept_out',
    type: 'gauge',
    labels: ['what'],
    unit: 'observations, streams, values',
    help: 'What the limits of detection kept out since it began to learn: observations of agents and environments beyond the limit (unwatched), those that were silent and made room (forgotten), observations of segments, criteria and versions that were folded, and costs and step counts that were cut (capped).',
  },
  transitions: {
    name: 'assay_detector_transitions_total',
    type: 'counter',
    labels: ['metric', 'to'],
    unit: 'changes',
    help: 'Changes of state of detectors, by metric and by the state they went to; metric="version" is a changed verdict on a version.',
  },
  problems: {
    name: 'assay_detection_problems_total',
    type: 'counter',
    labels: ['kind'],
    unit: 'problems',
    help: 'Rounds that failed and were undone (failed), states that could not be used, so that learning began anew (began_anew), and what was let go (dropped).',
  },
  notices: {
    name: 'assay_webhook_notices_total',
    type: 'counter',
    labels: ['webhook', 'result'],
    unit: 'notices',
    help: 'Notices to webhooks, by what became of them: delivered, or given_up after alerts.give_up_after.',
    queries: [
      {
        asks: 'notices that nobody got',
        promql: 'sum by (webhook) (increase(assay_webhook_notices_total{result="given_up"}[1d])) > 0',
      },
    ],
  },
  attempts: {
    name: 'assay_webhook_failures_total',
    type: 'counter',
    labels: ['webhook'],
    unit: 'attempts',
    help: 'Attempts to deliver a notice that failed and are made again.',
  },
  waiting: {
    name: 'assay_webhook_notices_waiting',
    type: 'gauge',
    labels: [],
    unit: 'notices',
    help: 'Notices that some webhook has not had yet.',
  },
} as const satisfies Record<string, MetricDefinition>;
