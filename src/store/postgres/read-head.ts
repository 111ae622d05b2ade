/** The head of a conversation as the readers of the shared store select it. */
import type { ConversationId } from '../../model/ids.ts';
import { namesOf } from '../column.ts';
import { CONVERSATION_COLUMNS, type ConversationCells } from '../conversation-columns.ts';
import { type ConversationRow, conversationRowFrom } from '../conversation-reader.ts';
import { fromStorable } from './storable-text.ts';

export interface HeadRow extends ConversationCells {
  readonly id: number;
  readonly conversation_id: string;
}

/** Columns of `conversations c`. */
export const HEAD = `c.id, c.conversation_id, ${namesOf(CONVERSATION_COLUMNS, 'c')}`;

export function toConversationRow(row: HeadRow): ConversationRow {
  // The cast is the brand: the store's writer wrote it.
  const id = fromStorable(row.conversation_id) as ConversationId;
  return conversationRowFrom({ row: row.id, id }, row, fromStorable);
}
