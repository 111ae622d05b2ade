/** The columns of a conversation in both stores, each with its type and its value. A new one is a line here and a migration in each schema. */
import type { ConversationId } from '../model/ids.ts';
import type { Column } from './column.ts';
import type { ConversationRow } from './conversation-reader.ts';
import type { StoredConversation } from './engine-store.ts';

/** A conversation, or what was filed for one: without a first turn it does not exist for the engine. */
export interface ConversationHead extends Omit<StoredConversation, 'row' | 'firstClosedAt'> {
  readonly firstClosedAt: number | undefined;
}

/** As the rows are read. */
export interface ConversationCells {
  readonly agent: string;
  readonly agent_version: string;
  readonly environment: string;
  readonly first_closed_at: number | null;
  readonly last_closed_at: number;
  readonly updated_at: number;
  readonly turns: number;
  readonly turns_evaluated: number;
  readonly due_at: number | null;
  readonly due_cause: string | null;
  readonly revision: number;
  readonly cause: string | null;
  readonly worst_outcome: number;
  readonly unscored_because: string | null;
  readonly segment: string | null;
}

const COLUMNS: { readonly [Name in keyof ConversationCells]: Omit<Column<ConversationHead>, 'name'> } = {
  agent: { type: 'text', of: ({ labels }) => labels.agent },
  agent_version: { type: 'text', of: ({ labels }) => labels.agentVersion },
  environment: { type: 'text', of: ({ labels }) => labels.environment },
  first_closed_at: { type: 'bigint', of: ({ firstClosedAt }) => firstClosedAt },
  last_closed_at: { type: 'bigint', of: ({ lastClosedAt }) => lastClosedAt },
  updated_at: { type: 'bigint', of: ({ updatedAt }) => updatedAt },
  turns: { type: 'int', of: ({ turns }) => turns },
  turns_evaluated: { type: 'int', of: ({ turnsEvaluated }) => turnsEvaluated },
  due_at: { type: 'bigint', of: ({ dueAt }) => dueAt },
  due_cause: { type: 'text', of: ({ dueCause }) => dueCause },
  revision: { type: 'int', of: ({ revision }) => revision },
  cause: { type: 'text', of: ({ cause }) => cause },
  worst_outcome: { type: 'smallint', of: ({ worstOutcome }) => worstOutcome },
  unscored_because: { type: 'text', of: ({ unscoredBecause }) => unscoredBecause },
  segment: { type: 'text', of: ({ labels }) => labels.segment },
};

export const CONVERSATION_COLUMNS: readonly Column<ConversationHead>[] = Object.entries(COLUMNS).map(
  ([name, column]) => ({ name, ...column }),
);

export function headFrom(
  id: ConversationId,
  cells: ConversationCells,
  text: (stored: string) => string,
): ConversationHead {
  return {
    id,
    labels: {
      agent: text(cells.agent),
      agentVersion: text(cells.agent_version),
      environment: text(cells.environment),
      ...(cells.segment === null ? {} : { segment: text(cells.segment) }),
    },
    firstClosedAt: cells.first_closed_at ?? undefined,
    lastClosedAt: cells.last_closed_at,
    updatedAt: cells.updated_at,
    turns: cells.turns,
    turnsEvaluated: cells.turns_evaluated,
    dueAt: cells.due_at ?? undefined,
    dueCause: cells.due_cause ?? undefined,
    revision: cells.revision,
    cause: cells.cause ?? undefined,
    worstOutcome: cells.worst_outcome,
    unscoredBecause: cells.unscored_because ?? undefined,
  };
}

/** For those who read the store. */
export function conversationRowFrom(
  { row, id }: { readonly row: number; readonly id: ConversationId },
  cells: ConversationCells,
  text: (stored: string) => string,
): ConversationRow {
  const { labels, turns, revision, cause, dueCause, unscoredBecause, updatedAt } = headFrom(id, cells, text);
  const { agent, agentVersion, environment, segment } = labels;
  return {
    ...{ row, conversationId: id, agent, agentVersion, environment, segment },
    ...{ turns, revision, cause, dueCause, unscoredBecause, updatedAt },
  };
}
