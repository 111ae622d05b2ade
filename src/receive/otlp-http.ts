/**
 * OTLP over HTTP, by the letter of the specification (https://opentelemetry.io/docs/specs/otlp/#otlphttp):
 *
 *   POST /v1/traces, /v1/logs   Content-Type application/x-protobuf or application/json
 *   POST /v1/metrics            accepted and thrown away, so that an SDK with one endpoint logs no errors
 *
 *   200  taken, durably; with partial_success where some spans were rejected
 *   401  no token that lets it send                     403  one of another role, or a caller that none excuses
 *   400  malformed              404  another path       405  another method
 *   413  over the limit, of bytes or of records         415  another type or encoding
 *   503  not now: send again after Retry-After          (429 is not retried by widely deployed exporters)
 *
 * The answer has the type of the request; an error is a google.rpc.Status. On bare node:http, because a framework's
 * body parsing costs more than everything else here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { limitConnections } from '../listen/connection-limit.ts';
import type { PortSecurity } from '../listen/certificates.ts';
import { listen, type ListenAddress } from '../listen/listen.ts';
import { withoutPipelining } from '../listen/pipelining.ts';
import { headOfRequest } from '../listen/request-head.ts';
import { type SharedPort, turnedAway } from '../listen/shared-port.ts';
import type { AccessGuard, RefusedAccess } from '../model/access.ts';
import { createWebServer, type WebServer } from '../listen/web-server.ts';
import { CONTENT_ENCODINGS, type ContentEncoding, type RefuseReason } from '../model/events/receive-events.ts';
import { unreachable } from '../model/unreachable.ts';
import { Draining } from './draining.ts';
import type { Reservation } from './in-flight-bytes.ts';
import { type Reception, OVERLOADED, TOO_MANY_RECORDS } from './reception.ts';
import { discardBody, readBody } from './read-body.ts';
import { senderOf } from '../model/sender.ts';
import { RETRY_AFTER_SECONDS } from '../model/retry-after.ts';
import { accessStatus, encodeResponse, encodeStatus, type Format, RPC_CODES, type Status } from './status.ts';

/** Where requests go, and who may send them. */
export interface ReceivingSide {
  readonly reception: Reception;
  readonly access: AccessGuard;
}

export interface ReceiverOptions<Side extends ReceivingSide> extends ListenAddress, ReceivingSide {
  /** Undefined for plain text. */
  readonly security?: PortSecurity | undefined;
  /** Other projects behind the port; undefined where there are none. */
  readonly shared?: SharedPort<Side> | undefined;
}

