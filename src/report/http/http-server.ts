/**
 * The HTTP side that people and Prometheus look at: `/metrics`, `/healthz`, `/readyz` and the conversations. What
 * changes something is in `api-writes.ts`; all else only reads.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { OUTCOMES } from '../../model/evaluation.ts';
import { type Answer, jsonAnswer, textAnswer } from './api-answer.ts';
import { ApiWrites, type ApiWritesOptions } from './api-writes.ts';
import type { Rendered } from '../metrics/exposition.ts';

export interface ConversationListQuery {
  readonly outcome?: (typeof OUTCOMES)[number] | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly segment?: string | undefined;
  readonly suite?: string | undefined;
  readonly criterion?: string | undefined;
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface ConversationApi {
  list(query: ConversationListQuery): Promise<unknown>;
  /** Undefined where there is no such conversation. */
  get(id: string, options: { readonly revisions: 'last' | 'all' }): Promise<unknown>;
}

export interface ShadowQuery {
  readonly suite?: string | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly since?: number | undefined;
  readonly limit: number;
  readonly shown: number;
}

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: (accept: string | undefined, scraper: string | undefined) => Promise<Rendered>;
  readonly ready: () => { readonly ready: boolean; readonly reasons: readonly string[] };
  readonly conversations: ConversationApi;
  /** What has got worse, and what the detectors say. */
  readonly detection: () => Promise<unknown>;
  /** What suites in shadow say beside the live ones. */
  readonly shadow: (query: ShadowQuery) => Promise<unknown>;
  readonly writes: ApiWritesOptions;
}

export interface HttpServer {
  readonly port: number;
  stop(): Promise<void>;
}

const READ_ONLY = /^\/(?:(?:metrics|healthz|readyz|api\/detection|api\/v1\/shadow)?$|api\/conversations(?:\/|$))/;
const LIMIT_MAX = 1000;
const SCRAPER_NAME_MAX = 200;
const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `since` takes a time (`2026-11-21T08:00:00Z`) or a stretch back from now (`15m`, `24h`, `7d`). */
const sinceSchema = z.string().transform((text, context) => {
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  // The cast holds: the pattern allows these units only.
  if (ago !== null) return Date.now() - Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    context.addIssue({
      code: 'custom',
      message: 'expected a time such as 2026-11-21T08:00:00Z or a stretch such as 24h',
    });
    return z.NEVER;
  }
  return time;
});

const listSchema = z.strictObject({
  outcome: z.enum(OUTCOMES).optional(),
  agent: z.string().optional(),
  agent_version: z.string().optional(),
  segment: z.string().optional(),
  suite: z.string().optional(),
  criterion: z.string().optional(),
  since: sinceSchema.optional(),
  before: z.coerce.number().int().positive().optional(),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(50),
});

/** Whoever answers shares a thread with the receivers, and reads two evaluations for each. */
const SHADOW_LIMIT_MAX = 20_000;
const shadowSchema = z.strictObject({
  suite: z.string().optional(),
  agent: z.string().optional(),
  agent_version: z.string().optional(),
  since: sinceSchema.optional(),
  limit: z.coerce.number().int().min(1).max(SHADOW_LIMIT_MAX).default(2000),
  changed: z.coerce.number().int().min(0).max(LIMIT_MAX).default(20),
});

