/**
 * The archive's rows. A conversation waits from the transaction that stored its evaluation on; rows of several instances
 * may appear out of the order of their numbers, and each is taken when it is there. `archive-relay.ts` has the states.
 *
 * One holder at a time writes: it has the lease, by the clock of the database, and notes nothing without it.
 */
import type { ArchiveForgets, ArchivePlan, KeptBatch, PlannedBatch, PlanOptions } from '../archive-store.ts';
import { archivedKey, archivedUserKey } from '../archived-keys.ts';
import { change, type Dialect, isTrue, type Rule, rows, transaction } from '../sql.ts';

const DAY_MS = 86_400_000;

function lease({ nowMs }: Dialect, holder: string, ms: number): Rule<boolean> {
  const sql = `INSERT INTO archive_lease AS l (one, holder, until) VALUES (1, ?, ${nowMs} + ?)
    ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE l.holder = excluded.holder OR l.until < ${nowMs}`;
  return transaction({ what: 'the lease of the archive' }, function* () {
    return (yield* change({ name: 'take-archive-lease', sql }, [holder, ms])) > 0;
  });
}

const END_LEASE = { name: 'end-archive-lease', sql: 'DELETE FROM archive_lease WHERE holder = ?' };
const OLDEST = { name: 'oldest-to-archive', sql: 'SELECT at FROM archive_queue ORDER BY id LIMIT 1' };
const PLANNED = {
  name: 'planned-batch',
  sql: 'SELECT name, day FROM archive_batches WHERE NOT kept ORDER BY name LIMIT 1',
};
const OF_BATCH = {
  name: 'conversations-of-batch',
  sql: 'SELECT DISTINCT conversation_id FROM archive_queue WHERE batch = ? ORDER BY conversation_id',
};
const WAITING = {
  name: 'waiting-for-archive',
  sql: 'SELECT id, at FROM archive_queue WHERE batch IS NULL ORDER BY id LIMIT ?',
};
const NOTE_BATCH = {
  name: 'note-batch',
  sql: 'INSERT INTO archive_batches (name, day, kept, keys) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING',
};
const NOTHING = new Uint8Array(0);

function endLease(_: Dialect, holder: string): Rule<void> {
  return transaction({ what: "the end of the archive's lease" }, function* () {
    yield* change(END_LEASE, [holder]);
  });
}

/** A batch has conversations of one day only, because its objects are under that day. */
function plan(dialect: Dialect, { name, limit, now, everyMs }: PlanOptions): Rule<ArchivePlan> {
  return transaction({ what: 'the plan of a batch' }, function* () {
    const [oldest] = yield* rows<{ at: number }>(OLDEST);
    const [planned] = yield* rows<{ name: string; day: number }>(PLANNED);
    if (planned !== undefined) return { batch: yield* batchOf(dialect, planned), oldestAt: oldest?.at };
    const waiting = yield* rows<{ id: number; at: number }>(WAITING, [limit]);
    const [first] = waiting;
    if (first === undefined) return { batch: undefined, oldestAt: oldest?.at };
    const day = Math.floor(first.at / DAY_MS);
    const together = waiting.filter(({ at }) => Math.floor(at / DAY_MS) === day);
    const isWorthwhile = together.length === limit || day < Math.floor(now / DAY_MS) || first.at <= now - everyMs;
    if (!isWorthwhile) return { batch: undefined, oldestAt: first.at };
    yield* change(NOTE_BATCH, [name, day, false, NOTHING]);
    const sql = `UPDATE archive_queue SET batch = ? WHERE ${dialect.among('id')}`;
    yield* change({ name: 'plan-batch', sql }, [name, together.map(({ id }) => id)]);
    return { batch: yield* batchOf(dialect, { name, day }), oldestAt: first.at };
  });
}

function* batchOf({ fromStored }: Dialect, batch: { readonly name: string; readonly day: number }): Rule<PlannedBatch> {
  const found = yield* rows<{ conversation_id: string }>(OF_BATCH, [batch.name]);
  return { ...batch, conversations: found.map((row) => fromStored(row.conversation_id)) };
}

function release({ among, toStored }: Dialect, batch: string, conversations: readonly string[]): Rule<void> {
  const sql = `UPDATE archive_queue SET batch = NULL WHERE batch = ? AND ${among('conversation_id')}`;
  return transaction({ what: 'the release of conversations' }, function* () {
    yield* change({ name: 'release-from-batch', sql }, [batch, conversations.map(toStored)]);
  });
}

const KEEP = {
  name: 'keep-batch',
  sql: `UPDATE archive_batches SET kept = ?, keys = ?
    WHERE name = ? AND EXISTS (SELECT 1 FROM archive_lease WHERE holder = ?)`,
};
const DROP_BATCH = { name: 'drop-batch', sql: 'DELETE FROM archive_batches WHERE name = ?' };
const DONE = { name: 'archived', sql: 'DELETE FROM archive_queue WHERE batch = ?' };

