/** The HTTP side that people, programs and Prometheus look at. A table of routes defines what it serves. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PortSecurity } from '../../listen/certificates.ts';
import { limitConnections } from '../../listen/connection-limit.ts';
import { listen } from '../../listen/listen.ts';
import { withoutPipelining } from '../../listen/pipelining.ts';
import { createWebServer } from '../../listen/web-server.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { writePieces } from './write-pieces.ts';
import { answerRequest, type Routed } from './router.ts';

export interface HttpServer {
  readonly port: number;
  stop(): Promise<void>;
}

interface HttpOptions extends Routed {
  readonly host: string;
  readonly port: number;
  /** A connection was closed because too many are open. */
  readonly onDropped: () => void;
  /** Undefined for plain text. */
  readonly security?: PortSecurity | undefined;
}

const REQUEST_MS_MAX = 10_000;
const IDLE_MS_MAX = 5_000;
const TAKEN_WITHIN_MS = 60_000;
const ALWAYS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  const server = createWebServer({ requestMsMax: REQUEST_MS_MAX, idleMsMax: IDLE_MS_MAX }, options.security);
  server.on(
    'request',
    withoutPipelining((request, response) => {
      answerRequest(options, request)
        .catch(
          (error: unknown): Answer => jsonAnswer(500, { error: `the request could not be answered: ${String(error)}` }),
        )
        .then((result) => send(response, request, result))
        .catch(() => response.destroy());
    }),
  );
  limitConnections(server, options);
  const port = await listen(server, 'metrics and the API (http_port, ASSAY_HTTP_PORT, --http-port)', options);
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, request: IncomingMessage, answer: Answer): void {
  const { status, type, body, headers, stream, pieces } = answer;
  if (stream !== undefined && request.method !== 'HEAD') {
    response.writeHead(status, { 'content-type': type, ...ALWAYS, ...headers });
    response.flushHeaders();
    request.resume();
    if (response.closed) answer.onTaken?.();
    else stream(response);
    return;
  }
  if (pieces !== undefined) {
    giveUp(response, answer);
    response.writeHead(status, { 'content-type': type, ...ALWAYS, ...headers });
    request.resume();
    if (request.method === 'HEAD') response.end();
    else writePieces(response, pieces).catch(() => response.destroy());
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  giveUp(response, answer);
  response.writeHead(status, {
    'content-type': type,
    // A 304 has no length: that of its empty body would be taken for that of the whole.
    ...(status === 304 ? {} : { 'content-length': bytes.length }),
    ...ALWAYS,
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
  // A client that is still sending reads the answer only afterwards; what it sends goes nowhere, within the time that a request may take.
  request.resume();
}

/** A client that does not read would keep its answer in memory. */
function giveUp(response: ServerResponse, { onTaken }: Answer): void {
  if (response.closed) {
    onTaken?.();
    return;
  }
  const timer = setTimeout(() => response.destroy(), TAKEN_WITHIN_MS);
  response.once('close', () => {
    clearTimeout(timer);
    onTaken?.();
  });
}
