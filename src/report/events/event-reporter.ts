/**
 * Turns every event into its metrics and its log line, so that the two cannot disagree. Joins the tables of this folder; each domain keeps its metrics
 * in a set of its own, so that two domains may use the same key. Metrics of the cluster exist only with Kafka, those of judges only where judges are
 * configured; events are logged either way.
 */
import type { SpendingLimits } from '../../model/questions.ts';
import type { AnyEvent } from '../../model/events/any-event.ts';
import type { MetricDefinition } from '../../model/metric.ts';
import { type RedactionRules, redactionNames } from '../../model/redaction.ts';
import type { Log, LogLine } from '../log/log.ts';
import { readGauge } from '../metrics/define-metric.ts';
import type { MetricSource } from '../metrics/exposition.ts';
import { MetricSet, type MetricTable } from '../metrics/metric-set.ts';
import { ACCESS_EVENTS, ACCESS_METRICS, type AccessReadings } from './access.ts';
import { ARCHIVE_EVENTS, ARCHIVE_METRICS } from './archive.ts';
import { API_EVENTS, API_METRICS } from './api.ts';
import { CLUSTER_EVENTS, CLUSTER_METRICS, type ClusterReadings } from './cluster.ts';
import { CONFIG_EVENTS, CONFIG_METRICS, countReload } from './config.ts';
import { DAMAGE_EVENTS, DAMAGE_METRICS } from './damage.ts';
import { DETECTION_EVENTS, DETECTION_METRICS } from './detection.ts';
import { JOURNAL_EVENTS, JOURNAL_METRICS, type JournalReadings } from './journal.ts';
import { JUDGE_EVENTS, JUDGE_METRICS, showSpent } from './judges.ts';
import { READING_EVENTS, READING_METRICS } from './reading.ts';
import { RECEIVE_EVENTS, RECEIVE_METRICS } from './receive.ts';
import { RESULT_EVENTS, RESULT_METRICS } from './results.ts';
import { SCORING_EVENTS, SCORING_METRICS, type ScoringReadings } from './scoring.ts';
import { TELEMETRY_EVENTS } from './telemetry.ts';
import { TLS_EVENTS, TLS_METRICS, type TlsReadings } from './tls.ts';

interface BuildReadings {
  readonly version: string;
}

const BUILD_METRICS = {
  buildInfo: readGauge('assay_build_info', 'always 1', {
    labels: ['version'],
    help: 'Always 1; the version is the label.',
    read: ({ version }) => [{ labels: { version }, value: 1 }],
  }),
} satisfies MetricTable<BuildReadings>;

/** Tables of metrics of Assay itself that every instance has. */
const HEALTH_TABLES = {
  receive: RECEIVE_METRICS,
  journal: JOURNAL_METRICS,
  damage: DAMAGE_METRICS,
  scoring: SCORING_METRICS,
  results: RESULT_METRICS,
  archive: ARCHIVE_METRICS,
  config: CONFIG_METRICS,
  api: API_METRICS,
  access: ACCESS_METRICS,
  reading: READING_METRICS,
  tls: TLS_METRICS,
  build: BUILD_METRICS,
};
type HealthTables = typeof HEALTH_TABLES;
type HealthSets = { readonly [D in keyof HealthTables]: MetricSet<HealthTables[D]> };

export const HEALTH_METRICS: readonly MetricDefinition[] = Object.values<MetricTable<never>>(HEALTH_TABLES).flatMap(
  (table) => Object.values(table),
);

/** Readings of the service at each scrape, rather than counted from events. */
export type Gauges = AccessReadings &
  JournalReadings &
  ScoringReadings &
  ClusterReadings &
  TlsReadings &
  BuildReadings & {
    /** Routes on which something can be written. */
    readonly writeRoutes: readonly string[];
    /** Routes that are answered from the store. */
    readonly readRoutes: readonly string[];
  };

export interface ReportedParts {
  readonly log: Pick<Log, 'report'>;
  readonly redaction: RedactionRules | undefined;
  /** Undefined where no judge is configured. */
  readonly judges: { readonly names: readonly string[]; readonly budget: SpendingLimits } | undefined;
  /** Undefined on one machine. */
  readonly cluster: { readonly reads: boolean; readonly topics: readonly string[] } | undefined;
}