const getSchema = z.strictObject({ revisions: z.enum(['last', 'all']).default('last') });

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const writes = new ApiWrites(options.writes);
  const server = createServer((request, response) => {
    answer(options, writes, request)
      .catch(
        (error: unknown): Answer => jsonAnswer(500, { error: `the request could not be answered: ${String(error)}` }),
      )
      .then((result) => send(response, request, result))
      .catch(() => response.destroy());
  });
  server.requestTimeout = 10_000;
  await listen(server, options);
  // The cast holds for a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(
  server: ReturnType<typeof createServer>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new Error(`listen on ${host}:${port} for metrics and the API (http_port, ASSAY_HTTP_PORT, --http-port)`, {
          cause: error,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}

async function answer(options: HttpServerOptions, writes: ApiWrites, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? '/', 'http://assay');
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isReading) {
    if (!READ_ONLY.test(url.pathname) || writes.isPath(url.pathname)) return writes.answer(request, url.pathname);
    return jsonAnswer(
      405,
      { error: `${request.method} is not supported here: this only reads` },
      { allow: 'GET, HEAD' },
    );
  }
  if (url.pathname === '/metrics') {
    const { contentType, body } = await options.metrics(request.headers.accept, scraperOf(request));
    return { status: 200, type: contentType, body };
  }
  if (url.pathname === '/healthz') return textAnswer(200, 'ok\n');
  if (url.pathname === '/readyz') {
    const { ready, reasons } = options.ready();
    return textAnswer(ready ? 200 : 503, ready ? 'ready\n' : `${reasons.join('\n')}\n`);
  }
  if (url.pathname === '/api/detection') return jsonAnswer(200, await options.detection());
  if (url.pathname === '/api/v1/shadow') return shadowAnswer(options, url);
  if (url.pathname === '/api/conversations') return listAnswer(options, url);
  const one = /^\/api\/conversations\/(.+)$/.exec(url.pathname);
  if (one !== null) return getAnswer(options, url, one[1] ?? '');
  if (url.pathname === '/') return textAnswer(200, `${INDEX}${writes.index()}`);
  if (writes.isPath(url.pathname)) return writes.answer(request, url.pathname);
  return jsonAnswer(404, { error: `nothing is at ${url.pathname}; GET / lists what there is` });
}

/**
 * Prometheus and those that scrape as it does say how long they will wait; whoever does not is a person, who wants to see what there is.
 * Not the port, which is another one each time.
 */
function scraperOf({ method, socket, headers }: IncomingMessage): string | undefined {
  if (method === 'HEAD' || headers['x-prometheus-scrape-timeout-seconds'] === undefined) return undefined;
  return `${socket.remoteAddress ?? ''} ${(headers['user-agent'] ?? '').slice(0, SCRAPER_NAME_MAX)}`;
}

async function listAnswer(options: HttpServerOptions, url: URL): Promise<Answer> {
  const parsed = listSchema.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) return badQuery(parsed.error);
  const { agent_version, ...query } = parsed.data;
  return jsonAnswer(200, await options.conversations.list({ ...query, agentVersion: agent_version }));
}

async function shadowAnswer(options: HttpServerOptions, url: URL): Promise<Answer> {
  const parsed = shadowSchema.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) return badQuery(parsed.error);
  const { agent_version: agentVersion, changed: shown, ...query } = parsed.data;
  return jsonAnswer(200, await options.shadow({ ...query, agentVersion, shown }));
}

async function getAnswer(options: HttpServerOptions, url: URL, encodedId: string): Promise<Answer> {
  const parsed = getSchema.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) return badQuery(parsed.error);
  let id: string;
  try {
    id = decodeURIComponent(encodedId);
  } catch {
    return jsonAnswer(400, { error: 'the conversation id in the path is not valid percent-encoding' });
  }
  const found = await options.conversations.get(id, parsed.data);
  if (found !== undefined) return jsonAnswer(200, found);
  return jsonAnswer(404, {
    error: `no conversation has the id ${JSON.stringify(id)}: it may still be open, have another id (GET /api/conversations lists them), or be older than what is kept`,
  });
}

function badQuery(error: z.ZodError): Answer {
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || 'query'}: ${message}`);
  return jsonAnswer(400, { error: 'the query has mistakes', problems });
}

function send(response: ServerResponse, request: IncomingMessage, { status, type, body, headers }: Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'content-type': type,
    'content-length': bytes.length,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
  // A client that is still sending reads the answer only afterwards; what it sends goes nowhere, within the time that a request may take.
  request.resume();
}

const INDEX = `Assay

GET /metrics                      Prometheus metrics (OpenMetrics with exemplars if asked for)
GET /api/conversations            ?outcome= &agent= &agent_version= &segment= &suite= &criterion= (that failed)
                                  &since=24h &limit=
                                  a page; go on with &before=<next> until next is null
GET /api/conversations/<id>       one conversation's evaluations: verdicts, reasons, evidence  ?revisions=all
GET /api/detection                what has got worse, since when and why; the last changes of the detectors
GET /api/v1/shadow                what suites in shadow say beside the live ones  ?suite= &agent= &agent_version= &since=24h
                                  &limit= (the latest evaluations) &changed= (conversations to name)
GET /healthz                      the process is there
GET /readyz                       the pipeline moves
`;
