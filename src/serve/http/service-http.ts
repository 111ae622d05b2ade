/**
 * The HTTP side of the service. It is up before the store is open, so that people see why an instance waits: what needs the store answers 503 until
 * it is opened here, and again once it is closed.
 */
import type { Certificates } from '../../listen/certificates.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { type HttpServer, startHttpServer } from '../../report/http/http-server.ts';
import { answeredFrom, type Client } from '../../report/http/route.ts';
import { answerRequest, type Routed } from '../../report/http/router.ts';
import { Exposition, type MetricSource } from '../../report/metrics/exposition.ts';
import { PEOPLE_ROUTES } from '../api/people-api.ts';
import { PROCESS_ROUTES } from '../api/routes.ts';
import { processAnswers } from './process-answers.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import { MCP_ROUTES, McpSide } from '../mcp/mcp-route.ts';
import { type OpenStore, openStore, type StoreNeeds } from './open-store.ts';
import { storeRoutes } from './store-routes.ts';
import type { ReadHistory } from '../detection/history-learning.ts';
import { pageHttp } from '../page/page-routes.ts';
import type { Readiness } from '../running/readiness.ts';
import type { Reloading } from '../running/reloading.ts';
import type { ServiceAccess } from './service-access.ts';
import type { ServiceViews } from './service-views.ts';
import type { SharedPorts } from './shared-ports.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';

interface HttpNeeds extends StoreNeeds {
  readonly version: string;
  readonly certificates: Certificates | undefined;
  /** Undefined where the process has one project. */
  readonly shared: SharedPorts | undefined;
  readonly access: Pick<ServiceAccess, 'guard' | 'people' | 'audit'>;
  readonly health: readonly MetricSource[];
  readonly readiness: Readiness;
  readonly views: ServiceViews;
  readonly reloading: Reloading;
}

/** A server of its own, or a place behind that of the default project. */
async function serverOf({ settings, shared, certificates, events }: HttpNeeds, served: Routed): Promise<HttpServer> {
  const { host, httpPort: port, project } = settings;
  if (shared !== undefined && project !== undefined) {
    const close = shared.http.open(project, served);
    return { port, stop: async () => close() };
  }
  return startHttpServer({
    ...served,
    ...{ host, port, shared: shared?.http },
    security: certificates?.port('http', 'any'),
    onDropped: (because) => events.report({ type: 'connection-dropped', port: 'http', because }),
  });
}

interface ServiceHttp extends HttpServer {
  /** Reads the next stored conversations as a running suite would score them, for detection. */
  readonly readHistory: ReadHistory;
  /** Undefined for an instance that has no store. */
  openStore(place: StorePlace | undefined): void;
  /** Must be called before the reading thread is stopped. */
  closeStore(): Promise<void>;
}

const STARTING: Unavailable = {
  unavailable: 'this instance is starting, its store is not open yet: GET /readyz says why it waits',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};
const STOPPING: Unavailable = { unavailable: 'this instance is stopping', retryAfterSeconds: RETRY_AFTER_SECONDS };
const READS_NOTHING: Unavailable = {
  unavailable: 'this instance has no store, because kafka.role is gateway: ask one that reads',
};

export async function startHttp(needs: HttpNeeds): Promise<ServiceHttp> {
  const { settings, access, health, events, readiness, views, detection, reloading } = needs;
  const exposition = new Exposition(
    [...views.quality.sources(), ...health, ...detection.sources(), ...views.sources()],
    { onFew: (samples) => views.quality.reserve(samples), project: settings.project },
  );
  const process = {
    metrics: exposition.scrape.bind(exposition),
    ready: () => readiness.check(),
    reload: () => reloading.reload(),
    ...processAnswers(needs),
    live: (client: Client) => events.live.answer(client),
  };
  const page = pageHttp();
  let store: OpenStore | Unavailable = STARTING;
  const onWrite: Routed['onWrite'] = (event) => events.report(event);
  const routes = [
    ...answeredFrom(PROCESS_ROUTES, () => process),
    ...storeRoutes(() => store),
    ...answeredFrom(PEOPLE_ROUTES, () => access),
  ];
  const mcp = new McpSide({
    version: needs.version,
    api: (request, client) => answerRequest({ routes, access: access.guard, onWrite }, request, client),
    onEvent: (event) => events.report(event),
  });
  const served: Routed = {
    routes: [...routes, ...answeredFrom(MCP_ROUTES, () => mcp), ...page.routes],
    home: page.home,
    access: access.guard,
    onWrite,
  };
  const server = await serverOf(needs, served);
  return {
    ...server,
    readHistory: async (wanted, signal) =>
      'reweighing' in store ? store.reweighing.learn(wanted, signal) : { is: 'later' },
    openStore: (place) => {
      store = place === undefined ? READS_NOTHING : openStore(needs, place);
    },
    closeStore: async () => {
      const closed = store;
      store = STOPPING;
      await mcp.stop();
      if (!('reweighing' in closed)) return;
      closed.exports.stop();
      await Promise.all([closed.reweighing.stop(), closed.comparing.stop()]);
    },
  };
}
