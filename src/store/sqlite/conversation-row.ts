/** A row of SQLite as the conversation it holds. */
import type { ConversationId } from '../../model/ids.ts';
import type { ConversationCells } from '../conversation-columns.ts';
import { type ConversationRow, conversationRowFrom } from '../conversation-row.ts';

export function toConversationRow(found: Record<string, unknown>): ConversationRow {
  // The casts hold because the store's writer wrote the row.
  const row = found as unknown as ConversationCells & { readonly id: number; readonly conversation_id: string };
  const id = row.conversation_id as ConversationId;
  return conversationRowFrom({ row: row.id, id }, row, (stored) => stored);
}
