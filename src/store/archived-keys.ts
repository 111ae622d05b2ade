/**
 * Keys of archived conversations. An archive outlives the rows of its conversations, so the index keeps eight bytes of a
 * hash for each: enough to find the few batches that may hold one. Another conversation with the same bytes costs a
 * look at a file in vain.
 */
import { keyHash } from './key-hash.ts';

const KEPT_BYTES = 8;

/** The whole hash, by which rows of a file are compared. */
export function archivedKey(conversationId: string): string {
  return keyHash(`conversation:${conversationId}`).toString('hex');
}

export function archivedUserKey(user: string): string {
  return keyHash(`user:${user}`).toString('hex');
}

export function packKeys(keys: Iterable<string>): Uint8Array {
  const beginnings = [...new Set([...keys].map(beginningOf))];
  return Buffer.from(beginnings.join(''), 'hex');
}

/** Whether one of these may be in a batch. */
export function mayHold(packed: Uint8Array, beginnings: ReadonlySet<string>): boolean {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at < bytes.length; at += KEPT_BYTES)
    if (beginnings.has(bytes.toString('hex', at, at + KEPT_BYTES))) return true;
  return false;
}

export function beginningOf(key: string): string {
  return key.slice(0, 2 * KEPT_BYTES);
}
