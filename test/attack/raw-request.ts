/** One request of HTTP/1.1 as bytes on a connection of its own, and what becomes of it: nothing that a client library would refuse to send. */
import { connect, type Socket } from 'node:net';
import { END_STREAM, FRAME, framesIn } from '../receive/http2-frames.ts';

export interface RawRequest {
  readonly name: string;
  readonly bytes: Buffer;
  /** The connection stays open after the answer, which ends with the frame that ends its stream. */
  readonly isHttp2?: true;
  /** Nobody expects an answer: it is over once the other side closes, or says nothing more. */
  readonly isFlood?: true;
  /** Address of the client, for those that are slowed afterwards. */
  readonly from?: string;
}

export interface RawAnswer {
  /** 0 where none came. */
  readonly status: number;
  readonly bytesOut: number;
}

/** Longer than any limit of the service but that of live events. */
const ANSWER_MS_MAX = 45_000;
const QUIET_MS = 250;
const KEPT_BYTES = 64 * 1024;

interface HttpParts {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** The length that it announces, where that is not what comes. */
  readonly announced?: number;
}

export function httpRequest({ name, method, target, headers = {}, body = '', announced }: HttpParts): RawRequest {
  const bytes = Buffer.from(body);
  const length = announced ?? bytes.length;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...Object.entries(headers).map(([key, value]) => `${key}: ${value}`),
    ...(length > 0 || method !== 'GET' ? [`Content-Length: ${length}`] : []),
  ];
  return { name, bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]) };
}

/** Sends it and takes the whole answer. */
export function exchanged(port: number, request: RawRequest, msMax = ANSWER_MS_MAX): Promise<RawAnswer> {
  const { promise, resolve } = Promise.withResolvers<RawAnswer>();
  const socket = sent(port, request);
  let answer = Buffer.alloc(0);
  let bytesOut = 0;
  const close = () => socket.destroy();
  let timer = setTimeout(close, request.isFlood === true ? QUIET_MS : msMax);
  socket.on('data', (chunk: Buffer) => {
    bytesOut += chunk.length;
    if (answer.length < KEPT_BYTES) answer = Buffer.concat([answer, chunk]);
    if (request.isFlood === true) {
      clearTimeout(timer);
      timer = setTimeout(close, QUIET_MS);
    }
    if (request.isHttp2 === true && framesIn(answer).some(({ id, flags, type }) => id === 1 && endsStream(type, flags)))
      close();
  });
  socket.once('close', () => {
    clearTimeout(timer);
    resolve({ status: statusOf(request, answer), bytesOut });
  });
  return promise;
}

function endsStream(type: number, flags: number): boolean {
  return type === FRAME.reset || (type !== FRAME.data && (flags & END_STREAM) > 0);
}

/** With HTTP/2 an answer that ends well has no status in words. */
function statusOf({ isHttp2 }: RawRequest, answer: Buffer): number {
  if (isHttp2 === true) return framesIn(answer).some(({ type, id }) => id === 1 && type === FRAME.data) ? 200 : 0;
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer.toString('latin1', 0, 16))?.[1] ?? 0);
}

/** Sends it and reads nothing. */
export function unread(port: number, request: RawRequest): Socket {
  return sent(port, request).pause();
}

/** Sends it and takes a few bytes at a time. */
export function trickled(port: number, request: RawRequest): { end(): void } {
  const socket = unread(port, request);
  const timer = setInterval(() => socket.read(64), 100);
  return {
    end: () => {
      clearInterval(timer);
      socket.destroy();
    },
  };
}

/** Sends it and goes away once it is sent. */
export function abandoned(port: number, request: RawRequest, afterMs: number): Promise<void> {
  const socket = unread(port, request);
  return new Promise((resolve) => {
    setTimeout(() => {
      socket.destroy();
      resolve();
    }, afterMs);
  });
}

function sent(port: number, { bytes, from }: RawRequest): Socket {
  const socket = connect({ port, host: '127.0.0.1', ...(from === undefined ? {} : { localAddress: from }) });
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}
