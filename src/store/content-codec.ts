/**
 * The spans of a turn as the store keeps them: an OTLP message, compressed by zstd unless it is short. A turn repeats its
 * history in each model call, and a seventh of it is left of the spans of real frameworks (decision 12).
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** PostgreSQL has a row for each 2 KB, with its log and checkpoints. In a file, shorter messages gain little. */
const COMPRESS_FROM_BYTES = 2 << 10;
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 };
/** Room for what most turns leave. A buffer for all of what went in would be mostly empty, and allocated for each turn. */
const CHUNK_BYTES_MIN = 8 << 10;
/** No OTLP message begins with these bytes: its first field would have the number 5. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;

export function encodeContent(bytes: Uint8Array): Uint8Array {
  if (bytes.length < COMPRESS_FROM_BYTES) return bytes;
  // Told the size, zstd makes its tables no larger than that.
  const compressed = zstdCompressSync(bytes, {
    params: PARAMS,
    pledgedSrcSize: bytes.length,
    chunkSize: Math.max(CHUNK_BYTES_MIN, bytes.length >> 3),
  });
  return compressed.length < bytes.length ? compressed : bytes;
}

export function decodeContent(bytes: Uint8Array): Uint8Array {
  return ZSTD_MAGIC.every((byte, index) => bytes[index] === byte) ? zstdDecompressSync(bytes) : bytes;
}
