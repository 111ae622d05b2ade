/**
 * Regression detection and its notices to webhooks. Gauges show the newest report of the owner of detection; other instances have none.
 */
import {
  DETECTOR_STATES,
  type DetectionReport,
  type LevelReading,
  VERSION_VERDICTS,
  type VersionReading,
  type Watched,
} from '../../model/detection.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import type { LogLevel } from '../log/log.ts';
import type { Counted, MetricTable, Reading } from '../metrics/metric-set.ts';
import { detectionRecord, NO_EVIDENCE } from '../webhooks/detection-record.ts';
import { error, type EventTable, warn } from './event-table.ts';

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
    read: ({ levels }) =>
      levels.flatMap((one) =>
        DETECTOR_STATES.flatMap((state) => reading({ ...levelLabels(one), state }, one.state === state ? 1 : 0)),
      ),
  },
  logEvidence: {
    name: 'assay_detector_log_evidence',
    type: 'gauge',
    labels: LEVEL,
    unit: 'nats',
    help: 'Natural logarithm of the evidence that a level has become worse; it is a regression from assay_detector_log_evidence_threshold on.',
    read: levelsBy((one) => one.logEvidence),
  },
  logThreshold: {
    name: 'assay_detector_log_evidence_threshold',
    type: 'gauge',
    labels: LEVEL,
    unit: 'nats',
    help: 'Natural logarithm of the evidence that an alarm takes.',
    // While it learns there is none.
    read: levelsBy((one) => (one.logThreshold === 0 ? undefined : one.logThreshold)),
  },
  baseline: {
    name: 'assay_detector_baseline',
    type: 'gauge',
    labels: LEVEL,
    unit: "the metric's own",
    help: 'What was expected of the traffic that was observed, in the unit of the metric.',
    read: levelsBy((one) => one.change?.baseline),
  },
  observed: {
    name: 'assay_detector_observed',
    type: 'gauge',
    labels: LEVEL,
    unit: "the metric's own",
    help: 'What was observed: since the onset where something is wrong, else of late.',
    read: levelsBy((one) => one.change?.observed),
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
    read: levelsBy((one) => one.change?.ratio),
  },
  changeLower: {
    name: 'assay_detector_change_lower_ratio',
    type: 'gauge',
    labels: LEVEL,
    unit: 'relative to the baseline',
    help: 'Lower end of the 95 % interval of the change; approximate.',
    read: levelsBy((one) => one.change?.lower),
  },
  changeUpper: {
    name: 'assay_detector_change_upper_ratio',
    type: 'gauge',
    labels: LEVEL,
    unit: 'relative to the baseline',
    help: 'Upper end of the 95 % interval of the change; approximate.',
    read: levelsBy((one) => one.change?.upper),
  },
  onset: {
    name: 'assay_detector_change_timestamp_seconds',
    type: 'gauge',
    labels: LEVEL,
    unit: 'seconds since 1970',
    help: 'When the change seems to have begun; absent where nothing is wrong.',
    read: levelsBy((one) => (one.onset === undefined ? undefined : one.onset / 1000)),
  },
  detectable: {
    name: 'assay_detector_minimum_detectable_change_ratio',
    type: 'gauge',
    labels: LEVEL,
    unit: 'relative to the baseline',
    help: 'The smallest change that would be found within a day at the present traffic.',
    read: levelsBy((one) => one.minimumDetectableRatio),
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
    read: ({ levels }) =>
      levels.flatMap((one) =>
        one.parts.flatMap(({ part, criterion, points }) => reading({ ...watchedLabels(one), part, criterion }, points)),
      ),
  },
  verdict: {
    name: 'assay_version_verdict',
    type: 'gauge',
    labels: [...VERSION, 'verdict'],
    unit: '0 or 1',
    help: '1 for what is known of a version against the one that had most of the traffic before: worse, better, equivalent or inconclusive.',
    read: ({ versions }) =>
      versions.flatMap((one) =>
        VERSION_VERDICTS.flatMap((verdict) =>
          reading({ ...versionLabels(one), verdict }, one.verdict === verdict ? 1 : 0),
        ),
      ),
  },
  versionEvidence: {
    name: 'assay_version_log_evidence',
    type: 'gauge',
    labels: [...VERSION, 'direction'],
    unit: 'nats',
    help: 'Natural logarithm of the evidence that a version is worse, or better, than the one before.',
    read: ({ versions }) =>
      versions.flatMap((one) => [
        ...reading({ ...versionLabels(one), direction: 'worse' }, one.logEvidenceWorse),
        ...reading({ ...versionLabels(one), direction: 'better' }, one.logEvidenceBetter),
      ]),
  },
  observations: {
    name: 'assay_detection_observations',
    type: 'gauge',
    labels: [],
    unit: 'evaluations',
    help: 'Evaluations that detection has observed since it began to learn.',
    read: ({ observed }) => observed,
  },
  time: {
    name: 'assay_detection_time_seconds',
    type: 'gauge',
    labels: [],
    unit: 'seconds since 1970',
    help: 'Log time up to which detection has observed; absent where another instance has it.',
    read: ({ time }) => time / 1000,
  },
  keptOut: {
    name: 'assay_detection_kept_out',
    type: 'gauge',
    labels: ['what'],
    unit: 'observations, streams, values',
    help: 'What the limits of detection kept out since it began to learn: observations of agents and environments beyond the limit (unwatched), those that were silent and made room (forgotten), observations of segments, criteria and versions that were folded, and costs and step counts that were cut (capped).',
    read: ({ keptOut }) => Object.entries(keptOut).flatMap(([what, count]) => reading({ what }, count)),
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
    zeros: { kind: ['failed', 'began_anew', 'dropped'] },
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
    zeros: { result: ['delivered', 'given_up'] },
  },
  attempts: {
    name: 'assay_webhook_failures_total',
    type: 'counter',
    labels: ['webhook'],
    unit: 'attempts',
    help: 'Attempts to deliver a notice that failed and are made again.',
    zeros: {},
  },
  waiting: {
    name: 'assay_webhook_notices_waiting',
    type: 'gauge',
    labels: [],
    unit: 'notices',
    help: 'Notices that some webhook has not had yet.',
    read: ({ notices }) => notices.length,
  },
} as const satisfies MetricTable<DetectionReport>;

