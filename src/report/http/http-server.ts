/** The HTTP side that people, programs and Prometheus look at. A table of routes defines what it serves. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PortSecurity } from '../../listen/certificates.ts';
import { limitConnections } from '../../listen/connection-limit.ts';
import { headOfRequest } from '../../listen/request-head.ts';
import { type SharedPort, turnedAway } from '../../listen/shared-port.ts';
import { listen } from '../../listen/listen.ts';
import { withoutPipelining } from '../../listen/pipelining.ts';
import { createWebServer } from '../../listen/web-server.ts';
import type { DropReason } from '../../model/events/receive-events.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';
import { type Answer, jsonAnswer, unavailableAnswer } from './answer.ts';
import { HeldBytes } from './held-bytes.ts';
import type { Client } from './route.ts';
import { acceptedCodings } from './accepted-codings.ts';
import { writePieces } from './write-pieces.ts';
import { answerRequest, type Routed } from './router.ts';

export interface HttpServer {
  readonly port: number;
  stop(): Promise<void>;
}

interface HttpOptions extends Routed {
  readonly host: string;
  readonly port: number;
  /** A connection was closed. */
  readonly onDropped: (because: DropReason) => void;
  /** Undefined for plain text. */
  readonly security?: PortSecurity | undefined;
  /** Other projects behind the port; undefined where there are none. */
  readonly shared?: SharedPort<Routed> | undefined;
}

const REQUEST_MS_MAX = 10_000;
const IDLE_MS_MAX = 5_000;
const TAKEN_WITHIN_MS = 60_000;
const ALWAYS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  const server = createWebServer({ requestMsMax: REQUEST_MS_MAX, idleMsMax: IDLE_MS_MAX }, options.security);
  const held = new HeldBytes();
  server.on(
    'request',
    withoutPipelining((request, response) => {
      const head = headOfRequest('http', request);
      const found = options.shared?.find(head, options) ?? { side: options };
      const { access } = 'side' in found ? found.side : options;
      const client = clientOf(access.clientOf(head).group, response, held);
      // A connection of which nothing is read does not show that its client has gone.
      if (request.method === 'GET' || request.method === 'DELETE') request.resume();
      const giveUp = () => {
        options.onDropped('answers_not_taken');
        response.destroy();
      };
      const answered =
        'side' in found
          ? answerRequest(found.side, request, client)
          : Promise.resolve(answerWithoutProject(turnedAway(found)));
      answered
        .catch(
          (error: unknown): Answer => jsonAnswer(500, { error: `the request could not be answered: ${String(error)}` }),
        )
        .then((answer) => send({ response, request, client, giveUp }, answer))
        .catch(() => response.destroy());
    }),
  );
  limitConnections(server, { onDropped: () => options.onDropped('no_place') });
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

function answerWithoutProject({ status, message }: ReturnType<typeof turnedAway>): Answer {
  if (status === 503) return unavailableAnswer({ unavailable: message, retryAfterSeconds: RETRY_AFTER_SECONDS });
  const headers = status === 401 ? { 'www-authenticate': 'Bearer realm="assay"' } : {};
  return jsonAnswer(status, { error: message }, headers);
}

function clientOf(from: string, response: ServerResponse, all: HeldBytes): Client {
  const held = all.hold(from);
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
    held.release();
  });
  return { from, gone: gone.signal, held };
}

interface Sending {
  readonly response: ServerResponse;
  readonly request: IncomingMessage;
  readonly client: Client;
  /** Ends the waiting for a client that does not take its answer. */
  readonly giveUp: () => void;
}

function send({ response, request, client, giveUp }: Sending, answer: Answer): void {
  const { status, type, headers, stream, pieces, onGone } = answer;
  if (response.closed) {
    onGone?.();
    return;
  }
  if (stream !== undefined && request.method !== 'HEAD') {
    response.writeHead(status, { 'content-type': type, ...ALWAYS, ...headers });
    response.flushHeaders();
    request.resume();
    stream(response);
    return;
  }
  const timer = setTimeout(giveUp, TAKEN_WITHIN_MS);
  response.once('close', () => clearTimeout(timer));
  if (pieces !== undefined) {
    const isZipped = acceptedCodings(request).includes('gzip');
    const coding = { vary: 'accept-encoding', ...(isZipped ? { 'content-encoding': 'gzip' } : {}) };
    response.writeHead(status, { 'content-type': type, ...coding, ...ALWAYS, ...headers });
    request.resume();
    if (request.method === 'HEAD') response.end();
    else writePieces(response, pieces, { isZipped }).catch(() => response.destroy());
    return;
  }
  const bytes = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
  client.held.answered(bytes.length, giveUp);
  if (response.destroyed) return;
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
