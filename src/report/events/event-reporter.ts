/**
 * Turns every event into its metrics and its log line, so that the two cannot disagree. Joins the tables of this folder. Metrics of the cluster exist
 * only with Kafka, those of judges only where judges are configured; events are logged either way.
 */
import type { DetectionReport } from '../../model/detection.ts';
import type { AnyEvent } from '../../model/events/any-event.ts';
import { type RedactionRules, redactionNames } from '../../model/redaction.ts';
import type { Log, LogLine } from '../log/log.ts';
import { readGauge } from '../metrics/define-metric.ts';
import type { MetricSource } from '../metrics/exposition.ts';
import type { ClusterGauges, Gauges } from '../metrics/gauges.ts';
import { MetricSet, type MetricTable } from '../metrics/metric-set.ts';
import { API_EVENTS, API_METRICS } from './api.ts';
import { CLUSTER_EVENTS, CLUSTER_METRICS, withoutReading } from './cluster.ts';
import { CONFIG_EVENTS, CONFIG_METRICS, countReload } from './config.ts';
import { DETECTION_EVENTS, DETECTION_METRICS } from './detection.ts';
import { JOURNAL_EVENTS, JOURNAL_METRICS } from './journal.ts';
import { type Budget, JUDGE_EVENTS, JUDGE_METRICS, showSpent } from './judges.ts';
import { RECEIVE_EVENTS, RECEIVE_METRICS } from './receive.ts';
import { RESULT_EVENTS, RESULT_METRICS } from './results.ts';
import { SCORING_EVENTS, SCORING_METRICS } from './scoring.ts';
import { TELEMETRY_EVENTS } from './telemetry.ts';

/** Metrics of Assay itself that every instance has. */
export const HEALTH_METRICS = {
  ...RECEIVE_METRICS,
  ...JOURNAL_METRICS,
  ...SCORING_METRICS,
  ...RESULT_METRICS,
  ...CONFIG_METRICS,
  ...API_METRICS,
  buildInfo: readGauge('assay_build_info', 'always 1', {
    labels: ['version'],
    help: 'Always 1; the version is the label.',
    read: ({ version }) => [{ labels: { version }, value: 1 }],
  }),
} satisfies MetricTable<Gauges>;

export interface ReportedParts {
  readonly log: Pick<Log, 'report'>;
  readonly redaction: RedactionRules | undefined;
  /** Undefined where no judge is configured. */
  readonly judges: { readonly names: readonly string[]; readonly budget: Budget } | undefined;
  /** Undefined on one machine. */
  readonly cluster: { readonly reads: boolean; readonly topics: readonly string[] } | undefined;
}

export class EventReporter {
  readonly #health = new MetricSet<typeof HEALTH_METRICS, Gauges>(HEALTH_METRICS);
  /** Shown together with the newest report of detection, by the code that receives it. */
  readonly detection = new MetricSet<typeof DETECTION_METRICS, DetectionReport>(DETECTION_METRICS);
  readonly #cluster: MetricSet<typeof CLUSTER_METRICS, ClusterGauges> | undefined;
  readonly #judges: MetricSet<typeof JUDGE_METRICS, undefined> | undefined;
  readonly #log: Pick<Log, 'report'>;
  readonly #shown: Readonly<Record<AnyEvent['type'], Shown<void>>>;

  constructor({ log, redaction, judges, cluster }: ReportedParts) {
    this.#log = log;
    const health = this.#health.counted;
    countReload(health);
    for (const pattern of redaction === undefined ? [] : redactionNames(redaction)) this.#health.begin({ pattern });
    if (cluster !== undefined) {
      this.#cluster = new MetricSet(CLUSTER_METRICS);
      for (const topic of cluster.topics) this.#cluster.begin({ topic });
      if (!cluster.reads) withoutReading(this.#cluster.counted);
    }
    if (judges !== undefined) {
      this.#judges = new MetricSet(JUDGE_METRICS);
      for (const judge of judges.names) this.#judges.begin({ judge });
      showSpent({ hourNanos: 0, dayNanos: 0 }, { ...this.#judges.counted, budget: judges.budget });
    }
    this.#shown = {
      ...boundTo(health, RECEIVE_EVENTS),
      ...boundTo(health, JOURNAL_EVENTS),
      ...boundTo(health, SCORING_EVENTS),
      ...boundTo(health, RESULT_EVENTS),
      ...boundTo(health, CONFIG_EVENTS),
      ...boundTo(health, API_EVENTS),
      ...boundTo(health, TELEMETRY_EVENTS),
      ...boundTo(this.#cluster && { ...health, ...this.#cluster.counted }, CLUSTER_EVENTS),
      ...boundTo(this.#judges && judges && { ...this.#judges.counted, budget: judges.budget }, JUDGE_EVENTS),
      ...boundTo(this.detection.counted, DETECTION_EVENTS),
    };
  }

  report(event: AnyEvent): void {
    const { count, log } = this.#shown[event.type];
    count?.(event);
    const line = log?.(event);
    if (line !== undefined) this.#log.report(line);
  }

  /** Starts the series of criteria that there are from now on. */
  begin(criteria: readonly { readonly suite: string; readonly criterion: string }[]): void {
    for (const { suite, criterion } of criteria) this.#health.begin({ suite, criterion });
  }

  /** Everything except detection. */
  sources(gauges: Gauges): readonly MetricSource[] {
    for (const route of gauges.writeRoutes) this.#health.begin({ route });
    this.begin(gauges.criterionWeights());
    return [
      ...this.#health.sources(() => gauges),
      ...(this.#cluster?.sources(() => gauges.cluster) ?? []),
      ...(this.#judges?.sources(() => undefined) ?? []),
    ];
  }
}

/** Methods, because each is called only with events of the type that it stands under. */
interface Shown<Metrics> {
  log?(event: AnyEvent): LogLine | undefined;
  count?(event: AnyEvent, metrics: Metrics): void;
  readonly silent?: string;
}

/** Without metrics, events are only logged. */
function boundTo<Type extends string, Metrics>(
  metrics: Metrics | undefined,
  table: { readonly [T in Type]: Shown<Metrics> },
): { readonly [T in Type]: Shown<void> } {
  const bound = Object.entries<Shown<Metrics>>(table).map(([type, { log, count }]): [string, Shown<void>] => [
    type,
    {
      ...(log && { log }),
      ...(metrics !== undefined && count && { count: (event: AnyEvent) => count(event, metrics) }),
    },
  ]);
  // The cast holds because the keys are those of the table.
  return Object.fromEntries(bound) as { readonly [T in Type]: Shown<void> };
}
