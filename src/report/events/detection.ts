/**
 * Regression detection and its notices to webhooks. Gauges show the newest report of the instance that runs detection; other instances have none.
 *
 * An agent has dozens of detectors, and nearly all are calm at any time. So that of its mean score is always shown, and
 * the others from when they suspect something until they are calm again.
 */
import {
  type DetectionReport,
  isCalm,
  type LevelReading,
  VERSION_VERDICTS,
  type VersionReading,
  type Watched,
} from '../../model/detection.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import type { LogLevel } from '../log/log.ts';
import { counter, GIVEN, type Reading, readGauge } from '../metrics/define-metric.ts';
import type { Counted, MetricTable } from '../metrics/metric-set.ts';
import { detectionRecord, NO_EVIDENCE } from '../webhooks/detection-record.ts';
import { error, type EventTable, info, warn } from './event-table.ts';

const WATCHED = ['suite', 'agent', 'environment'] as const;
const LEVEL = [...WATCHED, 'metric', 'criterion', 'segment'] as const;
const VERSION = [...WATCHED, 'agent_version', 'baseline_version'] as const;

export const DETECTION_METRICS = {
  state: readGauge('assay_detector_state', '1', {
    labels: [...LEVEL, 'state'],
    help: '1 for the state that a detector is in: no_data, learning, ok, suspected, regressed, partly_back or recovered. Here and below, that of the mean score (tcr) is always shown, the others while they are in one of the last four.',
    queries: {
      'open alarms':
        'max by (suite, agent, environment, metric, criterion, segment) (assay_detector_state{state="regressed"}) == 1',
    },
    read: ({ levels }) =>
      levels.filter(isShown).flatMap((one) => reading({ ...levelLabels(one), state: one.state }, 1)),
  }),
  evidence: readGauge('assay_detector_evidence_ratio', 'relative to an alarm', {
    labels: LEVEL,
    help: 'Logarithm of the evidence that a level has fallen, or risen where that is bad, relative to that of an alarm: at 1 it is a regression. Absent while it learns.',
    read: levelsBy((one) => (one.logThreshold === 0 ? undefined : one.logEvidence / one.logThreshold)),
  }),
  change: readGauge('assay_detector_change_ratio', 'relative to the baseline', {
    labels: [...LEVEL, 'bound'],
    help: 'Change against the expected value; negative is a fall. bound: value, and lower and upper for its 95 % interval, which is approximate, and corrected for the stretch that was chosen as the worst.',
    queries: {
      'how large the change of each open alarm is':
        'assay_detector_change_ratio{bound="value"} and ignoring (state, bound) assay_detector_state{state="regressed"} == 1',
    },
    read: ({ levels }) =>
      levels.filter(isShown).flatMap((one) => {
        const { ratio: value, lower, upper } = one.change ?? {};
        return Object.entries({ value, lower, upper }).flatMap(([bound, figure]) =>
          reading({ ...levelLabels(one), bound }, figure),
        );
      }),
  }),
  onset: readGauge('assay_detector_change_timestamp_seconds', 'seconds since 1970', {
    labels: LEVEL,
    help: 'When the change seems to have begun; absent where nothing is wrong.',
    read: levelsBy((one) => (one.onset === undefined ? undefined : one.onset / 1000)),
  }),
  detectable: readGauge('assay_detector_minimum_detectable_change_ratio', 'relative to the baseline', {
    labels: LEVEL,
    help: 'The smallest change that would be found within a day at the present traffic.',
    read: levelsBy((one) => one.minimumDetectableRatio),
  }),
  parts: readGauge('assay_detector_tcr_change_by_criterion', 'points of the mean score', {
    labels: [...WATCHED, 'part', 'criterion'],
    help: 'Points that each criterion, and the mix of requests, adds to the change of the mean score as it was counted. Their sum is that change; assay_detector_change_ratio excludes the mix.',
    queries: {
      'which criterion explains most of a fall':
        'bottomk by (suite, agent, environment) (1, assay_detector_tcr_change_by_criterion{part="criterion"})',
    },
    read: ({ levels }) =>
      levels.flatMap((one) =>
        one.parts.flatMap(({ part, criterion, points }) => reading({ ...watchedLabels(one), part, criterion }, points)),
      ),
  }),
  fallShare: readGauge('assay_detector_fall_share', 'part of the fall, 0 to 1', {
    labels: [...WATCHED, 'metric', 'segment', 'part'],
    help: 'Share of a suspected or found fall of the mean score that is in conversations with its most probable cause, a part of the traffic. part="everywhere": no part is the most probable.',
    queries: {
      'which part of the traffic explains most of a fall':
        'topk by (suite, agent, environment) (1, assay_detector_fall_share{metric="tcr"})',
    },
    read: ({ levels }) =>
      levels.flatMap((one) =>
        (one.causes ?? []).slice(0, 1).flatMap(({ parts, share }) =>
          reading(
            {
              ...watchedLabels(one),
              metric: one.metric,
              ...(one.part === undefined ? {} : { segment: one.part }),
              part: parts.length === 0 ? 'everywhere' : parts.join(' and '),
            },
            share,
          ),
        ),
      ),
  }),
  verdict: readGauge('assay_version_verdict', '0 or 1', {
    labels: [...VERSION, 'verdict'],
    help: '1 for what is known of a version against the one that had most of the traffic before: worse, better, equivalent or inconclusive.',
    read: ({ versions }) =>
      versions.flatMap((one) =>
        VERSION_VERDICTS.flatMap((verdict) =>
          reading({ ...versionLabels(one), verdict }, one.verdict === verdict ? 1 : 0),
        ),
      ),
  }),
  observations: readGauge('assay_detection_observations', 'evaluations', {
    help: 'Evaluations that detection has observed since it began to learn.',
    read: ({ observed }) => observed,
  }),
  keptOut: readGauge('assay_detection_kept_out', 'observations, streams, values', {
    labels: ['what'],
    help: 'Data that the limits of detection kept out since it began to learn. unwatched: observations of agents and environments beyond the limit. forgotten: silent ones that made room. folded: observations of segments, criteria and versions counted under another name. capped: costs and step counts that were cut.',
    read: ({ keptOut }) => Object.entries(keptOut).flatMap(([what, count]) => reading({ what }, count)),
  }),
  transitions: counter('assay_detector_transitions_total', 'changes', {
    labels: ['metric', 'to'],
    help: 'State changes of detectors, by metric and new state; metric="version" is a changed verdict on a version, metric="judges" other judges. to="regressed" counts again when what is worse gets worse still.',
  }),
  problems: counter('assay_detection_problems_total', 'problems', {
    labels: { kind: ['failed', 'began_anew', 'dropped'] },
    help: 'Rounds that failed and were undone (failed), states that could not be used, so that learning started from scratch (began_anew), and data that were discarded (dropped).',
  }),
  notices: counter('assay_webhook_notices_total', 'notices', {
    labels: { webhook: GIVEN, result: ['delivered', 'retried', 'given_up'] },
    help: 'Attempts to deliver notices to webhooks, by result: delivered, failed and retried, or given_up after a day.',
    queries: {
      'notices that nobody got': 'sum by (webhook) (increase(assay_webhook_notices_total{result="given_up"}[1d])) > 0',
    },
  }),
} satisfies MetricTable<DetectionReport>;

