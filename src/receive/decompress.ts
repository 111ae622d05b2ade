/**
 * Undoes a Content-Encoding within a limit that is counted as the bytes come out, so that a bomb is found when it has
 * made as much as is allowed and no more. Whole streams only: one that is cut short is an error, and so is anything
 * that follows it, since either means that the client and we do not agree on what was sent. (gzip is the exception that
 * its format makes: several members are one stream, and zeros may follow as padding.)
 *
 * Small results are made at once, which costs a fifth of the way through the thread pool; anything larger goes there.
 */
import {
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import type { ContentEncoding } from '../model/events/receive-events.ts';
import { unreachable } from '../model/unreachable.ts';

type Decompressed =
  | { readonly result: 'whole'; readonly bytes: Buffer }
  | { readonly result: 'too-large' }
  | { readonly result: 'malformed'; readonly message: string };

type Codec = 'gzip' | 'zlib' | 'raw' | 'zstd';

const AT_ONCE_COMPRESSED_MAX = 64 * 1024;
const AT_ONCE_OUTPUT_MAX = 256 * 1024;
const CHUNK_MIN = 16 * 1024;

type Compression = Exclude<ContentEncoding, 'identity'>;

/** Undefined where the result may be too large to be made at once. */
export function decompressAtOnce(encoding: Compression, bytes: Buffer, maxBytes: number): Decompressed | undefined {
  if (bytes.length > AT_ONCE_COMPRESSED_MAX) return undefined;
  const decompressed = decompressNow(codecOf(encoding, bytes), bytes, Math.min(AT_ONCE_OUTPUT_MAX, maxBytes));
  return decompressed.result === 'too-large' && maxBytes > AT_ONCE_OUTPUT_MAX ? undefined : decompressed;
}

/** Runs in the thread pool. */
export function decompressAside(encoding: Compression, bytes: Buffer, maxBytes: number): Promise<Decompressed> {
  return decompressLater(codecOf(encoding, bytes), bytes, maxBytes);
}

/**
 * Bytes to expect of it. gzip ends with the length of what it holds; that is the sender's word, and believed only as far
 * as text usually shrinks.
 */
export function expectedSize(encoding: Compression, bytes: Buffer, maxBytes: number): number {
  const told = encoding === 'gzip' && bytes.length >= 4 ? bytes.readUInt32LE(bytes.length - 4) + 64 : bytes.length * 8;
  return Math.max(CHUNK_MIN, Math.min(told, bytes.length * 32, maxBytes));
}

/** HTTP's deflate is a zlib stream by the letter, and a bare one by the habit of some clients: the head tells. */
function codecOf(encoding: Compression, bytes: Buffer): Codec {
  if (encoding !== 'deflate') return encoding;
  const head = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  return ((bytes[0] ?? 0) & 0x0f) === 8 && head % 31 === 0 ? 'zlib' : 'raw';
}

interface Options {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
  /** Makes the result say how much of the input it took. */
  readonly info: true;
}

function decompressNow(codec: Codec, bytes: Buffer, maxOutputLength: number): Decompressed {
  const options: Options = { maxOutputLength, chunkSize: CHUNK_MIN, info: true };
  try {
    switch (codec) {
      case 'gzip':
        return whole(codec, bytes, gunzipSync(bytes, options));
      case 'zlib':
        return whole(codec, bytes, inflateSync(bytes, options));
      case 'raw':
        return whole(codec, bytes, inflateRawSync(bytes, options));
      case 'zstd':
        return whole(codec, bytes, zstdDecompressSync(bytes, options));
      default:
        return unreachable(codec);
    }
  } catch (error) {
    return failed(codec, error);
  }
}

function decompressLater(codec: Codec, bytes: Buffer, maxOutputLength: number): Promise<Decompressed> {
  const options: Options = { maxOutputLength, chunkSize: sizeOfChunk(codec, bytes, maxOutputLength), info: true };
  const { promise, resolve } = Promise.withResolvers<Decompressed>();
  const done = (error: Error | null, result: unknown) =>
    resolve(error === null ? whole(codec, bytes, result) : failed(codec, error));
  switch (codec) {
    case 'gzip':
      gunzip(bytes, options, done);
      break;
    case 'zlib':
      inflate(bytes, options, done);
      break;
    case 'raw':
      inflateRaw(bytes, options, done);
      break;
    case 'zstd':
      zstdDecompress(bytes, options, done);
      break;
    default:
      unreachable(codec);
  }
  return promise;
}

/** A chunk that holds the whole output saves a copy. */
function sizeOfChunk(codec: Codec, bytes: Buffer, maxOutputLength: number): number {
  return expectedSize(codec === 'gzip' ? 'gzip' : 'deflate', bytes, maxOutputLength);
}

/** Result of node:zlib with `info`, which its types do not know. */
function whole(codec: Codec, input: Buffer, result: unknown): Decompressed {
  if (typeof result !== 'object' || result === null || !('buffer' in result) || !('engine' in result)) {
    throw new Error('node:zlib gave no information on the stream it read');
  }
  const { buffer, engine } = result;
  if (!Buffer.isBuffer(buffer) || typeof engine !== 'object' || engine === null || !('bytesWritten' in engine)) {
    throw new Error('node:zlib gave no information on the stream it read');
  }
  const rest = input.subarray(Number(engine.bytesWritten));
  if (rest.length > 0 && !(codec === 'gzip' && rest.every((byte) => byte === 0))) {
    return { result: 'malformed', message: `${rest.length} bytes follow the end of the ${codec} stream` };
  }
  return { result: 'whole', bytes: buffer };
}

function failed(codec: Codec, error: unknown): Decompressed {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
    return { result: 'too-large' };
  }
  return { result: 'malformed', message: `not a ${codec} stream: ${error instanceof Error ? error.message : error}` };
}
