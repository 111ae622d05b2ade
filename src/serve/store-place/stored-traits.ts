/** Traits of a stored conversation, read from its spans: the store keeps no column of them. */
import { ConversationSource } from '../../backtest/conversation-source.ts';
import { traitsOf } from '../../engine/detection/traits.ts';
import type { ServiceReader } from './open-reader.ts';

export type TraitsOf = (conversationId: string) => Promise<readonly string[]>;

/** Empty where its spans are not kept any more. */
export function storedTraits(reader: ServiceReader): TraitsOf {
  const source = new ConversationSource({ reader, idKeys: undefined, truth: undefined });
  return async (conversationId) => {
    const row = await reader.find(conversationId);
    const found = row === undefined ? undefined : await source.of(row);
    return found === undefined || typeof found === 'string' ? [] : traitsOf(found.whole);
  };
}
