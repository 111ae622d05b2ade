/**
 * Taking conversations to be scored: those with arrivals that wait, or that are due, by the cluster's time; oldest
 * first. A group is taken whole or not at all. The instance that locks the row of a group's leader has the group, and
 * then checks whether the others are free.
 *
 * Time and groups are read by one statement: somebody who moves the time afterwards may put a conversation of ours into
 * a group with others, which does not matter up to the time that we have read. If this instance has that group as well,
 * the group brings the conversation, which is then not taken by itself.
 */
import type { ConversationId, TraceId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import { namesOf } from '../column.ts';
import { CONVERSATION_COLUMNS, type ConversationCells, headFrom } from '../conversation-columns.ts';
import { keptFrom } from './feedback.ts';
import type { LoadedHead } from './loaded.ts';
import { fromUuid } from './row-keys.ts';
import type { Session } from './session.ts';
import { fromStorable } from './storable-text.ts';

export type ClaimedHead = Omit<LoadedHead, 'isWhole'> & { readonly firstDay: number };

/** Conversations that are taken together. */
export interface Unit {
  readonly heads: readonly ClaimedHead[];
}

export interface Claim {
  readonly time: number;
  readonly units: readonly Unit[];
}

interface HeadRow extends ConversationCells {
  readonly id: number;
  readonly conversation_id: string;
  readonly first_day: number;
  readonly first_trace: string | null;
}

/** Read from other tables. */
interface BesideRow {
  readonly id: number;
  readonly revisit: number | null;
  readonly truth: string | null;
  readonly feedback_said: readonly { readonly body: string; readonly counted: boolean }[] | null;
  readonly waits: boolean;
}

/** Others may hold the first ones. */
const LOOKED_AT_PER_TAKEN = 4;

/** Undefined where there is no time yet. `home` is undefined where everybody's are wanted. */
export async function claim(
  session: Pick<Session, 'rows'>,
  options: { readonly home: number | undefined; readonly conversationsMax: number },
): Promise<Claim | undefined> {
  const { home, conversationsMax } = options;
  const looked = conversationsMax * LOOKED_AT_PER_TAKEN;
  const rows = await session.rows<HeadRow & { time: number; leader: number | null }>(CLAIM, [
    home ?? null,
    looked,
    conversationsMax,
  ]);
  const [first] = rows;
  if (first === undefined) return undefined;
  const leaders = rows.flatMap(({ leader }) => leader ?? []);
  const groups = leaders.length === 0 ? new Map<number, HeadRow[]>() : await claimMembers(session, leaders);
  const grouped = new Set([...groups.values()].flatMap((members) => members.map(({ id }) => id)));
  const taken = rows.flatMap((row) => {
    if (row.leader === null) return grouped.has(row.id) ? [] : { members: [row], isGrouped: false };
    const members = groups.get(row.id);
    return members === undefined ? [] : { members, isGrouped: true };
  });
  const all = taken.flatMap(({ members }) => members.map(({ id }) => id));
  const beside = new Map(
    (await session.rows<BesideRow>(BESIDE, [all, first.time])).map((row) => [row.id, row] as const),
  );
  const units = taken.map(({ members, isGrouped }) => ({
    heads: members.map((row) => toHead(row, beside.get(row.id), isGrouped)),
  }));
  return { time: first.time, units };
}

/** The groups of which all members are free, by leader. */
async function claimMembers(
  session: Pick<Session, 'rows'>,
  leaders: readonly number[],
): Promise<Map<number, HeadRow[]>> {
  const locked = await session.rows<HeadRow & { leader: number }>(CLAIM_MEMBERS, [leaders]);
  const counts = await session.rows<{ leader: number; members: number }>(COUNT_MEMBERS, [leaders]);
  const byLeader = Map.groupBy(locked, ({ leader }) => leader);
  const whole = counts.filter(({ leader, members }) => byLeader.get(leader)?.length === members);
  return new Map(whole.map(({ leader }) => [leader, byLeader.get(leader) ?? []]));
}

function toHead(row: HeadRow, beside: BesideRow | undefined, isGrouped: boolean): ClaimedHead {
  // It is locked, so it is there.
  if (beside === undefined) throw new Error(`store: conversation ${row.id} is locked and not found`);
  // The cast is the brand, as below.
  const conversationId = fromStorable(row.conversation_id) as ConversationId;
  return {
    id: row.id,
    // The casts are the brands: the filer and the engine wrote them.
    conversation: headFrom(conversationId, row, fromStorable),
    firstTrace: row.first_trace === null ? undefined : (fromUuid(row.first_trace) as TraceId),
    firstDay: row.first_day,
    isGrouped,
    revisit: beside.revisit ?? undefined,
    // The cast holds because `Truths.put` wrote the text.
    truth: beside.truth === null ? undefined : (JSON.parse(beside.truth) as Json),
    feedback: beside.feedback_said === null ? [] : keptFrom(conversationId, beside.feedback_said),
    waits: beside.waits,
  };
}

const HEAD_COLUMNS = `c.id, c.conversation_id, c.first_day, c.first_trace, ${namesOf(CONVERSATION_COLUMNS, 'c')}`;

/**
 * Read after the rows are locked, by a statement of its own. The statement that waits for no lock sees a conversation as
 * it is now, and all other tables as they were when it began: with feedback that somebody has counted meanwhile.
 */
const BESIDE = {
  name: 'claim-beside',
  sql: `SELECT c.id,
    (SELECT number FROM revisits v WHERE v.conversation = c.id AND v.due_at <= $2) AS revisit,
    (SELECT truth FROM truths t WHERE t.key = c.key) AS truth,
    (SELECT json_agg(json_build_object('body', body, 'counted', counted) ORDER BY id COLLATE "C") FROM feedback f
      WHERE f.key = c.key) AS feedback_said,
    EXISTS (SELECT 1 FROM waiting_evaluations w WHERE w.conversation = c.id) AS waits
    FROM conversations c WHERE c.id = ANY($1::bigint[])`,
};

/**
 * The small table drives: a join of revisits with conversations was planned while both were empty, and went through all
 * conversations each time.
 */
const CLAIM = {
  name: 'claim',
  sql: `WITH now AS MATERIALIZED (SELECT log_time AS time FROM cluster),
    ready AS MATERIALIZED (
      SELECT p.conversation, p.closed_at AS at FROM instances i CROSS JOIN LATERAL (
        SELECT conversation, closed_at FROM pending WHERE home = i.id AND closed_at <= (SELECT time FROM now)
        ORDER BY closed_at LIMIT $2) p
      WHERE $1::smallint IS NULL OR i.id = $1
      UNION ALL
      (SELECT id, due_at FROM conversations WHERE due_at <= (SELECT time FROM now) AND ($1::smallint IS NULL OR home = $1)
       ORDER BY due_at, id LIMIT $2)
      UNION ALL
      SELECT v.conversation, c.last_closed_at FROM (
        SELECT conversation FROM revisits WHERE due_at <= (SELECT time FROM now) ORDER BY due_at, number LIMIT $2) v CROSS JOIN LATERAL (
        SELECT last_closed_at FROM conversations WHERE id = v.conversation AND ($1::smallint IS NULL OR home = $1) LIMIT 1) c),
    units AS MATERIALIZED (
      SELECT coalesce(g.leader, r.conversation) AS unit, g.leader, min(r.at) AS at
      FROM ready r LEFT JOIN conversation_groups g ON g.conversation = r.conversation
      GROUP BY 1, 2 ORDER BY 3, 1 LIMIT $2)
    SELECT ${HEAD_COLUMNS}, u.leader, (SELECT time FROM now) AS time FROM units u JOIN conversations c ON c.id = u.unit
    ORDER BY u.at, u.unit LIMIT $3 FOR NO KEY UPDATE OF c SKIP LOCKED`,
};
const CLAIM_MEMBERS = {
  name: 'claim-members',
  sql: `SELECT ${HEAD_COLUMNS}, g.leader FROM conversation_groups g JOIN conversations c ON c.id = g.conversation
    WHERE g.leader = ANY($1::bigint[]) FOR NO KEY UPDATE OF c SKIP LOCKED`,
};
const COUNT_MEMBERS = {
  name: 'count-members',
  sql: 'SELECT leader, count(*) AS members FROM conversation_groups WHERE leader = ANY($1::bigint[]) GROUP BY leader',
};
