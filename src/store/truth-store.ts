/**
 * Truths of conversations. A conversation whose truth changes after it was scored is scored again, although no span came: what is asked for
 * stands in the store from the transaction in which it became known, until the transaction that looked again.
 */
import type { Json } from '../model/json.ts';

/** Author of the ground truth; undefined removes it. */
export interface TruthStore {
  /** Has the conversation re-evaluated if it was scored. False where this was known already. */
  put(conversationId: string, truth: Json | undefined): Promise<boolean> | boolean;
}
