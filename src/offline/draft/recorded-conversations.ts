/** Conversations to draft from: recorded files, or the latest of a store. */
import { buildConversation } from '../../assemble/build-conversation.ts';
import { understandRecorded } from '../../engine/recorded/understand-recording.ts';
import { turnsOfTrace } from '../../engine/turns-of-trace.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import type { Turn } from '../../model/turn.ts';
import { idKeysOf } from '../../normalize/id-keys.ts';
import type { ConversationReader } from '../../store/conversation-reader.ts';
import { intactContent } from '../../store/intact-content.ts';
import { type Selection, selectedRows } from '../datasets/from-store.ts';
import { readRecordings, redactBatches } from '../recording.ts';

export async function conversationsOfFiles(
  files: readonly string[],
  options: { readonly conversationKeys: readonly string[]; readonly redaction: RedactionRules | undefined },
): Promise<readonly Conversation[]> {
  const { conversationKeys, redaction } = options;
  return (await understandRecorded(redactBatches(readRecordings(files), redaction), { conversationKeys }))
    .conversations;
}

/** The latest ones, without those whose spans are no longer kept. */
export async function conversationsOfStore(
  reader: ConversationReader,
  {
    conversationKeys,
    ...selected
  }: Pick<Selection, 'agent' | 'since' | 'limit'> & {
    readonly conversationKeys: readonly string[];
  },
): Promise<readonly Conversation[]> {
  const idKeys = idKeysOf(conversationKeys);
  const selection = { ...selected, outcomes: undefined, suite: undefined, agentVersion: undefined };
  const conversations: Conversation[] = [];
  for await (const row of selectedRows(reader, selection)) {
    if (conversations.length >= selected.limit) break;
    const turns: Turn[] = [];
    for (const trace of await reader.traces(row)) {
      const content = await intactContent(reader, trace);
      if (content !== undefined && content !== 'damaged') turns.push(...turnsOfTrace(content, idKeys));
    }
    if (turns.length > 0) conversations.push(buildConversation(row.conversationId, turns));
  }
  return conversations;
}
