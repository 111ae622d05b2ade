/**
 * Keys by which an arrival refers to others, as they are filed: enough to find the conversations that must be scored
 * together. Half the length of what the engine compares; a pair too many does no harm.
 *
 *   'h' or 'w': 8 bytes of the hash of a key that the arrival has or wants
 *   'l':        16 bytes, the id of a trace that it is linked to
 *   'u':        nothing; what it has and wants is unknown: it has to be found out from the content of what has been filed of the trace
 */
import { createHash } from 'node:crypto';
import type { FiledArrival } from '../cluster-store.ts';

const HAS = 0x68;
const WANTS = 0x77;
const LINK = 0x6c;
const UNKNOWN = 0x75;
const KEY_BYTES = 8;
const LINK_BYTES = 16;

interface FiledKeys {
  readonly has: readonly bigint[];
  readonly wants: readonly bigint[];
  /** 32 hexadecimal digits each. */
  readonly linked: readonly string[];
  /** There are others. */
  readonly isPartial: boolean;
}

/** Keys of an arrival of which it is only known that it may have some. */
export const ONLY_UNKNOWN: Buffer = Buffer.of(UNKNOWN);

export function encodeFiledKeys(
  arrival: Pick<FiledArrival, 'has' | 'wants' | 'linked' | 'keysLater'>,
): Buffer | undefined {
  const { has, wants, linked, keysLater } = arrival;
  if (has.length + wants.length + linked.length === 0) return keysLater === true ? ONLY_UNKNOWN : undefined;
  const parts: Buffer[] = keysLater === true ? [ONLY_UNKNOWN] : [];
  for (const key of has) parts.push(Buffer.of(HAS), hashOf(key));
  for (const key of wants) parts.push(Buffer.of(WANTS), hashOf(key));
  for (const traceId of linked) parts.push(Buffer.of(LINK), Buffer.from(traceId, 'hex'));
  return Buffer.concat(parts);
}

export function decodeFiledKeys(bytes: Uint8Array): FiledKeys {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [has, wants, linked]: [bigint[], bigint[], string[]] = [[], [], []];
  let isPartial = false;
  for (let at = 0; at < buffer.length; ) {
    const kind = buffer[at];
    at += 1;
    if (kind === UNKNOWN) isPartial = true;
    else if (kind === LINK) {
      linked.push(buffer.toString('hex', at, at + LINK_BYTES));
      at += LINK_BYTES;
    } else {
      (kind === HAS ? has : wants).push(buffer.readBigInt64BE(at));
      at += KEY_BYTES;
    }
  }
  return { has, wants, linked, isPartial };
}

/** As `decodeFiledKeys` would give it. */
export function filedKey(key: string): bigint {
  return hashOf(key).readBigInt64BE();
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_BYTES);
}
