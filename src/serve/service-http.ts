/**
 * The HTTP side of the service. It is up before the store is open, so that people see why an instance waits: what needs the store answers 503 until
 * it is opened here, and again once it is closed.
 */
import type { Settings } from '../config/settings.ts';
import type { Certificates } from '../listen/certificates.ts';
import type { Unavailable } from '../report/http/answer.ts';
import { type HttpServer, startHttpServer } from '../report/http/http-server.ts';
import { answeredFrom } from '../report/http/route.ts';
import { Exposition, type MetricSource } from '../report/metrics/exposition.ts';
import { answeredByThread, type ReadingSide } from './api/answered-by-thread.ts';
import type { ForgetSide } from './api/forget-api.ts';
import { userFormsOf } from './forgetting/user-forms.ts';
import { PEOPLE_ROUTES } from './api/people-api.ts';
import { FORGET_ROUTES, PROCESS_ROUTES, STORE_WRITES, type WriteSide } from './api/routes.ts';
import { STORE_READS } from './api/store-reads.ts';
import { WHAT_IF_ROUTES, type WhatIfApi } from './api/v1/what-if-api.ts';
import type { DetectionMonitor } from './detection/detection-monitor.ts';
import type { StoreReading } from './reading/store-reading.ts';
import type { StorePlace } from './open-reader.ts';
import type { Readiness } from './readiness.ts';
import type { Reloading } from './reloading.ts';
import type { RunningConfig } from './running-config.ts';
import type { ServiceAccess } from './service-access.ts';
import type { ServiceEvents } from './service-events.ts';
import type { ServiceViews } from './service-views.ts';
import type { StoreWrites } from './store-writes.ts';
import type { Reweighing } from './what-if/reweighing.ts';
import { reweighingOf } from './what-if/reweighing-of.ts';
import { RETRY_AFTER_SECONDS } from '../model/retry-after.ts';

interface HttpNeeds {
  readonly settings: Settings;
  /** Suites as they are named at the start. */
  readonly named: Pick<Settings, 'suites' | 'baseDir'>;
  readonly certificates: Certificates | undefined;
  readonly access: Pick<ServiceAccess, 'guard' | 'people' | 'audit'>;
  readonly config: RunningConfig;
  readonly events: ServiceEvents;
  readonly health: readonly MetricSource[];
  readonly readiness: Readiness;
  readonly views: ServiceViews;
  readonly detection: DetectionMonitor;
  readonly writes: StoreWrites;
  readonly reading: StoreReading;
  readonly reloading: Reloading;
}

interface ServiceHttp extends HttpServer {
  /** Undefined for an instance that has no store. */
  openStore(place: StorePlace | undefined): void;
  /** To be called before the reading thread is stopped. */
  closeStore(): Promise<void>;
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
  const { settings, certificates, access, health, events, readiness, views, detection, reloading } = needs;
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
  let store: OpenStore | Unavailable = STARTING;
  const server = await startHttpServer({
    host: settings.host,
    port: settings.httpPort,
    routes: [
      ...answeredFrom(PROCESS_ROUTES, () => process),
      ...answeredFrom(STORE_READS.map(answeredByThread), () => store),
      ...answeredFrom(WHAT_IF_ROUTES, () => store),
      ...answeredFrom(STORE_WRITES, () => store),
      ...answeredFrom(FORGET_ROUTES, () => store),
      ...answeredFrom(PEOPLE_ROUTES, () => access),
    ],
    access: access.guard,
    onWrite: (event) => events.report(event),
    security: certificates?.port('http', 'any'),
    onDropped: () => events.report({ type: 'connection-dropped', port: 'http' }),
  });
  return {
    ...server,
    openStore: (place) => {
      store = place === undefined ? READS_NOTHING : openStore(needs, place);
    },
    closeStore: async () => {
      const closed = store;
      store = STOPPING;
      if ('reweighing' in closed) await closed.reweighing.stop();
    },
  };
}

interface OpenStore extends ReadingSide, WriteSide, ForgetSide, WhatIfApi {
  readonly reweighing: Reweighing;
}

function openStore(needs: HttpNeeds, store: StorePlace): OpenStore {
  const { settings, access, config, detection, writes, reading } = needs;
  return {
    reading,
    reweighing: reweighingOf({ ...needs, store }),
    forget: (request) => writes.forgetting.forget(request),
    userForms: userFormsOf(settings),
    audit: access.audit,
    liveSuites: () => config.liveSuites,
    put: (write) => writes.put(write),
    accept: (chosen) => detection.accept(chosen),
  };
}
