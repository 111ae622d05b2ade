/**
 * The cluster's time: the smallest log time that all lanes have reached and filed. Before moving it, the mover puts
 * conversations that refer to one another up to then into one group, because they are scored from then on.
 *
 * The references of an arrival lie in the queue beside it. For arrivals without a conversation id it becomes evidence
 * that later ones are compared with; those with one are only compared, so that, except for their links, they do not
 * matter while there is no evidence. Every arrival is looked at once, by the move of time that passes it.
 *
 * The references of arrivals with a conversation id that were filed while there was no evidence are unknown: if there
 * is evidence when their time comes, they are worked out here, from their content. Filing instances see the evidence as
 * well, so these are few.
 */
import type { ClusterTime } from '../cluster-store.ts';
import { lockKey } from './advisory-locks.ts';
import { joinGroups, type Pair } from './conversation-groups.ts';
import { decodeFiledKeys, ONLY_UNKNOWN } from './filed-keys.ts';
import type { Link } from './link.ts';
import type { Session } from './session.ts';
import type { UnknownKeys } from './unknown-keys.ts';

/** Time moves a part of the way where more than this would have to be looked at, or worked out. */
const LOOKED_AT_MAX = 20_000;
const WORKED_OUT_MAX = 500;

interface Referring {
  readonly conversation: number;
  readonly traceId: string;
  readonly bytes: number;
  readonly closedAt: number;
  readonly isNamed: boolean;
  readonly keys: Buffer | null;
  readonly others: Buffer | null;
}

interface Key {
  readonly conversation: number;
  readonly key: bigint;
  readonly wanted: boolean;
}

export class SharedTime implements ClusterTime {
  readonly #link: Link;
  readonly #lanes: { readonly group: string; readonly topics: readonly string[] };
  readonly #unknown: UnknownKeys;

  constructor(link: Link, lanes: { readonly group: string; readonly topics: readonly string[] }, unknown: UnknownKeys) {
    this.#link = link;
    this.#lanes = lanes;
    this.#unknown = unknown;
  }

  async read(): Promise<number | undefined> {
    return this.#link.use(timeIn);
  }