export interface Receiver {
  readonly port: number;
  /** Takes no new requests, lets those in hand finish for a while, then closes. May be called twice. */
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

export async function startOtlpHttp(options: ReceiverOptions<HttpReceiver>): Promise<Receiver> {
  const { reception, security, shared, ...address } = options;
  const receiver = new HttpReceiver(options);
  const server = createWebServer({ requestMsMax: REQUEST_TIMEOUT_MS, idleMsMax: REQUEST_TIMEOUT_MS }, security);
  limitConnections(server, {
    onDropped: () => reception.onEvent({ type: 'connection-dropped', port: 'otlp_http', because: 'no_place' }),
  });
  server.on(
    'request',
    withoutPipelining((request, response) => {
      const found = shared?.find(headOfRequest('otlp_http', request), receiver) ?? { side: receiver };
      if (!('side' in found)) {
        receiver.refuse(request, response, withoutProject(turnedAway(found)));
        return;
      }
      // `handle` answers its own failures; were it to fail at that, the connection is all that is lost.
      found.side.handle(request, response).catch(() => request.destroy());
    }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => receiver.clientFailed(error, socket));
  const port = await listen(server, 'OTLP/HTTP', address);
  let stopping: Promise<void> | undefined;
  return {
    port,
    stop: () => {
      receiver.stopping = true;
      stopping ??= stop(server);
      return stopping;
    },
  };
}

function stop(server: WebServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
  server.close(() => {
    clearTimeout(timer);
    resolve();
  });
  server.closeIdleConnections();
  return promise;
}

const PATHS: ReadonlyMap<string, 'traces' | 'logs' | 'metrics'> = new Map([
  ['/v1/traces', 'traces'],
  ['/v1/logs', 'logs'],
  ['/v1/metrics', 'metrics'],
]);

/** Head of a request, known before its body has been read. */
interface Head {
  readonly signal: 'traces' | 'logs' | 'metrics';
  readonly format: Format;
  readonly encoding: ContentEncoding;
  readonly sender: number;
}

/** An error that is to be answered. */
interface Refusal {
  readonly reason: RefuseReason;
  readonly httpCode: number;
  readonly status: Status;
  readonly headers?: { readonly [name: string]: string };
}

export class HttpReceiver implements ReceivingSide {
  readonly access: AccessGuard;
  readonly reception: Reception;
  readonly #draining: Draining;
  /** Connections whose end has been counted. */
  readonly #failed = new WeakSet<Duplex>();
  /** Answers close their connections from now on. */
  stopping = false;

  constructor({ reception, access }: ReceivingSide) {
    this.reception = reception;
    this.#draining = new Draining(reception.maxBodyBytes);
    this.access = access;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reservation = this.reception.reserve();
    try {
      const head = readHead(request, this.access);
      if ('refusal' in head) this.refuse(request, response, head.refusal);
      else if (head.signal === 'metrics') await this.#discardMetrics(request, response, head);
      else await this.#receive(request, response, { ...head, signal: head.signal }, reservation);
    } catch (error) {
      // Our mistake, not the client's; the batch may be lost to it, but nobody else is.
      const message = `Assay failed at this request: ${error instanceof Error ? error.message : String(error)}`;
      const status = { code: RPC_CODES.internal, message };
      this.refuse(request, response, { reason: 'internal', httpCode: 500, status });
    } finally {
      reservation.release();
    }
  }

  /** The data were not HTTP, or did not come in time. */
  clientFailed(error: NodeJS.ErrnoException, socket: Duplex): void {
    const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // A connection that ends within a request is counted there; between requests nothing was refused.
    if (error.code !== 'ECONNRESET' && error.code !== 'HPE_INVALID_EOF_STATE') {
      this.#failed.add(socket);
      this.#refused(isTimeout ? 'timeout' : 'malformed', isTimeout ? 408 : 400);
    }
    const status = isTimeout ? '408 Request Timeout' : '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    else socket.destroy();
  }

  #refused(reason: RefuseReason, code: number): void {
    this.reception.onEvent({ type: 'request-refused', transport: 'http', reason, code });
  }

  #aborted(request: IncomingMessage): void {
    if (!this.#failed.has(request.socket)) this.#refused('aborted', 0);
  }

  async #receive(
    request: IncomingMessage,
    response: ServerResponse,
    head: Head & { readonly signal: 'traces' | 'logs' },
    reservation: Reservation,
  ): Promise<void> {
    const { maxBodyBytes: maxBytes } = this.reception;
    const body = await readBody(request, { maxBytes, announced: announcedLength(request), reservation });
    if (body.read === 'shredded') return this.#shredded(request);
    if (body.read === 'aborted') return this.#aborted(request);
    if (body.read === 'overloaded') return this.refuse(request, response, overloaded());
    if (body.read === 'too-large') return this.refuse(request, response, tooLarge(maxBytes));
    const isGone = () => response.destroyed;
    const answer = await this.reception.take({ transport: 'http', ...head, bytes: body.bytes, reservation, isGone });
    switch (answer.answer) {
      case 'accepted':
        return this.#respond(
          response,
          { code: 200, format: head.format },
          encodeResponse(head.signal, answer.rejection, head.format),
        );
      case 'malformed':
        return this.refuse(request, response, malformed(answer.message));
      case 'too-large':
        return this.refuse(request, response, tooLarge(maxBytes));
      case 'too-many':
        return this.refuse(request, response, exhausted(TOO_MANY_RECORDS));
      case 'overloaded':
        return this.refuse(request, response, overloaded());
      case 'gone':
        return this.#aborted(request);
      case 'not-admitted':
        return this.refuse(request, response, unavailable('not-admitted', answer.message, answer.retryAfterSeconds));
      default:
        return unreachable(answer);
    }
  }

  async #discardMetrics(request: IncomingMessage, response: ServerResponse, head: Head): Promise<void> {
    const { maxBodyBytes: maxBytes } = this.reception;
    const body = await discardBody(request, { maxBytes, announced: announcedLength(request) });
    if (body.read === 'shredded') return this.#shredded(request);
    if (body.read === 'aborted') return this.#aborted(request);
    if (body.read === 'too-large') return this.refuse(request, response, tooLarge(maxBytes));
    this.reception.onEvent({ type: 'metrics-discarded', transport: 'http', bytes: body.bytes });
    this.#respond(response, { code: 200, format: head.format }, encodeResponse('metrics', undefined, head.format));
  }

  /** Each of its parts costs as much as a large one, so nothing more of it is read. */
  #shredded(request: IncomingMessage): void {
    this.#refused('malformed', 0);
    request.socket.destroy();
  }

  #respond(response: ServerResponse, { code, format, headers }: AnswerHead, body: Buffer): void {
    response.writeHead(code, {
      'Content-Type': format === 'json' ? 'application/json' : 'application/x-protobuf',
      'Content-Length': body.length,
      ...(this.stopping ? { Connection: 'close' } : {}),
      ...headers,
    });
    response.end(body);
  }

  refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const { reason, httpCode, status, headers } = refusal;
    this.#refused(reason, httpCode);
    if (response.headersSent || response.destroyed) {
      request.destroy();
      return;
    }
    const format = isJson(request) ? 'json' : 'protobuf';
    this.#draining.drain(request);
    this.#respond(
      response,
      { code: httpCode, format, ...(headers === undefined ? {} : { headers }) },
      encodeStatus(status, format),
    );
  }
}

