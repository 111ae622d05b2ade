/** The id of a conversation, made of what its agent called it, and a short hash of it for places where the id is too long. */
import { createHash } from 'node:crypto';
import type { ConversationId } from './ids.ts';

/** Ids come from spans; what is longer is kept apart by its hash. */
export const CONVERSATION_ID_LENGTH_MAX = 256;

/** The cast is the brand: this is where a conversation gets its id. An id that a trace could have is not taken from it. */
export function conversationIdFrom(named: string): ConversationId {
  const id = named.startsWith('trace:') ? `id:${named}` : named;
  if (id.length <= CONVERSATION_ID_LENGTH_MAX) return id.toWellFormed() as ConversationId;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32);
  return `${id.slice(0, CONVERSATION_ID_LENGTH_MAX - 33)}~${hash}`.toWellFormed() as ConversationId;
}

/** Begins a key by which turns without a name are found to go on from one another. One that names its conversation has none. */
export const HISTORY_KEY = 'history:';

const CONVERSATION_HASH_BITS = 30;

/**
 * From 1 to 2^30 - 1: FNV-1a over the UTF-16 units, folded. It lies in journals and in the shared store, so it must not change.
 * Two conversations of one hash can delay each other and nothing else.
 */
export function conversationHash(id: ConversationId): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x0100_0193);
  const folded = (hash ^ (hash >>> CONVERSATION_HASH_BITS)) & (2 ** CONVERSATION_HASH_BITS - 1);
  return folded === 0 ? 1 : folded;
}
