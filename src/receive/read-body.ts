/**
 * Collects a request's body in one buffer: of the announced length where that is believable, else growing with what
 * arrives. Never holds more than twice of what the client has really sent, beyond the first megabytes.
 */
import type { IncomingMessage } from 'node:http';
import type { Reservation } from './in-flight-bytes.ts';

type BodyReading =
  | { readonly read: 'whole'; readonly bytes: Buffer }
  | { readonly read: 'too-large' }
  | { readonly read: 'overloaded' }
  /** The client went away, or the server's timeout ended it. */
  | { readonly read: 'aborted' };

const BELIEVED_LENGTH_MAX = 4 * 1024 * 1024;
const UNANNOUNCED_BYTES = 16 * 1024;

export function readBody(
  request: IncomingMessage,
  options: { readonly maxBytes: number; readonly reservation: Reservation },
): Promise<BodyReading> {
  const { maxBytes, reservation } = options;
  const announced = announcedLength(request);
  if (announced !== undefined && announced > maxBytes) return Promise.resolve({ read: 'too-large' });
  const { promise, resolve } = Promise.withResolvers<BodyReading>();
  let buffer = Buffer.allocUnsafeSlow(Math.min(announced ?? UNANNOUNCED_BYTES, BELIEVED_LENGTH_MAX));
  let length = 0;

  const finish = (reading: BodyReading) => {
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    resolve(reading);
  };
  const onData = (chunk: Buffer) => {
    if (length + chunk.length > maxBytes) return finish({ read: 'too-large' });
    if (!reservation.tryGrow(chunk.length)) return finish({ read: 'overloaded' });
    if (length + chunk.length > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(roomFor(length + chunk.length, { announced, maxBytes }));
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    buffer.set(chunk, length);
    length += chunk.length;
  };
  const onEnd = () => finish({ read: 'whole', bytes: buffer.subarray(0, length) });
  const onClose = () => finish({ read: 'aborted' });
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  // The reason of an abort says nothing that 'close' does not; without a listener it would end the process.
  request.on('error', () => undefined);
  return promise;
}

type Discarded =
  | { readonly read: 'whole'; readonly bytes: number }
  | { readonly read: 'too-large' }
  | { readonly read: 'aborted' };

/** Counts a body and keeps nothing of it. */
export async function discardBody(
  request: IncomingMessage,
  options: { readonly maxBytes: number },
): Promise<Discarded> {
  if ((announcedLength(request) ?? 0) > options.maxBytes) return { read: 'too-large' };
  const { promise, resolve } = Promise.withResolvers<'whole' | 'too-large' | 'aborted'>();
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > options.maxBytes) resolve('too-large');
  };
  request
    .on('data', onData)
    .on('end', () => resolve('whole'))
    .on('close', () => resolve('aborted'))
    .on('error', () => undefined);
  const read = await promise;
  request.off('data', onData);
  return read === 'whole' ? { read, bytes } : { read };
}

function announcedLength(request: IncomingMessage): number | undefined {
  const text = request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

function roomFor(
  needed: number,
  limits: { readonly announced: number | undefined; readonly maxBytes: number },
): number {
  return Math.min(Math.max(needed, needed * 2), limits.announced ?? limits.maxBytes);
}
