/** Gauges that are read at each scrape rather than counted: open and queued work, and the lag of scoring. */
import type { Certificates } from '../../listen/certificates.ts';
import type { Gauges } from '../../report/events/event-reporter.ts';
import { PEOPLE_ROUTES } from '../api/people-api.ts';
import { PROCESS_ROUTES } from '../api/routes.ts';
import { STORE_ROUTES } from './store-routes.ts';
import { STORE_READS } from '../api/store-reads.ts';
import { WHAT_IF_ROUTES } from '../what-if/what-if-routes.ts';
import { criterionWeights } from '../criteria/criterion-weights.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { RunningConfig } from '../running/running-config.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { accessModeOf } from './service-access.ts';
import type { ServiceViews } from './service-views.ts';

export function gaugesOf(parts: {
  readonly config: RunningConfig;
  readonly deployment: Deployment;
  readonly scorer: Scorer;
  readonly views: ServiceViews;
  readonly certificates: Certificates | undefined;
  readonly version: string;
}): Gauges {
  const { config, deployment, scorer, views, certificates, version } = parts;
  return {
    log: () => deployment.log,
    turnsWaiting: () => scorer.turnsWaiting,
    series: () => views.quality.seriesCount,
    withheld: () => views.quality.withheld(),
    labelSets: () => views.quality.labelSetCount,
    criterionWeights: () => criterionWeights(config.suites),
    criterionVariation: () => views.variation.all(),
    version,
    writeRoutes: [...PROCESS_ROUTES, ...STORE_ROUTES, ...PEOPLE_ROUTES].flatMap(({ may, path }) =>
      may === 'write' ? [path] : [],
    ),
    isOpenToAll: () => accessModeOf(config.settings) === 'open',
    readRoutes: [...STORE_READS, ...WHAT_IF_ROUTES].map(({ path }) => path),
    clusterTime: () => scorer.scoredTo,
    certificateExpiresAt: () => certificates?.expiresAt,
  };
}
