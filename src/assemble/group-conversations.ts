/** Turns of many traces to conversations. */
import type { Conversation } from '../model/conversation.ts';
import { type ConversationId, syntheticConversationId } from '../model/ids.ts';
import type { Turn } from '../model/turn.ts';
import { buildConversation } from './build-conversation.ts';
import { compare } from './turns/family.ts';

export function groupConversations(turns: readonly Turn[]): readonly Conversation[] {
  const byId = new Map<ConversationId, Turn[]>();
  for (const turn of turns) {
    // The cast is the brand: this is the id that the turn's spans gave.
    const id = (turn.conversationId as ConversationId | undefined) ?? syntheticConversationId(turn.traceId);
    const there = byId.get(id);
    if (there === undefined) byId.set(id, [turn]);
    else there.push(turn);
  }
  return [...byId]
    .map(([id, members]) => buildConversation(id, members))
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs || compare(a.id, b.id));
}