/** Head of an answer. */
interface AnswerHead {
  readonly code: number;
  readonly format: Format;
  readonly headers?: { readonly [name: string]: string };
}

function readHead(request: IncomingMessage, access: AccessGuard): Head | { readonly refusal: Refusal } {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const signal = PATHS.get(path.endsWith('/') ? path.slice(0, -1) : path);
  if (signal === undefined) {
    const message = `nothing is received at ${path}: POST to /v1/traces, /v1/logs or /v1/metrics (an exporter that is given a base URL adds these itself)`;
    return { refusal: { reason: 'unknown-path', httpCode: 404, status: { code: RPC_CODES.notFound, message } } };
  }
  if (request.method !== 'POST') {
    const status = { code: RPC_CODES.unimplemented, message: `${request.method} ${path}: expected POST` };
    return { refusal: { reason: 'wrong-method', httpCode: 405, status, headers: { Allow: 'POST' } } };
  }
  const sent = headOfRequest('otlp_http', request);
  const decided = access.decide(sent, { takes: 'ingest', route: `/v1/${signal}` });
  if (!decided.allowed) return { refusal: notAllowed(decided) };
  const type = mediaType(request);
  if (type !== 'application/x-protobuf' && type !== 'application/json') {
    const message = `Content-Type ${type === '' ? 'is missing' : `"${type}"`}: expected application/x-protobuf or application/json`;
    return { refusal: unsupported('unsupported-type', message) };
  }
  const encoding = contentEncoding(request);
  if (encoding === undefined) {
    const message = `Content-Encoding "${request.headers['content-encoding']}": expected one of ${CONTENT_ENCODINGS.join(', ')}`;
    return { refusal: unsupported('unsupported-encoding', message) };
  }
  const sender = senderOf(decided.caller, access.clientOf(sent));
  return { signal, format: type === 'application/json' ? 'json' : 'protobuf', encoding, sender };
}

function announcedLength(request: IncomingMessage): number | undefined {
  const text = request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isJson(request: IncomingMessage): boolean {
  return mediaType(request) === 'application/json';
}

function contentEncoding(request: IncomingMessage): ContentEncoding | undefined {
  const text = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (text === '') return 'identity';
  if (text === 'x-gzip') return 'gzip';
  return CONTENT_ENCODINGS.find((encoding) => encoding === text);
}

function notAllowed(refused: RefusedAccess): Refusal {
  const { status: httpCode, retryAfterSeconds } = refused;
  const headers = {
    ...(httpCode === 401 ? { 'WWW-Authenticate': 'Bearer realm="assay"' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
  };
  return { reason: 'access', httpCode, status: accessStatus(refused), headers };
}

function withoutProject({ status, message }: ReturnType<typeof turnedAway>): Refusal {
  if (status === 503) return unavailable('not-admitted', message, RETRY_AFTER_SECONDS);
  if (status === 404)
    return { reason: 'unknown-path', httpCode: status, status: { code: RPC_CODES.notFound, message } };
  return notAllowed({ allowed: false, status, reason: 'unknown_token', message });
}

function malformed(message: string): Refusal {
  return { reason: 'malformed', httpCode: 400, status: { code: RPC_CODES.invalidArgument, message } };
}

function tooLarge(maxBytes: number): Refusal {
  return exhausted(`the request has more than ${maxBytes} bytes after decompression: send smaller batches`);
}

function exhausted(message: string): Refusal {
  return { reason: 'too-large', httpCode: 413, status: { code: RPC_CODES.resourceExhausted, message } };
}

function unsupported(reason: 'unsupported-type' | 'unsupported-encoding', message: string): Refusal {
  return { reason, httpCode: 415, status: { code: RPC_CODES.invalidArgument, message } };
}

function overloaded(): Refusal {
  return unavailable('overloaded', OVERLOADED.message, OVERLOADED.retryAfterSeconds);
}

function unavailable(reason: 'overloaded' | 'not-admitted', message: string, retryAfterSeconds: number): Refusal {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return { reason, httpCode: 503, status: { code: RPC_CODES.unavailable, message, retryAfterSeconds }, headers };
}
