/** What is read at each scrape rather than counted: how much is open and waiting, how far behind scoring is. */
import type { Gauges } from '../report/metrics/gauges.ts';
import { ROUTES } from './api/routes.ts';
import { criterionWeights } from './criteria/criterion-weights.ts';
import type { Opened } from './deployment.ts';
import type { RunningConfig } from './running-config.ts';
import type { Scorer } from './scorer.ts';
import type { ServiceViews } from './service-views.ts';

export function gaugesOf(parts: {
  readonly config: RunningConfig;
  readonly opened: Opened;
  readonly scorer: Scorer;
  readonly views: ServiceViews;
  readonly version: string;
}): Gauges {
  const { config, opened, scorer, views, version } = parts;
  return {
    openTurns: () => opened.log?.openTurns ?? 0,
    openSpans: () => opened.log?.openSpans ?? 0,
    journalBytes: () => opened.log?.bytes ?? 0,
    scoringBacklog: () => scorer.turnsWaiting,
    logLagSeconds: () => opened.log?.lagSeconds ?? 0,
    series: () => views.quality.seriesCount,
    labelSets: () => views.quality.labelSetCount,
    labelSetsMax: config.settings.metrics.maxLabelValues,
    criterionWeights: () => criterionWeights(config.suites),
    criterionVariation: () => views.variation.all(),
    criterionLikeness: () => views.likeness.all(),
    version,
    writeRoutes: ROUTES.filter(({ may }) => may === 'write').map(({ path }) => path),
    cluster: {
      lanes: () => opened.log?.lanes?.count ?? 0,
      lags: () => opened.log?.lanes?.lags ?? [],
      clusterTime: () => scorer.scoredTo,
      spoolBytes: () => opened.log?.lanes?.spoolBytes ?? 0,
      turnsToFile: () => scorer.turnsWaiting,
    },
  };
}
