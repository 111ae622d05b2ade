/**
 * Answers of a unary call: a message and the status OK in trailers, or a status alone in the head. A client that gets a
 * status while it is still sending stops by itself; one that does not is stopped after a while. Stopped at once, it
 * might never see the status.
 */
import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { CONTENT_ENCODINGS } from '../../model/events/receive-events.ts';
import { encodeStatus, type Status } from '../status.ts';
import { MESSAGE_HEAD_BYTES } from './message.ts';

const HEAD: OutgoingHttpHeaders = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': CONTENT_ENCODINGS.join(','),
};
const OK: OutgoingHttpHeaders = { 'grpc-status': '0', 'grpc-message': 'OK' };
/** Headers of a frame have room for so much. */
const MESSAGE_LENGTH_MAX = 1000;
const STILL_SENDING_MS_MAX = 2_000;

export function answerGrpc(stream: ServerHttp2Stream, message: Buffer): void {
  if (isOver(stream)) return;
  const framed = Buffer.alloc(MESSAGE_HEAD_BYTES + message.length);
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, MESSAGE_HEAD_BYTES);
  stream.respond(HEAD, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(OK));
  stream.end(framed);
}

export function refuseGrpc(stream: ServerHttp2Stream, status: Status): void {
  if (isOver(stream)) return;
  const message = status.message.slice(0, MESSAGE_LENGTH_MAX);
  stream.respond(
    {
      ...HEAD,
      'grpc-status': String(status.code),
      'grpc-message': percentEncoded(message),
      'grpc-status-details-bin': encodeStatus({ ...status, message }, 'protobuf').toString('base64'),
    },
    { endStream: true },
  );
  endIfStillSending(stream);
}

/** Refuses a request that is no gRPC call. */
export function refuseHttp(stream: ServerHttp2Stream, code: number): void {
  stream.respond({ ':status': code }, { endStream: true });
  endIfStillSending(stream);
}

function endIfStillSending(stream: ServerHttp2Stream): void {
  if (stream.readableEnded) return;
  stream.resume();
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), STILL_SENDING_MS_MAX);
  stream.once('close', () => clearTimeout(timer));
}

function isOver(stream: ServerHttp2Stream): boolean {
  return stream.destroyed || stream.closed || stream.headersSent;
}

/** Half a surrogate pair does not survive percent encoding. */
function percentEncoded(text: string): string {
  return text.toWellFormed().replaceAll(/[^ -$&-~]+/g, (part) => encodeURIComponent(part));
}
