/** What regression detection said last, as gauges and for the API, and what has happened to it, as counters. */
import type { Counter } from 'prom-client';
import {
  DETECTOR_STATES,
  type DetectionReport,
  type LevelReading,
  VERSION_VERDICTS,
  type VersionReading,
  type Watched,
} from '../../model/detection.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import type { MetricDefinition } from '../../model/metric.ts';
import { DETECTION_METRICS } from './detection-metrics.ts';
import type { MetricSource } from './exposition.ts';
import { PromMetrics } from './prom-metrics.ts';
import type { Sample } from './text-format.ts';

type Labels = Sample['labels'];

export class DetectionView {
  readonly #counters = new PromMetrics();
  readonly #transitions: Counter<'metric' | 'to'>;
  readonly #problems: Counter<'kind'>;
  readonly #notices: Counter<'webhook' | 'result'>;
  readonly #failures: Counter<'webhook'>;
  #report: DetectionReport | undefined;

  constructor(options: { readonly webhooks: readonly string[] }) {
    this.#transitions = this.#counters.counter(DETECTION_METRICS.transitions);
    this.#problems = this.#counters.counter(DETECTION_METRICS.problems);
    this.#notices = this.#counters.counter(DETECTION_METRICS.notices);
    this.#failures = this.#counters.counter(DETECTION_METRICS.attempts);
    for (const kind of ['failed', 'began_anew', 'dropped']) this.#problems.inc({ kind }, 0);
    this.add(options.webhooks);
  }

  /** Webhooks that there are besides. */
  add(webhooks: readonly string[]): void {
    for (const webhook of webhooks) {
      this.#failures.inc({ webhook }, 0);
      for (const result of ['delivered', 'given_up']) this.#notices.inc({ webhook, result }, 0);
    }
  }

  /** Undefined where this instance does not have detection. */
  get report(): DetectionReport | undefined {
    return this.#report;
  }

  update(report: DetectionReport | undefined): void {
    this.#report = report;
  }

  count(event: DetectionEvent): void {
    switch (event.type) {
      case 'detector-changed': {
        const { transition } = event;
        const metric = transition.kind === 'level' ? transition.reading.metric : 'version';
        this.#transitions.inc({ metric, to: transition.to });
        return;
      }
      case 'detection-observed':
        return;
      case 'detection-began-anew':
        this.#problems.inc({ kind: 'began_anew' });
        return;
      case 'detection-dropped':
        this.#problems.inc({ kind: 'dropped' });
        return;
      case 'detection-failed':
        this.#problems.inc({ kind: 'failed' });
        return;
      case 'webhook-delivered':
        this.#notices.inc({ webhook: event.webhook, result: 'delivered' });
        return;
      case 'webhook-failed':
        this.#failures.inc({ webhook: event.webhook });
        return;
      case 'webhook-given-up':
        this.#notices.inc({ webhook: event.webhook, result: 'given_up' });
        return;
    }
  }

  sources(): readonly MetricSource[] {
    const M = DETECTION_METRICS;
    const level = (definition: MetricDefinition, read: (reading: LevelReading) => number | undefined) =>
      this.#gauge(definition, ({ levels }) => levels.flatMap((one) => sample(levelLabels(one), read(one))));
    return [
      this.#gauge(M.state, ({ levels }) =>
        levels.flatMap((one) =>
          DETECTOR_STATES.flatMap((state) => sample({ ...levelLabels(one), state }, one.state === state ? 1 : 0)),
        ),
      ),
      level(M.logEvidence, (one) => one.logEvidence),
      // While it learns there is none.
      level(M.logThreshold, (one) => (one.logThreshold === 0 ? undefined : one.logThreshold)),
      level(M.baseline, (one) => one.change?.baseline),
      level(M.observed, (one) => one.change?.observed),
      level(M.change, (one) => one.change?.ratio),
      level(M.changeLower, (one) => one.change?.lower),
      level(M.changeUpper, (one) => one.change?.upper),
      level(M.onset, (one) => (one.onset === undefined ? undefined : one.onset / 1000)),
      level(M.detectable, (one) => one.minimumDetectableRatio),
      this.#gauge(M.parts, ({ levels }) =>
        levels.flatMap((one) =>
          one.parts.flatMap(({ part, criterion, points }) =>
            sample({ ...watchedLabels(one), part, criterion }, points),
          ),
        ),
      ),
      this.#gauge(M.verdict, ({ versions }) =>
        versions.flatMap((one) =>
          VERSION_VERDICTS.flatMap((verdict) =>
            sample({ ...versionLabels(one), verdict }, one.verdict === verdict ? 1 : 0),
          ),
        ),
      ),
      this.#gauge(M.versionEvidence, ({ versions }) =>
        versions.flatMap((one) => [
          ...sample({ ...versionLabels(one), direction: 'worse' }, one.logEvidenceWorse),
          ...sample({ ...versionLabels(one), direction: 'better' }, one.logEvidenceBetter),
        ]),
      ),
      this.#gauge(M.observations, ({ observed }) => sample({}, observed)),
      this.#gauge(M.time, ({ time }) => sample({}, time / 1000)),
      this.#gauge(M.keptOut, ({ keptOut }) =>
        Object.entries(keptOut).flatMap(([what, count]) => sample({ what }, count)),
      ),
      this.#gauge(M.waiting, ({ notices }) => sample({}, notices.length)),
      ...this.#counters.sources(),
    ];
  }

  #gauge(definition: MetricDefinition, samplesOf: (report: DetectionReport) => readonly Sample[]): MetricSource {
    return { definition, samples: () => (this.#report === undefined ? [] : samplesOf(this.#report)) };
  }
}

/** What is not a number is not shown. */
function sample(labels: Labels, value: number | undefined): readonly Sample[] {
  if (value === undefined || Number.isNaN(value)) return [];
  return [{ labels, value, exemplar: undefined }];
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
