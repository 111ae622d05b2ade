/**
 * A server of unary gRPC calls, on node:http2. Not a gRPC library's: those decompress and collect a message before
 * anybody can count its bytes, so that a client decides how much memory a call takes (docs/decisions/0002).
 *
 *   a connection that sends no HTTP/2 preface in time       is closed
 *   one without a call for a while                          gets GOAWAY and is closed; clients reconnect when they need to
 *   more calls at once on a connection than are allowed     are refused by the protocol, and retried by clients
 *   more calls given up, or refused, than a client has at
 *   once; frames out of place, of a few bytes or no call    the connection is closed, and the address is slowed
 *
 * This bounds "rapid reset", and calls that nobody may make: a client pays nothing for them, while each costs the thread
 * that receives. A client may give up as many calls as it has completed, and all that it has at once beside these: one
 * whose timeouts expire together does that.
 */
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { PortSecurity } from '../../listen/certificates.ts';
import { SlowedAddresses } from '../../listen/slowed-addresses.ts';
import { refuseHttp } from './answer.ts';

/**
 *   done       it was taken, or could not be taken now
 *   refused    nothing like it will ever be taken
 *   flooding   it comes in parts of a few bytes, each of which costs as much as a large one
 */
export type CallEnd = 'done' | 'refused' | 'flooding';

type HandleCall = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => Promise<CallEnd>;

type GrpcPort = Http2Server | Http2SecureServer;

interface GrpcServerParts {
  readonly handle: HandleCall;
  readonly security: PortSecurity | undefined;
  /** A connection was closed, or refused, because its address floods. */
  readonly onFlood: () => void;
}

interface GrpcServer {
  readonly server: GrpcPort;
  /** Takes no new calls, lets those in hand finish for a while, then closes. */
  stop(): Promise<void>;
}

const KIB = 1024;
const CALLS_MAX = 100;
/** A client of gRPC sends ten, and those that its user has configured. Each becomes an object here. */
const HEADERS_MAX = 48;
/** Head of a call on the wire: compressed, it is far shorter. */
const HEAD_BYTES_MAX = 8 * KIB;
/** Pings, settings and the like of a connection, and how often they are looked at. */
const BYTES_OF_NO_CALL_MAX = 1024 * KIB;
const LOOK_MS = 200;
/** Error number of nghttp2 for bytes that are not HTTP/2, such as those of an exporter that speaks HTTP/1.1 to this port. */
const BAD_PREFACE = -903;
const PREFACE_MS_MAX = 10_000;
/** Until the first call. */
const UNUSED_MS_MAX = 60_000;
/** Between calls. An exporter sends every few seconds, while there is anything to send. */
const IDLE_MS_MAX = 300_000;
const STOP_TIMEOUT_MS = 5_000;
/** Incoming bytes are read at once, so these bound how much is on the wire, not what memory holds. */
const CALL_WINDOW_BYTES = 1024 * KIB;
const CONNECTION_WINDOW_BYTES = 4096 * KIB;

export function createGrpcServer({ handle, security, onFlood }: GrpcServerParts): GrpcServer {
  const server = createPort(security);
  const sessions = new Map<Http2Session, ConnectionUse>();
  const slowed = new SlowedAddresses();
  takeInTurn(server, slowed, onFlood);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const watching = setInterval(() => {
    for (const [session, use] of sessions) if (!session.destroyed) use.look(session.socket.bytesRead);
  }, LOOK_MS).unref();
  server.on('session', (session: ServerHttp2Session) => {
    const { remoteAddress } = session.socket;
    let isOver = false;
    const onFlooded = () => {
      if (isOver) return;
      isOver = true;
      slowed.slow(remoteAddress);
      onFlood();
      session.destroy();
    };
    sessions.set(session, new ConnectionUse(onFlooded));
    session.once('close', () => sessions.delete(session));
    session.on('error', (error: NodeJS.ErrnoException) => (isFlood(error) ? onFlooded() : session.destroy()));
    watch(session);
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    // 'close' reports the abort already; without a listener, this error would end the process.
    stream.on('error', () => undefined);
    const calls = stream.session === undefined ? undefined : sessions.get(stream.session);
    // The session has been closed, or the call was given up before it was handled.
    if (calls === undefined || stream.closed) {
      calls?.givenUp();
      stream.destroy();
      return;
    }
    calls.began(stream);
    let end: CallEnd = 'done';
    stream.once('close', () => {
      // A client that was refused while it still sent stops by itself.
      const isGivenUp = stream.aborted && !stream.headersSent;
      if (isGivenUp || end === 'refused') calls.givenUp();
      else calls.completed();
    });
    if (isGrpc(headers)) {
      handle(stream, headers)
        .then((how) => {
          end = how;
          if (how === 'flooding') calls.flooded();
        })
        .catch(() => stream.destroy());
    } else {
      end = 'refused';
      refuseHttp(stream, 415);
    }
  });
  return {
    server,
    stop: () => {
      clearInterval(watching);
      return stop(server, { sessions: sessions.keys(), sockets });
    },
  };
}

