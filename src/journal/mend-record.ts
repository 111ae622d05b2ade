/**
 * Finds the one bit of a record's body that is wrong. A CRC is linear: how far it is off depends on the wrong bits alone.
 * Up to 512 MiB each single bit puts it off by another word, so that word names the bit.
 *
 * Other damage looks like a single bit with a probability of the number of bits in 2^32, so for a request of 1 MiB in one
 * of 500 cases. So this serves a person who asks for the record (`assay journal recover`), never a start.
 */
import { bodyChecksum, RECORD_HEAD_BYTES, type RecordHead, tryReadRecordHead } from './record.ts';

const POLYNOMIAL = 0xedb88320;
/** Longer bodies would make a mistake too likely. */
const BODY_BYTES_MAX = 4 << 20;

interface MendedRecord {
  readonly head: RecordHead;
  readonly payload: Uint8Array;
}

/**
 * The record at the beginning of the bytes, if its head is intact and one bit of its body is not. Changes the bytes. The
 * salt must not come from the head: a wrong bit there would give a salt with which another bit of the body seems wrong.
 */
export function tryMendRecord(
  bytes: Buffer,
  { salt, position }: { readonly salt: number; readonly position: number },
): MendedRecord | undefined {
  const head = tryReadRecordHead(bytes, 0, { salt, position });
  if (head === undefined || head.kind === 'hole' || head.kind === 'end') return undefined;
  const body = bytes.subarray(RECORD_HEAD_BYTES, RECORD_HEAD_BYTES + head.tableLength + head.payloadLength);
  if (body.length < head.tableLength + head.payloadLength || body.length > BODY_BYTES_MAX) return undefined;
  const crc = () => bodyChecksum(salt, body.subarray(0, head.tableLength), body.subarray(head.tableLength));
  const bit = wrongBit(body.length, (crc() ^ head.bodyCrc) >>> 0);
  if (bit === undefined) return undefined;
  const at = bit >>> 3;
  body.writeUInt8(body.readUInt8(at) ^ (1 << (bit & 7)), at);
  return crc() === head.bodyCrc ? { head, payload: body.subarray(head.tableLength) } : undefined;
}

/** `off`: exclusive or of the checksum that is and the one that should be. Bits of a byte count from the lowest. */
function wrongBit(bytes: number, off: number): number | undefined {
  let word = POLYNOMIAL;
  for (let bit = bytes * 8 - 1; bit >= 0; bit -= 1) {
    if (word === off) return bit;
    word = (word & 1) === 0 ? word >>> 1 : ((word >>> 1) ^ POLYNOMIAL) >>> 0;
  }
  return undefined;
}
