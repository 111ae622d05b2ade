/**
 * Forgets conversations in the store that instances share, in one transaction. Filing leaves out what still arrives of
 * them, by the ids of their traces and the hashes of their own. The bytes of deleted rows are the database's: they are
 * overwritten as VACUUM and new rows reuse their place.
 *
 * Filers are kept out for as long as it takes, so that none files for a head that goes. An instance that scores one of
 * the conversations has locked its head, and is waited for.
 */
import type { ConversationId } from '../../model/ids.ts';
import { decodeContent } from '../content-codec.ts';
import { lockKey } from './advisory-locks.ts';
import { countSaid, type DroppingDialect, dropConversations, forgetSaid } from '../rules/dropping.ts';
import type { SaidCounts } from '../said-counts.ts';
import { DIALECT } from './dialect.ts';
import type { Link } from './link.ts';
import { PostgresSql, runOn } from './postgres-sql.ts';
import { textKey, userKey } from './row-keys.ts';
import type { Session } from './session.ts';
import { fromStorable, toStorable } from './storable-text.ts';

const FETCHED_TOGETHER = 100;

interface Dropped {
  readonly conversations: number;
  readonly traces: number;
  readonly said: SaidCounts;
}

export class ForgettingRows {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async has(conversation: ConversationId): Promise<boolean> {
    const rows = await this.#link.use((session) =>
      session.once('SELECT 1 FROM conversations WHERE key = $1::uuid', [textKey(conversation)]),
    );
    return rows.length > 0;
  }

  /** Conversations with spans that are meant. Reads everything that is stored, some at a time. */
  async search(isMeant: (traces: Uint8Array) => boolean): Promise<readonly ConversationId[]> {
    return this.#link.transaction(async (session) => {
      await session.script(DECLARE);
      const found = new Set<string>();
      for (;;) {
        const rows = await session.once<{ traceId: string; traces: Uint8Array }>(
          `FETCH ${FETCHED_TOGETHER} FROM content`,
        );
        if (rows.length === 0) break;
        for (const { traceId, traces } of rows)
          if (!found.has(traceId) && isMeant(decodeContent(traces))) found.add(traceId);
      }
      const rows = await session.once<{ id: string }>(CONVERSATIONS_OF, [[...found]]);
      // The cast is the brand: it was a conversation's id when it was written.
      return rows.map(({ id }) => fromStorable(id) as ConversationId);
    });
  }

  async saidOf(conversations: readonly ConversationId[]): Promise<SaidCounts> {
    return new PostgresSql(DROPPING, this.#link).run(countSaid(DROPPING, conversations));
  }

  async drop(conversations: readonly ConversationId[], users: readonly string[] = []): Promise<Dropped> {
    const keys = conversations.map((id) => textKey(id));
    return this.#link.transaction((session) => drop(session, { conversations, keys, users }), {
      begin: `BEGIN; SET LOCAL lock_timeout = '60s'; SELECT pg_advisory_xact_lock(${lockKey('filing')}), pg_advisory_xact_lock(${lockKey('questions')})`,
    });
  }
}

async function drop(
  session: Session,
  {
    conversations,
    keys,
    users,
  }: {
    readonly conversations: readonly ConversationId[];
    readonly keys: readonly string[];
    readonly users: readonly string[];
  },
): Promise<Dropped> {
  const heads = await session.once<{ id: number }>(
    'SELECT id FROM conversations WHERE key = ANY($1::uuid[]) ORDER BY id FOR UPDATE',
    [keys],
  );
  const ids = heads.map(({ id }) => id);
  const traces = await session.once<{ id: string }>(
    `SELECT trace_id AS id FROM traces WHERE conversation = ANY($1::bigint[])
     UNION SELECT trace_id FROM pending WHERE conversation = ANY($1::bigint[])`,
    [ids],
  );
  const traceIds = traces.map(({ id }) => id);
  const said = await runOn(session, countSaid(DROPPING, conversations));
  await session.once(REMEMBER_TRACES, [traceIds]);
  await session.once(REMEMBER_NAMES, [[...keys, ...users.map(userKey)]]);
  await runOn(session, forgetSaid(DROPPING, { conversations, users }));
  for (const table of ['arrivals', 'open_turns'])
    await session.once(`DELETE FROM ${table} WHERE trace_id = ANY($1::uuid[])`, [traceIds]);
  for (const table of PARTITIONED)
    await session.once(`DELETE FROM ${table} WHERE conversation = ANY($1::bigint[])`, [ids]);
  const texts = conversations.map((id) => toStorable(id));
  for (const table of ['outbox_new', 'outbox']) await session.once(`DELETE FROM ${table} WHERE key = ANY($1)`, [texts]);
  await runOn(session, dropConversations(DROPPING, [ids]));
  return { conversations: ids.length, traces: traceIds.length, said };
}

const PARTITIONED = ['pending', 'traces', 'evaluations'];

export const DROPPING: DroppingDialect = {
  ...DIALECT,
  isChosen: (column) => `${column} = ANY(?1::bigint[])`,
  byKey: ['spoken'],
  byNumber: ['evidence', 'conversation_groups'],
  json: (column) => `${column}::json`,
};

const DECLARE = `DECLARE content NO SCROLL CURSOR FOR SELECT trace_id AS "traceId", traces FROM arrivals
  UNION ALL SELECT trace_id, traces FROM traces WHERE traces IS NOT NULL`;
const CONVERSATIONS_OF = `SELECT conversation_id AS id FROM conversations WHERE id IN (
    SELECT conversation FROM traces WHERE trace_id = ANY($1::uuid[])
    UNION SELECT conversation FROM pending WHERE trace_id = ANY($1::uuid[])) ORDER BY id`;
/** As of now, so that they are remembered for as long as spans of them may be sent again. */
const REMEMBER_TRACES = `INSERT INTO pruned_traces (trace_id, closed_at)
  SELECT unnest($1::uuid[]), (SELECT coalesce(log_time, 0) FROM cluster)
  ON CONFLICT (trace_id) DO UPDATE SET closed_at = excluded.closed_at`;
const REMEMBER_NAMES = `INSERT INTO forgotten (key, at) SELECT unnest($1::uuid[]), (SELECT coalesce(log_time, 0) FROM cluster)
  ON CONFLICT (key) DO UPDATE SET at = excluded.at`;