function keep(_: Dialect, holder: string, { name, keys }: KeptBatch): Rule<boolean> {
  return transaction({ what: 'the keeping of a batch' }, function* () {
    const noted = yield* change(KEEP, [true, keys, name, holder]);
    if (noted === 0) return false;
    if (keys.length === 0) yield* change(DROP_BATCH, [name]);
    yield* change(DONE, [name]);
    return true;
  });
}

const KEPT = {
  name: 'kept-batches',
  sql: 'SELECT name, day, keys FROM archive_batches WHERE kept AND name > ? ORDER BY name LIMIT ?',
};

function kept(
  _: Dialect,
  { after, limit }: { readonly after: string; readonly limit: number },
): Rule<readonly KeptBatch[]> {
  return rows<KeptBatch>(KEPT, [after, limit]);
}

function adopt(_: Dialect, batches: readonly KeptBatch[]): Rule<void> {
  return transaction({ what: 'the adoption of batches' }, function* () {
    for (const { name, day, keys } of batches) yield* change(NOTE_BATCH, [name, day, true, keys]);
  });
}

const REWRITTEN = { name: 'rewritten-batch', sql: 'UPDATE archive_batches SET keys = ? WHERE name = ?' };

function rewritten(_: Dialect, { name, keys }: KeptBatch): Rule<void> {
  return transaction({ what: 'a batch that lost conversations' }, function* () {
    if (keys.length === 0) yield* change(DROP_BATCH, [name]);
    else yield* change(REWRITTEN, [keys, name]);
  });
}

const FORGETS = {
  name: 'archive-forgets',
  sql: 'SELECT key, user_id AS "userId" FROM archive_forgets ORDER BY key LIMIT ?',
};
const NOTE_FORGET = {
  name: 'note-archive-forget',
  sql: 'INSERT INTO archive_forgets (key, user_id) VALUES (?, ?) ON CONFLICT (key) DO NOTHING',
};

function* forgets({ fromStored }: Dialect, limit: number): Rule<ArchiveForgets> {
  const found = yield* rows<{ key: string; userId: string | null }>(FORGETS, [limit]);
  return {
    conversations: found.flatMap(({ key, userId }) => (userId === null ? [key] : [])),
    users: found.flatMap(({ userId }) => (userId === null ? [] : [fromStored(userId)])),
  };
}

function alsoForget(_: Dialect, conversations: readonly string[]): Rule<void> {
  return transaction({ what: 'conversations of a user in the archive' }, function* () {
    yield* noteForgets(conversations.map((key) => [key, null]));
  });
}

function* noteForgets(forgotten: readonly (readonly [key: string, user: string | null])[]): Rule<void> {
  for (const values of forgotten) yield* change(NOTE_FORGET, values);
}

function forgotten({ among, toStored }: Dialect, { conversations, users }: ArchiveForgets): Rule<void> {
  return transaction({ what: 'the end of forgetting in the archive' }, function* () {
    const byKey = `DELETE FROM archive_forgets WHERE ${among('key')} AND user_id IS NULL`;
    yield* change({ name: 'archive-forgot', sql: byKey }, [conversations]);
    const byUser = `DELETE FROM archive_forgets WHERE ${among('user_id')}`;
    yield* change({ name: 'archive-forgot-users', sql: byUser }, [users.map(toStored)]);
  });
}

function* toForget(): Rule<number> {
  const [row] = yield* rows<{ many: number }>({
    name: 'count-archive-forgets',
    sql: 'SELECT count(*) AS many FROM archive_forgets',
  });
  return Number(row?.many ?? 0);
}

/** Inside the transaction that forgets. Without an archive nothing is noted. */
export function* forgetArchived(
  { among, toStored }: Dialect,
  { conversations, users }: { readonly conversations: readonly string[]; readonly users: readonly string[] },
): Rule<void> {
  const sql = `DELETE FROM archive_queue WHERE ${among('conversation_id')}`;
  yield* change({ name: 'forget-waiting-for-archive', sql }, [conversations.map(toStored)]);
  const [row] = yield* rows<{ has: boolean | number }>({
    name: 'has-archive',
    sql: 'SELECT EXISTS (SELECT 1 FROM archive_batches) AS has',
  });
  if (row === undefined || !isTrue(row.has)) return;
  yield* noteForgets([
    ...conversations.map((id) => [archivedKey(id), null] as const),
    ...users.map((user) => [archivedUserKey(user), toStored(user)] as const),
  ]);
}

export const ARCHIVE = {
  lease,
  endLease,
  plan,
  release,
  keep,
  kept,
  adopt,
  rewritten,
  forgets,
  alsoForget,
  forgotten,
  toForget,
};
