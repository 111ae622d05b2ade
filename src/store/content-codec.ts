/**
 * The spans of a turn as the store keeps them: an OTLP message, plain where it is small. Long turns repeat their history
 * in each model call, and zstd leaves a tenth of it; for short ones its cost would be a good part of the cost of storing.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const COMPRESS_FROM_BYTES = 64 << 10;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** No OTLP message begins with these bytes: its first field would have the number 5. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;

export function encodeContent(bytes: Uint8Array): Uint8Array {
  return bytes.length < COMPRESS_FROM_BYTES ? bytes : zstdCompressSync(bytes, OPTIONS);
}

export function decodeContent(bytes: Uint8Array): Uint8Array {
  return ZSTD_MAGIC.every((byte, index) => bytes[index] === byte) ? zstdDecompressSync(bytes) : bytes;
}