  /** Where another instance is at it, the time is what it was. */
  async move(): Promise<number | undefined> {
    return this.#link.transaction(async (session) => {
      const [lock] = await session.rows<{ had: boolean }>(TRY_LOCK);
      const before = await timeIn(session);
      if (lock?.had !== true) return before;
      const [least] = await session.rows<{ time: number | null }>(LEAST, [this.#lanes.group, this.#lanes.topics]);
      const reached = least?.time ?? undefined;
      if (reached === undefined || (before !== undefined && reached <= before)) return before;
      const time = await relate(session, { after: before ?? -1, upTo: reached }, this.#unknown);
      await session.run(SET_TIME, [time]);
      return time;
    });
  }
}

/** Gives the time up to which everything has been looked at. */
async function relate(
  session: Session,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  unknown: UnknownKeys,
): Promise<number> {
  const [evidence] = await session.rows<{ isThere: boolean }>(IS_THERE_EVIDENCE);
  let isCompared = evidence?.isThere === true;
  let looked = await referringIn(session, { after, upTo }, isCompared);
  if (!isCompared && looked.referring.some(isEvidence)) {
    isCompared = true;
    looked = await referringIn(session, { after, upTo }, isCompared);
  }
  const pairs: Pair[] = [];
  const keys: { readonly named: Key[]; readonly unnamed: Key[] } = { named: [], unnamed: [] };
  const linked: { readonly conversation: number; readonly traceId: string }[] = [];
  const partial: Referring[] = [];
  for (const row of looked.referring) {
    const { conversation, isNamed, keys: bytes, others } = row;
    // The cast holds because `Filer` wrote the text.
    for (const other of others === null ? [] : (JSON.parse(others.toString()) as readonly number[])) {
      pairs.push([conversation, other]);
    }
    if (bytes === null) continue;
    const filed = decodeFiledKeys(bytes);
    if (filed.isPartial) partial.push(row);
    const into = isNamed ? keys.named : keys.unnamed;
    for (const key of filed.has) into.push({ conversation, key, wanted: false });
    for (const key of filed.wants) into.push({ conversation, key, wanted: true });
    for (const traceId of filed.linked) linked.push({ conversation, traceId });
  }
  if (isCompared) {
    // An earlier part with a name has said what is unknown of a part without one.
    for (const { of, key, wanted } of await unknown.workOut(session, partial)) {
      keys.named.push({ conversation: of.conversation, key, wanted });
    }
  }
  if (keys.unnamed.length > 0) await session.run(ADD_EVIDENCE, columnsOf(keys.unnamed));
  pairs.push(...(await matched(session, [...keys.unnamed, ...keys.named])), ...(await filedAs(session, linked)));
  await joinGroups(session, pairs);
  return looked.upTo;
}

/** Links alone are not: nothing is compared with them. */
function isEvidence({ isNamed, keys }: Referring): boolean {
  if (isNamed || keys === null) return false;
  const { has, wants } = decodeFiledKeys(keys);
  return has.length + wants.length > 0;
}

/** The arrivals to look at in one go, and the time up to which these are all. */
async function referringIn(
  session: Session,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  isCompared: boolean,
): Promise<{ readonly referring: readonly Referring[]; readonly upTo: number }> {
  const rows = (until: number, limit: number | null) =>
    session.rows<Referring>(REFERRING, [after, until, limit, isCompared, ONLY_UNKNOWN]);
  const referring = await rows(upTo, LOOKED_AT_MAX + 1);
  let unknown = 0;
  const end = referring.findIndex(({ keys }, index) => {
    if (isCompared && keys !== null && decodeFiledKeys(keys).isPartial) unknown += 1;
    return index >= LOOKED_AT_MAX || unknown > WORKED_OUT_MAX;
  });
  const last = referring[end]?.closedAt;
  if (last === undefined) return { referring, upTo };
  // There may be more at the last instant.
  if (last > after + 1) return { referring: referring.filter(({ closedAt }) => closedAt < last), upTo: last - 1 };
  return { referring: await rows(last, null), upTo: last };
}

async function matched(session: Session, keys: readonly Key[]): Promise<readonly Pair[]> {
  if (keys.length === 0) return [];
  const rows = await session.rows<{ a: number; b: number }>(MATCH, columnsOf(keys));
  return rows.map(({ a, b }) => [a, b]);
}

async function filedAs(
  session: Session,
  linked: readonly { readonly conversation: number; readonly traceId: string }[],
): Promise<readonly Pair[]> {
  if (linked.length === 0) return [];
  const values = [linked.map(({ conversation }) => conversation), linked.map(({ traceId }) => traceId)];
  const rows = await session.rows<{ a: number; b: number }>(LINKED, values);
  return rows.map(({ a, b }) => [a, b]);
}

function columnsOf(keys: readonly Key[]) {
  return [
    keys.map(({ key }) => key.toString()),
    keys.map(({ wanted }) => wanted),
    keys.map(({ conversation }) => conversation),
  ];
}

async function timeIn(session: Session): Promise<number | undefined> {
  const [row] = await session.rows<{ time: number | null }>(TIME);
  return row?.time ?? undefined;
}

const TRY_LOCK = { name: 'lock-time', sql: `SELECT pg_try_advisory_xact_lock(${lockKey('time')}) AS had` };
const TIME = { name: 'cluster-time', sql: 'SELECT log_time AS time FROM cluster' };
const SET_TIME = { name: 'set-cluster-time', sql: 'UPDATE cluster SET log_time = $1' };
const LEAST = {
  name: 'least-lane-time',
  sql: 'SELECT min(log_time) AS time FROM lanes WHERE consumer_group = $1 AND topics && $2::text[]',
};
const IS_THERE_EVIDENCE = { name: 'is-there-evidence', sql: 'SELECT EXISTS (SELECT FROM evidence) AS "isThere"' };
/**
 * By instance, since that is how the queue is in order. Arrivals of which nothing is known matter only if there is
 * evidence.
 */
const REFERRING = {
  name: 'referring-arrivals',
  sql: `SELECT p.conversation, p.trace_id AS "traceId", p.bytes, p.closed_at AS "closedAt", p.is_named AS "isNamed", p.keys, p.others
    FROM instances i CROSS JOIN LATERAL (
      SELECT * FROM pending WHERE home = i.id AND closed_at > $1 AND closed_at <= $2
        AND (keys <> $5 OR keys = $5 AND $4 OR others IS NOT NULL)
      ORDER BY closed_at LIMIT $3) p
    ORDER BY p.closed_at LIMIT $3`,
};
const ADD_EVIDENCE = {
  name: 'add-evidence',
  sql: `INSERT INTO evidence (key, wanted, conversation) SELECT * FROM unnest($1::bigint[], $2::boolean[], $3::bigint[])`,
};
/** Two of the same named conversation, or a thousand that all have one key, are as many pairs as one needs to join them. */
const MATCH = {
  name: 'match-evidence',
  sql: `SELECT DISTINCT n.conversation AS a, e.conversation AS b
    FROM unnest($1::bigint[], $2::boolean[], $3::bigint[]) AS n (key, wanted, conversation)
    CROSS JOIN LATERAL (SELECT conversation FROM evidence WHERE key = n.key AND wanted <> n.wanted
      AND conversation <> n.conversation LIMIT 64) e`,
};
const LINKED = {
  name: 'linked-arrivals',
  sql: `SELECT DISTINCT n.conversation AS a, r.conversation AS b
    FROM unnest($1::bigint[], $2::uuid[]) AS n (conversation, trace_id) JOIN arrivals r ON r.trace_id = n.trace_id`,
};
