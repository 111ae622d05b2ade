/**
 * Reads what a broker gives for a partition: record batches, one after the other, the last of them perhaps cut off.
 *
 *   batch   = baseOffset i64, length i32, leaderEpoch i32, magic i8, crc i32, attributes i16, lastOffsetDelta i32,
 *             firstTimestamp i64, maxTimestamp i64, producerId i64, producerEpoch i16, firstSequence i32, count i32, records
 *   record  = length, attributes i8, timestampDelta, offsetDelta, key length, key, value length, value,
 *             headers count, then for each: key length, key, value length, value            (zigzag varints; -1 is null)
 *
 * An unreadable batch does not affect others: it becomes one record with a mark and the batch's bytes. The reader of
 * kafkajs is not used, because there one such batch fails the response for all partitions, again and again.
 *
 * Checksums are not looked at: the brokers checked them, and TCP did.
 */
import type { KafkaHeader, KafkaRecord } from '../kafka-client.ts';
import { codecOf, decompress } from './codecs.ts';

/** A transaction that was aborted: records of this producer from there on, up to its marker, are not to be seen. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

export interface FetchedBatches {
  readonly bytes: Buffer;
  readonly aborted: readonly AbortedTransaction[];
  /** Batches may begin before what was asked for. */
  readonly fromOffset: number;
}

const BATCH_HEADER = 61;
/** The smallest message of the older formats, which have their magic byte at the same place. */
const OLD_BATCH_MIN = 26;
/** Bytes of the header that `length` does not count. */
const BEFORE_LENGTH = 12;
const LOG_APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

/** The offset behind the last whole batch, without reading records; undefined where there is none. */
export function offsetBehind(bytes: Buffer): number | undefined {
  let behind: number | undefined;
  for (const batch of batchesIn(bytes)) behind = lastOffsetOf(batch) + 1;
  return behind;
}

export async function readBatches(fetched: FetchedBatches, decompressedBytesMax: number): Promise<KafkaRecord[]> {
  const records: KafkaRecord[] = [];
  const aborted = [...fetched.aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  const aborting = new Set<bigint>();
  for (const batch of batchesIn(fetched.bytes)) {
    const last = lastOffsetOf(batch);
    while (aborted[0] !== undefined && aborted[0].firstOffset <= last)
      aborting.add((aborted.shift() as AbortedTransaction).producerId);
    if (last < fetched.fromOffset) continue;
    try {
      const attributes = attributesOf(batch);
      const producer = batch.readBigInt64BE(43);
      if ((attributes & CONTROL) !== 0) {
        // A marker ends its producer's transaction, be it aborted or committed.
        aborting.delete(producer);
        continue;
      }
      if ((attributes & TRANSACTIONAL) !== 0 && aborting.has(producer)) continue;
      const codec = codecOf(attributes);
      if (codec === undefined) throw new Error(`compression ${attributes & 0x07} is not known`);
      const body = await decompress(codec, batch.subarray(BATCH_HEADER), decompressedBytesMax);
      const read = readRecords(batch, body);
      for (const record of read) if (record.offset >= fetched.fromOffset) records.push(record);
    } catch (error) {
      records.push(unreadable(batch, Math.max(offsetOf(batch), fetched.fromOffset), error));
    }
  }
  return records;
}

function* batchesIn(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at + BATCH_HEADER <= bytes.length; ) {
    const length = BEFORE_LENGTH + bytes.readInt32BE(at + 8);
    if (length < OLD_BATCH_MIN || at + length > bytes.length) return;
    if (length < BATCH_HEADER && magicOf(bytes.subarray(at)) === 2) return;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

function offsetOf(batch: Buffer): number {
  return Number(batch.readBigInt64BE(0));
}

function magicOf(batch: Buffer): number {
  return batch.readInt8(16);
}

function attributesOf(batch: Buffer): number {
  const magic = magicOf(batch);
  if (magic !== 2)
    throw new Error(`it is in message format ${magic}, which Kafka 4 no longer has; only format 2 is read`);
  return batch.readInt16BE(21);
}

function lastOffsetOf(batch: Buffer): number {
  return offsetOf(batch) + (magicOf(batch) === 2 ? batch.readInt32BE(23) : 0);
}

function unreadable(batch: Buffer, offset: number, error: unknown): KafkaRecord {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    offset,
    timestamp: magicOf(batch) === 2 ? Number(batch.readBigInt64BE(35)) : 0,
    key: undefined,
    value: batch,
    headers: [],
    unreadable: `a batch of records cannot be read: ${reason}`,
  };
}

function readRecords(batch: Buffer, body: Buffer): KafkaRecord[] {
  const baseOffset = offsetOf(batch);
  const firstTimestamp = Number(batch.readBigInt64BE(27));
  const appendedAt = (attributesOf(batch) & LOG_APPEND_TIME) === 0 ? undefined : Number(batch.readBigInt64BE(35));
  const count = batch.readInt32BE(57);
  const reader = new RecordReader(body);
  const records: KafkaRecord[] = [];
  for (let index = 0; index < count; index++) {
    const end = reader.varint() + reader.at;
    // A record's attributes: a byte in which nothing has been defined.
    reader.skip(1);
    const timestamp = appendedAt ?? firstTimestamp + reader.varint();
    if (appendedAt !== undefined) reader.varint();
    const offset = baseOffset + reader.varint();
    const key = reader.bytes();
    const value = reader.bytes();
    records.push({ offset, timestamp, key, value, headers: reader.headers() });
    if (reader.at !== end) throw new Error(`record ${offset} is not as long as it says`);
  }
  return records;
}

const NO_HEADERS: readonly KafkaHeader[] = [];

class RecordReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(length: number): void {
    this.at += length;
  }

  /** Zigzag, of up to 64 bits; timestamps and offsets are far from where numbers lose exactness. */
  varint(): number {
    let low = 0;
    let scale = 1;
    for (let length = 0; length < 10; length++) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) throw new Error('a record is cut off');
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return low % 2 === 0 ? low / 2 : -(low + 1) / 2;
      scale *= 128;
    }
    throw new Error('a number is longer than numbers are');
  }

  bytes(): Buffer | undefined {
    const length = this.varint();
    if (length < 0) return undefined;
    const end = this.at + length;
    if (end > this.#bytes.length) throw new Error('a record is cut off');
    const bytes = this.#bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  headers(): readonly KafkaHeader[] {
    const count = this.varint();
    if (count <= 0) return NO_HEADERS;
    const headers: KafkaHeader[] = [];
    for (let index = 0; index < count; index++) {
      const key = this.bytes();
      headers.push({ key: key?.toString('utf8') ?? '', value: this.bytes() });
    }
    return headers;
  }
}