export class EventReporter {
  readonly #health: HealthSets = {
    receive: new MetricSet(RECEIVE_METRICS),
    journal: new MetricSet(JOURNAL_METRICS),
    damage: new MetricSet(DAMAGE_METRICS),
    scoring: new MetricSet(SCORING_METRICS),
    results: new MetricSet(RESULT_METRICS),
    archive: new MetricSet(ARCHIVE_METRICS),
    config: new MetricSet(CONFIG_METRICS),
    api: new MetricSet(API_METRICS),
    access: new MetricSet(ACCESS_METRICS),
    reading: new MetricSet(READING_METRICS),
    tls: new MetricSet(TLS_METRICS),
    build: new MetricSet(BUILD_METRICS),
  };
  /** Shown together with the newest report of detection, by the code that receives it. */
  readonly detection = new MetricSet(DETECTION_METRICS);
  readonly #cluster: MetricSet<typeof CLUSTER_METRICS> | undefined;
  readonly #judges: MetricSet<typeof JUDGE_METRICS> | undefined;
  readonly #log: Pick<Log, 'report'>;
  readonly #shown: Readonly<Record<AnyEvent['type'], Bound>>;

  constructor({ log, redaction, judges, cluster }: ReportedParts) {
    this.#log = log;
    const { receive, journal, damage, scoring, results, archive, config, api, access, reading } = this.#health;
    const { failures } = damage.counted;
    countReload(config.counted);
    for (const part of partsOf(cluster)) damage.begin({ part });
    for (const pattern of redaction === undefined ? [] : redactionNames(redaction)) receive.begin({ pattern });
    if (cluster !== undefined) {
      this.#cluster = new MetricSet(CLUSTER_METRICS);
      for (const topic of cluster.topics) this.#cluster.begin({ topic });
    }
    if (judges !== undefined) {
      this.#judges = new MetricSet(JUDGE_METRICS);
      for (const judge of judges.names) this.#judges.begin({ judge });
      showSpent({ hourNanos: 0, dayNanos: 0 }, { ...this.#judges.counted, budget: judges.budget });
    }
    this.#shown = {
      ...boundTo(receive.counted, RECEIVE_EVENTS),
      ...boundTo({ ...journal.counted, damage: damage.counted.damage }, JOURNAL_EVENTS),
      ...boundTo(damage.counted, DAMAGE_EVENTS),
      ...boundTo({ ...scoring.counted, failures }, SCORING_EVENTS),
      ...boundTo({ ...results.counted, failures }, RESULT_EVENTS),
      ...boundTo({ ...archive.counted, failures }, ARCHIVE_EVENTS),
      ...boundTo(config.counted, CONFIG_EVENTS),
      ...boundTo(api.counted, API_EVENTS),
      ...boundTo(access.counted, ACCESS_EVENTS),
      ...boundTo({ ...reading.counted, ...api.counted, failures }, READING_EVENTS),
      ...boundTo({ failures }, TELEMETRY_EVENTS),
      ...boundTo({ dropped: receive.counted.dropped, failures }, TLS_EVENTS),
      ...boundTo(
        this.#cluster && { cluster: this.#cluster.counted, damage: damage.counted, scoring: scoring.counted },
        CLUSTER_EVENTS,
      ),
      ...boundTo(this.#judges && judges && { ...this.#judges.counted, failures, budget: judges.budget }, JUDGE_EVENTS),
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
    for (const { suite, criterion } of criteria) this.#health.scoring.begin({ suite, criterion });
  }

  /** Everything except detection. */
  sources(gauges: Gauges): readonly MetricSource[] {
    for (const route of [...gauges.writeRoutes, ...gauges.readRoutes]) this.#health.api.begin({ route });
    for (const route of gauges.readRoutes) this.#health.reading.begin({ route });
    this.begin(gauges.criterionWeights());
    const sets = [...Object.values(this.#health), this.#cluster, this.#judges];
    return sets.flatMap((set) => set?.sources(() => gauges) ?? []);
  }
}

/** A gateway reads nothing. "No instance can" asks those that read, and a 0 of a gateway must not stand for them. */
function partsOf(cluster: ReportedParts['cluster']): readonly string[] {
  if (cluster === undefined) return ['own_store'];
  return cluster.reads ? ['kafka', 'store', 'evaluations'] : [];
}

/** An entry of a table with the metrics that it counts. It is called only with events of the type that it stands under. */
interface Bound {
  readonly log?: (event: AnyEvent) => LogLine | undefined;
  readonly count?: (event: AnyEvent) => void;
}

/** Parameters are exact: an entry takes one kind of event, and no other metrics than those of its table. */
interface Shown<Metrics> {
  readonly log?: (event: never) => LogLine | undefined;
  readonly count?: (event: never, metrics: Metrics) => void;
  readonly silent?: string;
}

/** Without metrics, events are only logged. */
function boundTo<Type extends string, Metrics>(
  metrics: Metrics | undefined,
  table: { readonly [T in Type]: Shown<NoInfer<Metrics>> },
): { readonly [T in Type]: Bound } {
  // The casts hold because an event finds its entry by its type, and the keys are those of the table.
  const bound = Object.entries<Shown<Metrics>>(table).map(([type, { log, count }]): [string, Bound] => [
    type,
    {
      ...(log && { log: (event: AnyEvent) => log(event as never) }),
      ...(metrics !== undefined && count && { count: (event: AnyEvent) => count(event as never, metrics) }),
    },
  ]);
  return Object.fromEntries(bound) as { readonly [T in Type]: Bound };
}
