/** Answers requests by the table of routes, if the caller may do what they ask. `GET /` lists the table, or is the page in a browser. */
import type { IncomingMessage } from 'node:http';
import { headOfRequest } from '../../listen/request-head.ts';
import type { AccessGuard, RefusedAccess } from '../../model/access.ts';
import type { ApiEvent } from '../../model/events/api-events.ts';
import { type Answer, jsonAnswer, redirectAnswer, textAnswer } from './answer.ts';
import { readBodyBytes, readJsonBody } from './json-body.ts';
import { type Asked, type Client, decoded, matchPath, type Route, read, type Written } from './route.ts';

export interface Routed {
  readonly routes: readonly Route<undefined>[];
  readonly access: AccessGuard;
  readonly onWrite: (event: ApiEvent) => void;
  /** Answers a browser that opens `/`; undefined where there is only the list of routes. */
  readonly home?: ((asked: Pick<Asked, 'request'>) => Promise<Answer>) | undefined;
}

export async function answerRequest(routed: Routed, request: IncomingMessage, client: Client): Promise<Answer> {
  const url = urlOf(request);
  if (url === undefined) return jsonAnswer(400, { error: 'the path is not one: it begins with one /' });
  const { pathname, searchParams: query } = url;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (pathname === '/' && method === 'GET' && routed.home !== undefined && isBrowser(request)) {
    return await routed.home({ request });
  }
  const index = read<undefined>('/', 'this list', () => textAnswer(200, indexOf(routed.routes)));
  const there = [index, ...routed.routes].filter((route) => matchPath(route, pathname) !== undefined);
  if (there.length === 0) return nothingThere(pathname, method);
  const route = there.find((one) => one.method === method);
  if (route === undefined) return otherMethod(there, request.method);
  const decided =
    route.takes === 'nothing'
      ? undefined
      : routed.access.decide(headOfRequest('http', request), {
          takes: route.takes,
          orTakes: route.orTakes,
          route: route.path,
        });
  const refused = decided === undefined || decided.allowed ? undefined : refusedAnswer(decided, request, url);
  const parameters = decoded(matchPath(route, pathname) ?? new Map());
  const caller = decided?.allowed === true ? decided.caller : undefined;
  const sent = { request, caller, client };
  if (route.may === 'read') {
    if (refused !== undefined) return refused;
    return parameters === undefined ? notEncoded() : route.handle(undefined, { query, parameters, ...sent });
  }
  const answer = refused ?? (await answerWrite(route, parameters, sent));
  if (route.may === 'write') routed.onWrite({ type: 'api-written', route: route.path, status: answer.status });
  return answer;
}

/** Undefined where it is none. A path that begins with two slashes would be read as the name of a host. */
function urlOf({ url = '/' }: IncomingMessage): URL | undefined {
  return url.startsWith('//') ? undefined : (URL.parse(url, 'http://assay') ?? undefined);
}

function isBrowser({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept.includes('text/html');
}

/** Address of the sign-in. */
const SIGN_IN = '/auth/login';

/** A person who opens an address in a browser is sent to sign in, and comes back to it. */
function refusedAnswer(
  { status, message, retryAfterSeconds, maySignIn }: RefusedAccess,
  request: IncomingMessage,
  { pathname, search }: URL,
): Answer {
  if (maySignIn && request.method === 'GET' && isBrowser(request)) {
    return redirectAnswer(`${SIGN_IN}?return_to=${encodeURIComponent(pathname + search)}`);
  }
  return jsonAnswer(
    status,
    { error: message, ...(maySignIn ? { sign_in: SIGN_IN } : {}) },
    {
      ...(status === 401 ? { 'www-authenticate': 'Bearer realm="assay"' } : {}),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
  );
}

async function answerWrite(
  { handle, method, may }: Route<undefined> & { readonly may: 'write' | 'ask' },
  parameters: ReadonlyMap<string, string> | undefined,
  written: Written,
): Promise<Answer> {
  if (parameters === undefined) return notEncoded();
  const { bodyBytesMax, isRaw } = handle;
  const read = isRaw === true ? readBodyBytes : readJsonBody;
  const body =
    method === 'DELETE' ? { value: undefined } : await read(written.request, { bodyBytesMax, ...written.client });
  if ('refused' in body) return body.refused;
  try {
    return await handle.write(undefined, body.value, parameters, written);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const what =
      may === 'ask' ? 'it could not be answered' : 'it could not be written, or it is not known whether it was';
    return jsonAnswer(500, { error: `${what}: ${problem}` });
  }
}

/** Where exporters write, at the ports for OTLP. */
const OTLP_PATH = /^\/v1\/(?:traces|logs|metrics)$/;

function nothingThere(pathname: string, method: string | undefined): Answer {
  if (OTLP_PATH.test(pathname))
    return jsonAnswer(404, {
      error: 'no spans here, but at the port for OTLP over HTTP: 4318, unless otlp_http_port says another',
    });
  const what = method === 'GET' ? 'nothing is at' : 'nothing can be written at';
  return jsonAnswer(404, { error: `${what} ${pathname.slice(0, 200)}; GET / lists what there is` });
}

function otherMethod(there: readonly Route<undefined>[], method: string | undefined): Answer {
  const allow = there.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])).join(', ');
  return jsonAnswer(
    405,
    { error: `${method} is not supported here: use ${allow.replaceAll(', ', ' or ')}` },
    { allow },
  );
}

function notEncoded(): Answer {
  return jsonAnswer(400, { error: 'the path is not valid percent-encoding' });
}

function indexOf(routes: readonly Route<undefined>[]): string {
  const rows = routes.map(({ method, path, summary }) => ({ head: `${method} ${shownPath(path)}`, summary }));
  const width = Math.max(...rows.map(({ head }) => head.length)) + 2;
  const lines = rows.map(
    ({ head, summary }) => head.padEnd(width) + summary.replaceAll('\n', `\n${' '.repeat(width)}`),
  );
  return `Assay\n\n${lines.join('\n')}\n`;
}

/** `/v1/truth/<conversation>`, as people write what is to be filled in. */
function shownPath(path: string): string {
  return path.replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, '<$1>');
}
