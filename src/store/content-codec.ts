/**
 * The spans of a turn as the store keeps them: an OTLP message, plain where it is small. Long turns repeat their history
 * in each model call, and zstd leaves a tenth of it; for short ones its cost would be a good part of the cost of storing.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Where a byte costs a copy into a file of ours. */
const COMPRESS_FROM_BYTES = 64 << 10;
/**
 * Compression saves PostgreSQL a row for each 2 KB, with its log and checkpoints. For turns of 29 KB, the server's CPU
 * fell from 219 to 85 µs a turn and the space to a fifth, for 25 µs more here.
 */
export const COMPRESS_FROM_BYTES_SHARED = 2 << 10;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** No OTLP message begins with these bytes: its first field would have the number 5. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;

export function encodeContent(bytes: Uint8Array, compressFrom: number = COMPRESS_FROM_BYTES): Uint8Array {
  return bytes.length < compressFrom ? bytes : zstdCompressSync(bytes, OPTIONS);
}

export function decodeContent(bytes: Uint8Array): Uint8Array {
  return ZSTD_MAGIC.every((byte, index) => bytes[index] === byte) ? zstdDecompressSync(bytes) : bytes;
}
