/** The API for the tools of MCP over stdio: that of a running service, or what can be answered from a store alone. */
import { outlineOf } from '../engine/suite-outline.ts';
import { type AskedApi, queryText, ToolProblem } from '../mcp/asked-api.ts';
import { ROLES } from '../model/caller.ts';
import { V1_READS } from '../serve/api/v1/v1-reads.ts';
import { decoded, matchPath } from '../report/http/route.ts';
import type { Loaded } from './load.ts';
import { CommandFailure } from './exit-codes.ts';
import { openedStore } from './opened-store.ts';
import { type AskedService, isThere, reading, writing } from './running-service.ts';

const WAIT_MS = 60_000;

export function apiOfService({ url, token }: AskedService): AskedApi {
  return async ({ method, path, query, body }) => {
    const init = method === 'GET' ? reading(token) : writing(method, body, token);
    try {
      const response = await fetch(new URL(`${path}${queryText(query)}`, url), {
        ...init,
        signal: AbortSignal.timeout(WAIT_MS),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const { cause } = error instanceof Error ? error : { cause: undefined };
      const why = cause instanceof Error ? cause.message : String(error);
      throw new ToolProblem(`no answer from ${url}: start \`assay serve\`, or give --url (${why})`);
    }
  };
}

/** Only what is read from a store. The person whose store it is may do anything with it. */
export function apiOfStore({ settings, suites, shadows }: Loaded): AskedApi & { close(): Promise<void> } {
  const outlines = [...suites, ...shadows].map(outlineOf);
  let opened: ReturnType<typeof openStoreReader> | undefined;
  const openStoreReader = () =>
    openedStore(settings).catch((error: unknown) => {
      throw error instanceof CommandFailure ? new ToolProblem(error.message) : error;
    });
  const api: AskedApi = async ({ method, path, query }) => {
    if (method === 'GET' && path === '/api/me') return { status: 200, text: JSON.stringify({ roles: ROLES }) };
    const route = V1_READS.find((one) => matchPath(one, path) !== undefined);
    const parameters = route === undefined ? undefined : decoded(matchPath(route, path) ?? new Map());
    if (method !== 'GET' || route === undefined || parameters === undefined)
      throw new ToolProblem(
        `this takes the running service: start \`assay serve\`, and this server without --data-dir (${path})`,
      );
    if (path === '/api/v1/detections')
      throw new ToolProblem(
        'detection is asked of the running service, and no store has it: start `assay serve`, and this server without --data-dir',
      );
    opened ??= openStoreReader();
    opened.catch(() => {
      opened = undefined;
    });
    const reader = await opened;
    const side = {
      reader,
      suites: () => outlines,
      detectionState: () => ({ isActive: false, report: undefined }),
      prices: settings.prices,
      onDamage: () => undefined,
    };
    const { status, body } = await route.handle(side, {
      query: new URLSearchParams(queryText(query)),
      parameters,
    });
    return { status, text: typeof body === 'string' ? body : Buffer.from(body).toString() };
  };
  return Object.assign(api, { close: async () => void (await (await opened)?.close()) });
}

/** The service if one answers, else the store: whichever is there when a tool is called. */
export function apiOfEither(service: AskedService, store: AskedApi): AskedApi {
  const ofService = apiOfService(service);
  return async (question) => ((await isThere(service.url)) ? ofService(question) : store(question));
}
