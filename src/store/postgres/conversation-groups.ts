/**
 * Conversations that have to be scored together, since their turns may refer to each other: groups, of which the conversation with the smallest number is the
 * leader. A conversation in no group stands for itself. Groups only grow; being in one decides nothing.
 */
import type { Session } from './session.ts';

export type Pair = readonly [number, number];

/** Joins both conversations of each pair, and the groups that they are in. */
export async function joinGroups(session: Session, pairs: readonly Pair[]): Promise<void> {
  const different = pairs.filter(([a, b]) => a !== b);
  if (different.length === 0) return;
  const conversations = [...new Set(different.flat())];
  const known = await session.rows<{ conversation: number; leader: number }>(LEADERS, [conversations]);
  const leaders = new Map(known.map(({ conversation, leader }) => [conversation, leader]));
  const groups = new DisjointSets();
  for (const [a, b] of different) groups.join(leaders.get(a) ?? a, leaders.get(b) ?? b);
  const moved: Pair[] = [];
  for (const conversation of conversations) {
    const before = leaders.get(conversation);
    const leader = groups.leaderOf(before ?? conversation);
    if (before === undefined) moved.push([conversation, leader]);
  }
  const merged = [...new Set(leaders.values())].map((leader) => [leader, groups.leaderOf(leader)] as const);
  const changed = merged.filter(([from, to]) => from !== to);
  // A leader that was in no group itself is in the new one.
  const rows = new Map([...moved, ...moved.map(([, leader]) => [leader, leader] as const)]);
  for (const [from, to] of changed) for (const one of [from, to]) rows.set(one, to);
  await session.run(INSERT, [[...rows.keys()], [...rows.values()]]);
  if (changed.length > 0) await session.run(MERGE, [changed.map(([from]) => from), changed.map(([, to]) => to)]);
}

/** Sets whose smallest member leads. */
class DisjointSets {
  readonly #above = new Map<number, number>();

  leaderOf(member: number): number {
    let leader = member;
    for (let above = this.#above.get(leader); above !== undefined; above = this.#above.get(leader)) leader = above;
    if (leader !== member) this.#above.set(member, leader);
    return leader;
  }

  join(a: number, b: number): void {
    const [x, y] = [this.leaderOf(a), this.leaderOf(b)];
    if (x !== y) this.#above.set(Math.max(x, y), Math.min(x, y));
  }
}

const LEADERS = {
  name: 'leaders-of',
  sql: 'SELECT conversation, leader FROM conversation_groups WHERE conversation = ANY($1::bigint[])',
};
const INSERT = {
  name: 'join-group',
  sql: `INSERT INTO conversation_groups (conversation, leader) SELECT c, l FROM unnest($1::bigint[], $2::bigint[]) AS n (c, l)
    ON CONFLICT (conversation) DO UPDATE SET leader = excluded.leader`,
};
const MERGE = {
  name: 'merge-groups',
  sql: `UPDATE conversation_groups SET leader = m.leader FROM unnest($1::bigint[], $2::bigint[]) AS m (before, leader)
    WHERE conversation_groups.leader = m.before`,
};
