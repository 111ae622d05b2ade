/**
 * A server of unary gRPC calls, on node:http2. Not a gRPC library's: those decompress and collect a message before
 * anybody can count its bytes, so that a client decides how much memory a call takes (docs/decisions/0029).
 *
 *   a connection that sends no HTTP/2 preface in time       is closed
 *   one without a call for a while                          gets GOAWAY and is closed; clients reconnect when they need to
 *   more calls at once on a connection than are allowed     are refused by the protocol, and retried by clients
 */
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { PortSecurity } from '../../listen/certificates.ts';
import { refuseHttp } from './answer.ts';

type HandleCall = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => Promise<void>;

type GrpcPort = Http2Server | Http2SecureServer;

interface GrpcServer {
  readonly server: GrpcPort;
  /** Takes no new calls, lets those in hand finish for a while, then closes. */
  stop(): Promise<void>;
}

const KIB = 1024;
const CALLS_MAX = 100;
const PREFACE_MS_MAX = 10_000;
/** Until the first call. */
const UNUSED_MS_MAX = 60_000;
/** Between calls. An exporter sends every few seconds, while there is anything to send. */
const IDLE_MS_MAX = 300_000;
const STOP_TIMEOUT_MS = 5_000;
/** Incoming bytes are read at once, so these bound how much is on the wire, not what memory holds. */
const CALL_WINDOW_BYTES = 1024 * KIB;
const CONNECTION_WINDOW_BYTES = 4096 * KIB;

export function createGrpcServer(handle: HandleCall, security: PortSecurity | undefined): GrpcServer {
  const server = createPort(security);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    watch(session);
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    // The reason of an abort says nothing that 'close' does not; without a listener it would end the process.
    stream.on('error', () => undefined);
    if (isGrpc(headers)) handle(stream, headers).catch(() => stream.destroy());
    else refuseHttp(stream, 415);
  });
  return { server, stop: () => stop(server, sessions) };
}

function createPort(security: PortSecurity | undefined): GrpcPort {
  const settings = {
    maxConcurrentStreams: CALLS_MAX,
    initialWindowSize: CALL_WINDOW_BYTES,
    maxHeaderListSize: 16 * KIB,
    enablePush: false,
  };
  if (security === undefined) return createServer({ settings });
  const server = createSecureServer({ ...security.options, settings, allowHTTP1: false });
  security.follow(server);
  return server;
}

function isGrpc({ ':method': method, 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return method === 'POST' && /^application\/grpc(?:[+;]|$)/i.test(type);
}

function watch(session: ServerHttp2Session): void {
  session.on('error', () => session.destroy());
  const preface = setTimeout(() => session.destroy(), PREFACE_MS_MAX);
  session.once('remoteSettings', () => {
    clearTimeout(preface);
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
  });
  session.once('close', () => clearTimeout(preface));
  session.setTimeout(UNUSED_MS_MAX, () => {
    // GOAWAY; calls in hand finish, and each ends in time.
    session.close();
  });
  session.once('stream', () => session.setTimeout(IDLE_MS_MAX));
}

function stop(server: GrpcPort, sessions: ReadonlySet<ServerHttp2Session>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, STOP_TIMEOUT_MS);
  server.close(() => {
    clearTimeout(timer);
    resolve();
  });
  for (const session of sessions) session.close();
  return promise;
}