export const DETECTION_EVENTS = {
  'detector-changed': {
    log: ({ transition }) => {
      const record = detectionRecord(transition, NO_EVIDENCE);
      const { summary, suite, agent, environment, metric, criterion, from, to } = record;
      const fields = { summary, suite, agent, environment, metric, criterion, from, to };
      const message = 'detection: detector changed its state, the summary says how';
      return { level: levelOfChange(from, to), message, fields, episode: undefined };
    },
    count: ({ transition }, { transitions }) =>
      transitions.inc({
        metric: transition.kind === 'level' ? transition.reading.metric : transition.kind,
        // Versions of judges are many.
        to: transition.kind === 'judges' ? 'changed' : transition.to,
      }),
  },
  'detection-observed': { silent: 'there is one for each round; our own telemetry has a span of it' },
  'detection-began-again': {
    log: ({ problem }) => error('detection: stored state is unusable, starting from scratch', { problem }),
    count: (_event, { problems }) => problems.inc({ kind: 'began_anew' }),
  },
  'detection-learned': {
    log: ({ suite, conversations, problem }) => {
      if (problem !== undefined)
        return warn('detection: stored conversations could not be scored, learning from live ones', { suite, problem });
      if (conversations === 0) return undefined;
      return info('detection: suite learned from stored conversations, going on with live ones', {
        suite,
        conversations,
      });
    },
  },
  'detection-dropped': {
    log: ({ problem }) => warn('detection: data could not be kept, dropping them', { problem }, 'detection dropped'),
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
    count: ({ webhook }, { notices }) => notices.inc({ webhook, result: 'retried' }),
  },
  'webhook-given-up': {
    log: ({ webhook, id }) => error('webhooks: notice was not delivered within a day, dropping it', { webhook, id }),
    count: ({ webhook }, { notices }) => notices.inc({ webhook, result: 'given_up' }),
  },
} satisfies EventTable<DetectionEvent, Counted<typeof DETECTION_METRICS>>;

/** A new agent has a detector for each criterion; that these begin is of interest only to us. */
function levelOfChange(from: string, to: string): LogLevel {
  if (to === 'regressed' || to === 'worse') return 'warn';
  return from === 'no_data' || from === 'learning' ? 'debug' : 'info';
}

function levelsBy(figureOf: (reading: LevelReading) => number | undefined) {
  return ({ levels }: DetectionReport) =>
    levels.filter(isShown).flatMap((one) => reading(levelLabels(one), figureOf(one)));
}

function isShown({ state, metric }: LevelReading): boolean {
  return metric === 'tcr' || !isCalm(state);
}

/** A value that is not a number is not shown. */
function reading(labels: Reading['labels'], value: number | undefined): readonly Reading[] {
  return value === undefined || Number.isNaN(value) ? [] : [{ labels, value }];
}

function watchedLabels({ suite, agent, environment }: Watched): { readonly [label: string]: string } {
  return { suite, agent, environment };
}

function levelLabels(one: LevelReading): { readonly [label: string]: string } {
  const { metric, criterion, part } = one;
  return {
    ...watchedLabels(one),
    metric,
    ...(criterion === undefined ? {} : { criterion }),
    ...(part === undefined ? {} : { segment: part }),
  };
}

function versionLabels(one: VersionReading): { readonly [label: string]: string } {
  return { ...watchedLabels(one), agent_version: one.version, baseline_version: one.baselineVersion };
}