export const DETECTION_EVENTS = {
  'detector-changed': {
    log: ({ transition }) => {
      const record = detectionRecord(transition, NO_EVIDENCE);
      const { summary, suite, agent, environment, metric, criterion, from, to } = record;
      const fields = { summary, suite, agent, environment, metric, criterion, from, to };
      const message = 'detection: detector changed its state';
      return { level: levelOfChange(from, to), message, fields, episode: undefined };
    },
    count: ({ transition }, { transitions }) =>
      transitions.inc({
        metric: transition.kind === 'level' ? transition.reading.metric : 'version',
        to: transition.to,
      }),
  },
  'detection-observed': { silent: 'there is one for each round; our own telemetry has a span of it' },
  'detection-began-anew': {
    log: ({ problem }) => error('detection: stored state is unusable, starting from scratch', { problem }),
    count: (_event, { problems }) => problems.inc({ kind: 'began_anew' }),
  },
  'detection-dropped': {
    log: ({ problem }) => warn('detection: something could not be kept, dropping it', { problem }, 'detection dropped'),
    count: (_event, { problems }) => problems.inc({ kind: 'dropped' }),
  },
  'detection-failed': {
    log: ({ problem }) => error('detection: round failed, retrying', { problem }, `detection ${problem}`),
    count: (_event, { problems }) => problems.inc({ kind: 'failed' }),
  },
  'webhook-delivered': { count: ({ webhook }, { notices }) => notices.inc({ webhook, result: 'delivered' }) },
  'webhook-failed': {
    log: ({ webhook, problem }) =>
      warn('webhooks: notice could not be delivered, retrying', { webhook, problem }, `webhook ${webhook}`),
    count: ({ webhook }, { attempts }) => attempts.inc({ webhook }),
  },
  'webhook-given-up': {
    log: ({ webhook, id }) =>
      error('webhooks: notice was not delivered within alerts.give_up_after, dropping it', { webhook, id }),
    count: ({ webhook }, { notices }) => notices.inc({ webhook, result: 'given_up' }),
  },
} satisfies EventTable<DetectionEvent, Counted<typeof DETECTION_METRICS>>;

/** A new agent has a detector for each criterion; that these begin is of interest only to us. */
function levelOfChange(from: string, to: string): LogLevel {
  if (to === 'regressed' || to === 'worse') return 'warn';
  return from === 'no_data' || from === 'learning' ? 'debug' : 'info';
}

function levelsBy(figureOf: (reading: LevelReading) => number | undefined) {
  return ({ levels }: DetectionReport) => levels.flatMap((one) => reading(levelLabels(one), figureOf(one)));
}

/** A value that is not a number is not shown. */
function reading(labels: Reading['labels'], value: number | undefined): readonly Reading[] {
  return value === undefined || Number.isNaN(value) ? [] : [{ labels, value }];
}

function watchedLabels({ suite, agent, environment }: Watched): { readonly [label: string]: string } {
  return { suite, agent, environment };
}

function levelLabels(one: LevelReading): { readonly [label: string]: string } {
  const { metric, criterion } = one;
  return { ...watchedLabels(one), metric, ...(criterion === undefined ? {} : { criterion }) };
}

function versionLabels(one: VersionReading): { readonly [label: string]: string } {
  return { ...watchedLabels(one), agent_version: one.version, baseline_version: one.baselineVersion };
}
