/**
 * The four compressions of Kafka's record batches. Node has gzip and zstd; snappy and lz4 are native packages with
 * binaries for the usual platforms. The uncompressed size of a batch is limited before any memory is allocated for it.
 */
import { promisify } from 'node:util';
import { gunzip, zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';
import { compressFrame, decompressFrame } from 'lz4-napi';
import { uncompress } from 'snappy';

const gunzipAsync = promisify(gunzip);
const zstdAsync = promisify(zstdDecompress);
const zstdCompressAsync = promisify(zstdCompress);
const { CompressionCodecs, CompressionTypes } = kafkajs;

type Codec = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
const CODECS: readonly Codec[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

/** The codec by its number in a batch's attributes. */
export function codecOf(attributes: number): Codec | undefined {
  return CODECS[attributes & 0x07];
}

export async function decompress(codec: Codec, bytes: Buffer, bytesMax: number): Promise<Buffer> {
  switch (codec) {
    case 'none':
      return bytes;
    case 'gzip':
      return gunzipAsync(bytes, { maxOutputLength: bytesMax });
    case 'zstd':
      return zstdAsync(bytes, { maxOutputLength: bytesMax });
    case 'snappy':
      return decompressSnappy(bytes, bytesMax);
    case 'lz4':
      refuseLarge(lz4SizeMax(bytes), bytesMax);
      return decompressFrame(bytes);
  }
}

/**
 * Format that Java writes: a header of 16 bytes, then blocks, each preceded by its length. Others write one bare block.
 */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER = 16;

async function decompressSnappy(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) {
    refuseLarge(snappySize(bytes), bytesMax);
    return uncompressed(bytes);
  }
  const blocks: Buffer[] = [];
  let size = 0;
  for (let at = XERIAL_HEADER; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const block = bytes.subarray(at + 4, at + 4 + length);
    if (block.length < length) throw new Error('a snappy block is cut off');
    size += snappySize(block);
    refuseLarge(size, bytesMax);
    blocks.push(await uncompressed(block));
    at += 4 + length;
  }
  return Buffer.concat(blocks);
}

async function uncompressed(block: Buffer): Promise<Buffer> {
  const bytes = await uncompress(block, { asBuffer: true });
  return typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
}

/** A snappy block begins with its uncompressed length, as a varint. */
function snappySize(block: Buffer): number {
  let size = 0;
  for (let at = 0; at < 5; at++) {
    const byte = block[at];
    if (byte === undefined) break;
    size += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return size;
  }
  throw new Error('a snappy block does not say its length');
}

const LZ4_MAGIC = 0x184d2204;
/** No lz4 stream gets smaller than by this factor. */
const LZ4_RATIO_MAX = 255;

/** Largest possible size, by the frame's header and the number of its blocks. */
function lz4SizeMax(bytes: Buffer): number {
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== LZ4_MAGIC) throw new Error('not an lz4 frame');
  const flags = bytes.readUInt8(4);
  const blockMax = 2 ** (8 + 2 * ((bytes.readUInt8(5) >> 4) & 0x07));
  const blockChecksum = (flags & 0x10) === 0 ? 0 : 4;
  const header = 7 + ((flags & 0x08) === 0 ? 0 : 8) + ((flags & 0x01) === 0 ? 0 : 4);
  let size = 0;
  for (let at = header; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    if (length === 0) break;
    const stored = length & 0x7fffffff;
    size += length >= 0x80000000 ? stored : Math.min(blockMax, stored * LZ4_RATIO_MAX);
    at += 4 + stored + blockChecksum;
  }
  return size;
}

function refuseLarge(size: number, bytesMax: number): void {
  if (size > bytesMax) throw new Error(`uncompressed it is larger than ${bytesMax} bytes`);
}

/** Codec that Assay compresses with. */
export type ProducerCodec = Exclude<Codec, 'snappy'>;

export function codecNumber(codec: ProducerCodec): number {
  return CODECS.indexOf(codec);
}

// kafkajs writes the batches that we send, and has gzip of its own.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => zstdCompressAsync(buffer),
  decompress: () => Promise.reject(new Error('batches are read elsewhere')),
});
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => compressFrame(buffer),
  decompress: () => Promise.reject(new Error('batches are read elsewhere')),
});
