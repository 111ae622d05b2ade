/** A conversation as it is read from a store. */
import type { ConversationId } from '../model/ids.ts';
import {
  type ConversationCells,
  type ConversationHead,
  type ConversationLabels,
  headFrom,
} from './conversation-columns.ts';
import { cameOutAs } from './frame-columns.ts';

/** A conversation as readers see it: all that is kept of it, in one level. */
export interface ConversationRow extends Omit<ConversationHead, 'id' | 'labels'>, ConversationLabels {
  readonly row: number;
  readonly conversationId: ConversationId;
  /** Outcomes say this of it; bad where they disagree. */
  readonly cameOut: 'good' | 'bad' | undefined;
}

export interface RowCells extends ConversationCells {
  /** The readings' own column: the engine never writes it. */
  readonly came_out: number | null;
}

export function conversationRowFrom(
  { row, id }: { readonly row: number; readonly id: ConversationId },
  cells: RowCells,
  text: (stored: string) => string,
): ConversationRow {
  const { id: conversationId, labels, ...head } = headFrom(id, cells, text);
  return { row, conversationId, ...labels, ...head, cameOut: cameOutAs(cells.came_out) };
}
