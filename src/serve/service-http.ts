/**
 * The HTTP side of the service. It is up before the store is open, so that people see why an instance waits: what needs the store answers 503 until
 * it is opened here, and again once it is closed.
 */
import type { Settings } from '../config/settings.ts';
import type { Unavailable } from '../report/http/answer.ts';
import { type HttpServer, startHttpServer } from '../report/http/http-server.ts';
import { answeredFrom } from '../report/http/route.ts';
import { Exposition, type MetricSource } from '../report/metrics/exposition.ts';
import { conversationApi } from './api/conversation-api.ts';
import { PROCESS_ROUTES, STORE_ROUTES, type StoreSide } from './api/routes.ts';
import type { ServiceReader } from './deployment.ts';
import type { DetectionMonitor } from './detection/detection-monitor.ts';
import type { Readiness } from './readiness.ts';
import type { Reloading } from './reloading.ts';
import type { RunningConfig } from './running-config.ts';
import type { ServiceEvents } from './service-events.ts';
import type { ServiceViews } from './service-views.ts';
import type { StoreWrites } from './store-writes.ts';
import { RETRY_AFTER_SECONDS } from '../model/retry-after.ts';

interface HttpNeeds {
  readonly settings: Settings;
  readonly config: RunningConfig;
  readonly events: ServiceEvents;
  readonly health: readonly MetricSource[];
  readonly readiness: Readiness;
  readonly views: ServiceViews;
  readonly detection: DetectionMonitor;
  readonly writes: StoreWrites;
  readonly reloading: Reloading;
}

interface ServiceHttp extends HttpServer {
  /** Undefined for an instance that has no store. */
  openStore(reader: ServiceReader | undefined): void;
  /** To be called before the reader is closed. */
  closeStore(): void;
}

const STARTING: Unavailable = {
  unavailable: 'this instance is starting, its store is not open yet: GET /readyz says why it waits',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};
const STOPPING: Unavailable = { unavailable: 'this instance is stopping', retryAfterSeconds: RETRY_AFTER_SECONDS };
const READS_NOTHING: Unavailable = {
  unavailable: 'this instance has no store, because kafka.read is false: ask one that reads',
};

export async function startHttp(needs: HttpNeeds): Promise<ServiceHttp> {
  const { settings, config, health, events, readiness, views, detection, reloading } = needs;
  const exposition = new Exposition([
    ...views.quality.sources(),
    ...health,
    ...detection.sources(),
    ...views.sources(),
  ]);
  const process = {
    metrics: exposition.render.bind(exposition),
    ready: () => readiness.check(),
    reload: () => reloading.reload(),
  };
  let store: StoreSide | Unavailable = STARTING;
  const server = await startHttpServer({
    host: settings.host,
    port: settings.httpPort,
    routes: [...answeredFrom(PROCESS_ROUTES, () => process), ...answeredFrom(STORE_ROUTES, () => store)],
    writeToken: () => config.settings.http.writeToken,
    onWrite: (event) => events.report(event),
  });
  return {
    ...server,
    openStore: (reader) => {
      store = reader === undefined ? READS_NOTHING : storeSide(reader, needs);
    },
    closeStore: () => {
      store = STOPPING;
    },
  };
}

function storeSide(reader: ServiceReader, { config, detection, writes }: HttpNeeds): StoreSide {
  const conversations = conversationApi(reader);
  return {
    reader,
    conversations,
    detection: () => detection.describe(conversations),
    suites: () => config.suites,
    liveSuites: () => config.liveSuites,
    put: (write) => writes.put(write),
    accept: (chosen) => detection.accept(chosen),
  };
}
