/** What is read at each scrape rather than counted: how much is open and waiting, how far behind scoring is. */
import type { Settings } from '../config/settings.ts';
import { type RedactionRules, redactionNames } from '../model/redaction.ts';
import type { ClusterGauges } from '../report/metrics/cluster-counters.ts';
import type { Gauges } from '../report/metrics/health-counters.ts';
import { WRITE_PATHS } from './api/write-paths.ts';
import { criterionWeights } from './criteria/criterion-weights.ts';
import type { Opened } from './deployment.ts';
import type { RunningConfig } from './running-config.ts';
import type { Scorer } from './scorer.ts';
import type { ServiceViews } from './service-views.ts';

export interface GaugeNeeds {
  readonly config: RunningConfig;
  readonly opened: Opened;
  readonly scorer: Scorer;
  readonly views: ServiceViews;
  readonly redaction: RedactionRules | undefined;
  readonly version: string;
}

export function healthGauges({ config, opened, scorer, views, redaction, version }: GaugeNeeds): Gauges {
  return {
    openTurns: () => opened.log?.openTurns ?? 0,
    openSpans: () => opened.log?.openSpans ?? 0,
    journalBytes: () => opened.log?.bytes ?? 0,
    scoringBacklog: () => scorer.turnsWaiting,
    logLagSeconds: () => opened.log?.lagSeconds ?? 0,
    series: () => views.quality.seriesCount,
    labelSets: () => views.quality.labelSetCount,
    labelSetsMax: config.settings.metrics.maxLabelValues,
    criterionWeights: criterionWeights(config.suites),
    criterionVariation: () => views.variation.all(),
    criterionLikeness: () => views.likeness.all(),
    version,
    redactions: redaction === undefined ? [] : redactionNames(redaction),
    writeRoutes: Object.values(WRITE_PATHS),
  };
}

/** Undefined on one machine. */
export function clusterGauges({ kafka }: Settings, { opened, scorer }: Pick<GaugeNeeds, 'opened' | 'scorer'>) {
  if (kafka === undefined) return undefined;
  return {
    reads: kafka.read,
    lanes: () => opened.log?.lanes?.count ?? 0,
    lags: () => opened.log?.lanes?.lags ?? [],
    clusterTime: () => scorer.scoredTo,
    spoolBytes: () => opened.log?.lanes?.spoolBytes ?? 0,
    turnsToFile: () => scorer.turnsWaiting,
    topics: kafka.read ? [...kafka.topics.spans, ...kafka.topics.logs] : [],
  } satisfies ClusterGauges;
}
