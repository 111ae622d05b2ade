/**
 * Collects a request's body: in one buffer of the announced length where that is believable, else in parts that are
 * joined at the end. A buffer that grows by copying would leave as much garbage as it holds, for each of many large
 * requests at once. Beyond the first megabytes, no more is held than the client has really sent.
 */
import type { Readable } from 'node:stream';
import type { Reservation } from './in-flight-bytes.ts';

type BodyReading =
  | { readonly read: 'whole'; readonly bytes: Buffer }
  | { readonly read: 'too-large' }
  | { readonly read: 'overloaded' }
  /** The body comes in parts of a few bytes, each of which costs as much as a large one. */
  | { readonly read: 'shredded' }
  /** The client went away, or a timeout ended it. */
  | { readonly read: 'aborted' };

/** Parts after which they are looked at, and the bytes that they must have on average. */
const PARTS_MIN = 1_000;
const PART_BYTES_MIN = 64;

const PART_BYTES_MAX = 4 * 1024 * 1024;
const UNANNOUNCED_BYTES = 16 * 1024;

/** A request that is a stream: of HTTP/1.1 or of HTTP/2. */
interface Wanted {
  readonly maxBytes: number;
  /** The length that its head announces. */
  readonly announced: number | undefined;
  /** The length that the beginning of the body announces, once that is there. */
  readonly announcedBy?: (beginning: Buffer) => number | undefined;
}

export function readBody(
  request: Readable,
  { maxBytes, announced: byHead, announcedBy, reservation }: Wanted & { readonly reservation: Reservation },
): Promise<BodyReading> {
  let announced = byHead;
  if (announced !== undefined && announced > maxBytes) return Promise.resolve({ read: 'too-large' });
  const { promise, resolve } = Promise.withResolvers<BodyReading>();
  const parts: Buffer[] = [];
  let part = Buffer.allocUnsafeSlow(Math.min(announced ?? UNANNOUNCED_BYTES, PART_BYTES_MAX));
  let filled = 0;
  let length = 0;

  const finish = (reading: BodyReading) => {
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    reservation.arrived();
    resolve(reading);
  };
  let count = 0;
  const onData = (chunk: Buffer) => {
    count += 1;
    if (isShredded(count, length)) return finish({ read: 'shredded' });
    if (length + chunk.length > maxBytes) return finish({ read: 'too-large' });
    if (!reservation.tryGrow(chunk.length)) return finish({ read: 'overloaded' });
    length += chunk.length;
    const fitting = Math.min(chunk.length, part.length - filled);
    part.set(chunk.subarray(0, fitting), filled);
    filled += fitting;
    announced ??= announcedBy?.(part.subarray(0, filled));
    if (announced !== undefined && announced > maxBytes) return finish({ read: 'too-large' });
    if (fitting === chunk.length) return;
    parts.push(part);
    const rest = chunk.subarray(fitting);
    part = Buffer.allocUnsafeSlow(Math.max(rest.length, sizeOfNext(length - rest.length, announced)));
    part.set(rest);
    filled = rest.length;
  };
  const onEnd = () => {
    const last = part.subarray(0, filled);
    finish({ read: 'whole', bytes: parts.length === 0 ? last : Buffer.concat([...parts, last], length) });
  };
  const onClose = () => finish({ read: 'aborted' });
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  // 'close' reports the abort already; without a listener, this error would end the process.
  request.on('error', () => undefined);
  reservation.arriving(() => finish({ read: 'overloaded' }));
  return promise;
}

type Discarded =
  | { readonly read: 'whole'; readonly bytes: number }
  | { readonly read: 'too-large' }
  | { readonly read: 'shredded' }
  | { readonly read: 'aborted' };

/** Counts a body and keeps nothing of it. */
export async function discardBody(request: Readable, { maxBytes, announced = 0 }: Wanted): Promise<Discarded> {
  if (announced > maxBytes) return { read: 'too-large' };
  const { promise, resolve } = Promise.withResolvers<'whole' | 'too-large' | 'shredded' | 'aborted'>();
  let bytes = 0;
  let count = 0;
  const onData = (chunk: Buffer) => {
    count += 1;
    if (isShredded(count, bytes)) resolve('shredded');
    bytes += chunk.length;
    if (bytes > maxBytes) resolve('too-large');
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

function isShredded(parts: number, bytes: number): boolean {
  return parts > PARTS_MIN && bytes < parts * PART_BYTES_MIN;
}

/** Size of the next part: as much as there is before it, up to the announced length. */
function sizeOfNext(before: number, announced: number | undefined): number {
  return Math.min(before, PART_BYTES_MAX, announced === undefined ? before : announced - before);
}
