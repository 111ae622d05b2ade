/** Keys by which turns refer to one another come from spans and may be long; stores keep this much of their hash. */
import { createHash } from 'node:crypto';

export const KEY_HASH_BYTES = 16;

export function keyHash(key: string): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_HASH_BYTES);
}

/** A turn joins two or three; who shows the ids of many conversations is not in all of them. */
export const RELATED_MAX = 16;
