/**
 * The HTTP side of the service. It is up before the store is open, so that people see why an instance waits: what needs the store answers 503 until
 * it is opened here, and again once it is closed.
 */
import type { Settings } from '../config/settings.ts';
import type { Certificates } from '../listen/certificates.ts';
import type { Unavailable } from '../report/http/answer.ts';
import { type HttpServer, startHttpServer } from '../report/http/http-server.ts';
import { type Asked, answeredFrom, type Route, read } from '../report/http/route.ts';
import { Exposition, type MetricSource } from '../report/metrics/exposition.ts';
import type { ForgetSide } from './api/forget-api.ts';
import { userFormsOf } from './forgetting/user-forms.ts';
import { PEOPLE_ROUTES } from './api/people-api.ts';
import { FORGET_ROUTES, PROCESS_ROUTES, STORE_WRITES, type WriteSide } from './api/routes.ts';
import { STORE_READS } from './api/store-reads.ts';
import type { DetectionMonitor } from './detection/detection-monitor.ts';
import type { StoreReading } from './reading/store-reading.ts';
import type { Readiness } from './readiness.ts';
import type { Reloading } from './reloading.ts';
import type { RunningConfig } from './running-config.ts';
import type { ServiceAccess } from './service-access.ts';
import type { ServiceEvents } from './service-events.ts';
import type { ServiceViews } from './service-views.ts';
import type { StoreWrites } from './store-writes.ts';
import { addressGroup } from '../listen/address-group.ts';
import { RETRY_AFTER_SECONDS } from '../model/retry-after.ts';

interface HttpNeeds {
  readonly settings: Settings;
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
  /** False for an instance that has no store. */
  openStore(isThere: boolean): void;
  /** To be called before the reading thread is stopped. */
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
    openStore: (isThere) => {
      store = isThere ? openStore(needs) : READS_NOTHING;
    },
    closeStore: () => {
      store = STOPPING;
    },
  };
}

interface OpenStore extends WriteSide, ForgetSide {
  readonly reading: StoreReading;
}

function openStore({ settings, access, config, detection, writes, reading }: HttpNeeds): OpenStore {
  return {
    reading,
    forget: (request) => writes.forgetting.forget(request),
    userForms: userFormsOf(settings),
    audit: access.audit,
    liveSuites: () => config.liveSuites,
    put: (write) => writes.put(write),
    accept: (chosen) => detection.accept(chosen),
  };
}

/** The same route, answered by the reading thread. */
function answeredByThread({ path, summary, takes }: (typeof STORE_READS)[number]): Route<OpenStore> {
  const answer = async ({ reading }: OpenStore, { query, parameters, request }: Asked) => {
    const gone = new AbortController();
    const { socket } = request;
    const onClose = () => gone.abort();
    socket.once('close', onClose);
    try {
      return await reading.answer({
        job: { what: 'route', path, query: query.toString(), parameters: [...parameters] },
        from: addressGroup(socket.remoteAddress),
        signal: gone.signal,
      });
    } finally {
      socket.off('close', onClose);
    }
  };
  return read(path, summary, answer, { takes });
}
