/** The HTTP side of the service: metrics, readiness, and the API over the store. */
import type { Settings } from '../config/settings.ts';
import { Exposition, type MetricSource } from '../report/metrics/exposition.ts';
import { type HttpServer, startHttpServer } from '../report/http/http-server.ts';
import { type ConversationApi, conversationApi } from './api/conversation-api.ts';
import { ROUTES } from './api/routes.ts';
import type { Opened } from './deployment.ts';
import type { DetectionMonitor } from './detection/detection-monitor.ts';
import { problemsOf, type Readiness } from './readiness.ts';
import type { Reloading } from './reloading.ts';
import type { RunningConfig } from './running-config.ts';
import type { Scorer } from './scorer.ts';
import type { ServiceEvents } from './service-events.ts';
import type { ServiceViews } from './service-views.ts';
import type { StoreWrites } from './store-writes.ts';

interface HttpNeeds {
  readonly settings: Settings;
  readonly config: RunningConfig;
  readonly opened: Opened;
  readonly scorer: Scorer;
  readonly events: ServiceEvents;
  readonly health: readonly MetricSource[];
  readonly readiness: Readiness;
  readonly views: ServiceViews;
  readonly detection: DetectionMonitor;
  readonly writes: StoreWrites;
  readonly reloading: Reloading;
}

export function startHttp(needs: HttpNeeds): Promise<HttpServer> {
  const { settings, config, opened, events, views, detection, writes, reloading } = needs;
  const exposition = new Exposition([
    ...views.quality.sources(),
    ...needs.health,
    ...detection.sources(),
    ...views.sources(),
  ]);
  return startHttpServer({
    host: settings.host,
    port: settings.httpPort,
    routes: ROUTES,
    side: {
      metrics: (accept, scraper) => exposition.render(accept, scraper),
      ready: () =>
        needs.readiness.check({ stalledMs: needs.scorer.stalledMs, problems: problemsOf(needs.opened, needs.scorer) }),
      conversations: () => conversationsOf(opened),
      detection: () => detection.describe(),
      reader: () => opened.reader,
      suites: () => config.suites,
      liveSuites: () => config.liveSuites,
      put: (write) => writes.put(write),
      accept: (chosen) => detection.accept(chosen),
      reload: () => reloading.reload(),
    },
    writeToken: () => config.settings.http.writeToken,
    onWrite: (event) => events.report(event),
  });
}

/** Throws if there is no store to read. */
export function conversationsOf({ reader }: Opened): ConversationApi {
  if (reader !== undefined) return conversationApi(reader);
  throw new Error('this instance reads nothing: kafka.read is false, or it still waits for its store');
}
