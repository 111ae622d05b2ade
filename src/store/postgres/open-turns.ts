/**
 * Turns that are open in any lane and name a conversation. The end of a conversation waits for them, so whoever scores it has to
 * know which turns were open when a turn of it closed:
 *
 *   a turn names a conversation   its lane files a row here, at the latest with the time at which it did
 *   it closes                     the row goes, in the transaction that queues the turn with the same time
 *   it is scored                  its entry in the queue goes
 *
 * At the cluster's time T all lanes have filed every turn that was named or closed up to that time. So a turn of the
 * conversation was open at a time t <= T exactly if it had named the conversation by t, and is here or in the queue
 * with a later close. Where a lane is read again by another owner, its open turns are filed again, and their rows are
 * there already.
 */
import { conversationHash } from '../../model/conversation-id.ts';
import type { ConversationId } from '../../model/ids.ts';
import type { NamingTurn, WaitingArrival } from '../cluster-store.ts';
import { fromUuid } from './row-keys.ts';
import type { Session } from './session.ts';

/** Names of turns that closed, and of those that are open now. */
export async function fileOpenTurns(
  session: Session,
  { closed, naming }: { readonly closed: readonly string[]; readonly naming: readonly NamingTurn[] },
): Promise<void> {
  if (closed.length > 0) await session.run(CLOSE, [[...new Set(closed)]]);
  if (naming.length === 0) return;
  await session.run(OPEN, [
    naming.map(({ traceId }) => traceId),
    naming.map(({ conversation }) => conversation),
    naming.map(({ at }) => at),
  ]);
}

interface OpenTurn {
  readonly traceId: string;
  readonly namedAt: number;
  /** Undefined where it is open at the cluster's time. */
  readonly closedAt: number | undefined;
}

/** By conversation, the turns that were open at some time after its last turn was scored. */
export class OpenTurns {
  readonly #byConversation: ReadonlyMap<number, readonly OpenTurn[]>;

  private constructor(byConversation: ReadonlyMap<number, readonly OpenTurn[]>) {
    this.#byConversation = byConversation;
  }

  static async load(
    session: Session,
    conversations: readonly { readonly id: number; readonly conversationId: ConversationId }[],
  ): Promise<OpenTurns> {
    if (conversations.length === 0) return new OpenTurns(new Map());
    interface Row {
      readonly conversation: number;
      readonly traceId: string;
      readonly namedAt: number;
      readonly closedAt: number | null;
    }
    const rows = await session.rows<Row>(OPEN_AMONG, [
      conversations.map(({ id }) => id),
      conversations.map(({ conversationId }) => conversationHash(conversationId)),
    ]);
    const turns = rows.map(({ conversation, traceId, namedAt, closedAt }) => ({
      conversation,
      turn: { traceId: fromUuid(traceId), namedAt, closedAt: closedAt ?? undefined },
    }));
    const byConversation = new Map<number, OpenTurn[]>();
    for (const { conversation, turn } of turns) {
      const known = byConversation.get(conversation);
      if (known === undefined) byConversation.set(conversation, [turn]);
      else known.push(turn);
    }
    return new OpenTurns(byConversation);
  }

  /** Open turns of the conversation of a turn that closed then. */
  beside(closed: {
    readonly conversation: number;
    readonly conversationId: ConversationId;
    readonly traceId: string;
    readonly closedAt: number;
  }): WaitingArrival['openBeside'] {
    let at = Number.POSITIVE_INFINITY;
    for (const { traceId, namedAt, closedAt = Number.POSITIVE_INFINITY } of this.#byConversation.get(
      closed.conversation,
    ) ?? []) {
      if (traceId !== closed.traceId && namedAt <= closed.closedAt && closedAt > closed.closedAt)
        at = Math.min(at, namedAt);
    }
    return Number.isFinite(at) ? [{ conversation: conversationHash(closed.conversationId), at }] : [];
  }
}

const CLOSE = {
  name: 'close-open-turns',
  sql: 'DELETE FROM open_turns WHERE trace_id = ANY($1::uuid[])',
};
const OPEN = {
  name: 'file-open-turns',
  sql: `INSERT INTO open_turns (trace_id, conversation_hash, named_at) SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[])
    ON CONFLICT DO NOTHING`,
};
const OPEN_AMONG = {
  name: 'open-turns-among',
  sql: `SELECT p.conversation, p.trace_id AS "traceId", p.named_at AS "namedAt", p.closed_at AS "closedAt"
      FROM pending p WHERE p.conversation = ANY($1::bigint[]) AND p.named_at IS NOT NULL
    UNION ALL
    SELECT n.conversation, o.trace_id, o.named_at, NULL
      FROM unnest($1::bigint[], $2::int[]) AS n (conversation, hash) JOIN open_turns o ON o.conversation_hash = n.hash`,
};