/** HTTP/2 itself counts frames out of place, and calls that are taken back before anybody has looked at them. */
function isFlood({ code = '', errno }: NodeJS.ErrnoException): boolean {
  return code.startsWith('ERR_HTTP2_') && errno !== BAD_PREFACE;
}

/**
 * Use of one connection: calls that were taken back by the client, or refused, and bytes that belong to no call. HTTP/2
 * decodes frames and heads before anybody sees them, and drops many without a word.
 */
class ConnectionUse {
  readonly #onTooMany: () => void;
  #left = CALLS_MAX;
  #bytesAllowed = BYTES_OF_NO_CALL_MAX;

  constructor(onTooMany: () => void) {
    this.#onTooMany = onTooMany;
  }

  began(stream: ServerHttp2Stream): void {
    this.#bytesAllowed += HEAD_BYTES_MAX;
    stream.on('data', (part: Buffer) => {
      // Frames have heads, however short they are.
      this.#bytesAllowed += 2 * part.length;
    });
  }

  /** `bytesRead`: all that came on the connection. */
  look(bytesRead: number): void {
    if (bytesRead > this.#bytesAllowed) this.#onTooMany();
  }

  completed(): void {
    this.#left = Math.min(this.#left + 1, CALLS_MAX);
  }

  givenUp(): void {
    this.#left -= 1;
    if (this.#left === -1) this.#onTooMany();
  }

  flooded(): void {
    this.#onTooMany();
  }
}

/** A connection of a slowed address waits before HTTP/2, or TLS, reads a byte of it. */
function takeInTurn(server: GrpcPort, slowed: SlowedAddresses, onRefused: () => void): void {
  // The type of a listener lacks its arguments.
  const taking = server.listeners('connection') as ((this: GrpcPort, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  // Nothing is read of one that waits. HTTP/2 would read what its socket holds in another tick, and throws where the
  // session has ended by then. `node:net` looks at this for each connection.
  Object.assign(server, { pauseOnConnect: true });
  server.on('secureConnection', (socket: Socket) => socket.resume());
  server.on('connection', (socket: Socket) => {
    const take = () => {
      if (socket.destroyed) return;
      for (const listener of taking) listener.call(server, socket);
      socket.resume();
    };
    const wait = slowed.waitOf(socket.remoteAddress);
    if (wait === 'refused') {
      socket.destroy();
      onRefused();
    } else if (wait.ms === 0) take();
    else {
      socket.on('error', () => undefined);
      setTimeout(take, wait.ms).unref();
    }
  });
}

function createPort(security: PortSecurity | undefined): GrpcPort {
  const settings = {
    maxConcurrentStreams: CALLS_MAX,
    initialWindowSize: CALL_WINDOW_BYTES,
    maxHeaderListSize: 16 * KIB,
    enablePush: false,
  };
  const options = { settings, maxHeaderListPairs: HEADERS_MAX };
  if (security === undefined) return createServer(options);
  const server = createSecureServer({ ...security.options, ...options, allowHTTP1: false });
  security.follow(server);
  return server;
}

function isGrpc({ ':method': method, 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return method === 'POST' && /^application\/grpc(?:[+;]|$)/i.test(type);
}

function watch(session: ServerHttp2Session): void {
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

function stop(
  server: GrpcPort,
  { sessions, sockets }: { readonly sessions: Iterable<Http2Session>; readonly sockets: ReadonlySet<Socket> },
): Promise<void> {
  const open = [...sessions];
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    // A session that was closed is gone, and its connection still waits for the client, which may be frozen.
    for (const socket of sockets) socket.destroy();
  }, STOP_TIMEOUT_MS);
  server.close(() => {
    clearTimeout(timer);
    resolve();
  });
  for (const session of open) session.close();
  return promise;
}
