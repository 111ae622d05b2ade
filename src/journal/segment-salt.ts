/**
 * The salt of a segment whose head is damaged, worked out from its records.
 *
 * A record's head has the CRC of its own bytes, started from the salt. With `^` for exclusive or, a CRC is linear in
 * what it starts from: crc32(bytes, salt) ^ crc32(bytes, 0) = L(salt), where L depends on the length alone. L maps each
 * of the 32 bits of the salt to a word, so the salt is the solution of 32 equations. One record's head suffices; that
 * its body has the right checksum, too, which also starts from the salt, confirms it.
 *
 * A record forged inside a client's payload could name a salt of its own. The first record of a segment stands before
 * all payloads, so the first salt that is confirmed is the right one unless that very record is damaged as well.
 */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ALIGNMENT, bodyChecksum, looksLikeRecord, RECORD_HEAD_BYTES, tryReadRecordHead } from './record.ts';
import { readAt } from './segment-scan.ts';

const BITS = 32;
const CHUNK_BYTES = 1 << 20;
/** The CRC in a record's head is of what follows it. */
const CHECKED_FROM = 8;
const CHECKED_BYTES = RECORD_HEAD_BYTES - CHECKED_FROM;

/** Undefined where no record of the file belongs to a segment with this base. */
export async function findSalt(
  file: FileHandle,
  { base, size }: { readonly base: number; readonly size: number },
): Promise<{ readonly salt: number; readonly logTime: number } | undefined> {
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const chunk = await readAt(file, at, CHUNK_BYTES + RECORD_HEAD_BYTES);
    for (let slot = 0; slot < Math.min(CHUNK_BYTES, chunk.length); slot += ALIGNMENT) {
      if (!looksLikeRecord(chunk, slot)) continue;
      const salt = saltOf(chunk.subarray(slot, slot + RECORD_HEAD_BYTES));
      const head = tryReadRecordHead(chunk, slot, { salt, position: base + at + slot });
      if (head === undefined || head.kind === 'hole' || head.kind === 'end') continue;
      const length = head.tableLength + head.payloadLength;
      if (at + slot + RECORD_HEAD_BYTES + length > size) continue;
      const body = await readAt(file, at + slot + RECORD_HEAD_BYTES, length);
      const isConfirmed =
        bodyChecksum(salt, body.subarray(0, head.tableLength), body.subarray(head.tableLength)) === head.bodyCrc;
      if (isConfirmed) return { salt, logTime: head.logTime };
    }
  }
  return undefined;
}

function saltOf(head: Buffer): number {
  const wanted = (head.readUInt32LE(4) ^ crc32(head.subarray(CHECKED_FROM), 0)) >>> 0;
  return solve(wanted);
}

/** Rows of the equations by their highest bit: the word that a part of the salt is mapped to, and that part. */
const EQUATIONS: readonly (readonly [word: number, salt: number])[] = equations();

function equations(): readonly (readonly [number, number])[] {
  const zeros = new Uint8Array(CHECKED_BYTES);
  const rows: [number, number][] = [];
  for (let bit = 0; bit < BITS; bit += 1) {
    const salt = (1 << bit) >>> 0;
    let word = (crc32(zeros, salt) ^ crc32(zeros, 0)) >>> 0;
    let part = salt;
    for (const [other, otherPart] of rows) {
      if ((word >>> highestBit(other)) & 1) {
        word = (word ^ other) >>> 0;
        part = (part ^ otherPart) >>> 0;
      }
    }
    rows.push([word, part]);
  }
  return rows;
}

function solve(wanted: number): number {
  let rest = wanted;
  let salt = 0;
  for (const [word, part] of EQUATIONS) {
    if ((rest >>> highestBit(word)) & 1) {
      rest = (rest ^ word) >>> 0;
      salt = (salt ^ part) >>> 0;
    }
  }
  return salt;
}

function highestBit(word: number): number {
  return 31 - Math.clz32(word);
}
