/**
 * Deletes old data. The large tables are deleted by day: a partition is dropped after the rows that are still needed
 * have been copied to the partition of kept rows. Needed rows are failed conversations, because people come back to
 * them, those still in progress, and turns that wait to be scored. Heads go in the order of their numbers, some at a
 * time, and with them what was kept of them. Running totals stay: a counter never goes down.
 *
 * The traces of what goes are remembered for as long as their spans may be redelivered, by a lane that is read again or
 * a client that sends twice: such spans are left out when filed.
 *
 * A lane that files for a head must not find it gone at its commit; so heads go under a lock that filers share, and for
 * a short time only.
 */
import type { HousekeepingStore } from '../cluster-store.ts';
import { lockKey } from './advisory-locks.ts';
import { dayOf, makePartitions, PARTITIONED } from './days.ts';
import { StatementFailed } from './errors.ts';
import { EVALUATION_REST } from './evaluation-copy.ts';
import { dropConversations, dropHistory, dropLonely } from '../rules/dropping.ts';
import { DROPPING } from './forgetting.ts';
import type { Link } from './link.ts';
import { SharedRetentionClock } from './retention-clock.ts';
import { PostgresSql, runOn } from './postgres-sql.ts';
import type { Session } from './session.ts';
import { ARRIVAL_REST, TRACE_REST } from './trace-copy.ts';

interface Retention {
  readonly keepMs: number;
  readonly keepFailedMs: number;
  readonly openMaxMs: number;
  readonly reopenMs: number;
}

/** A client that could not reach us may send what it had sent before for about as long. */
const SENT_AGAIN_FOR_MS = 86_400_000;

/** Looked at in one transaction, which keeps filers waiting. */
const HEADS_MAX = 1_000;
const BATCHES_MAX = 100;
const LOCK_NOT_AVAILABLE = '55P03';
const DAY_MS = 86_400_000;

export class Housekeeping implements HousekeepingStore {
  readonly #link: Link;
  readonly #retention: Retention;
  readonly #clock: SharedRetentionClock;
  /** Heads up to this number have been looked at in this round. */
  #cursor = 0;

  constructor(link: Link, retention: Retention) {
    this.#link = link;
    this.#retention = retention;
    this.#clock = new SharedRetentionClock(link);
  }

  /** `wall` is the database's time, unless a test says another: the clocks of instances have no say in what is deleted. */
  async tidy(wall?: number): Promise<{
    readonly conversations: number;
    readonly more: boolean;
    readonly jumpMs: number | undefined;
  }> {
    const { now, jumpMs } = await this.#clock.read(wall);
    return { ...(await this.#tidy(now)), jumpMs };
  }

  async #tidy(now: number): Promise<{ readonly conversations: number; readonly more: boolean }> {
    const sql = new PostgresSql(DROPPING, this.#link);
    let conversations = 0;
    try {
      await makePartitions(this.#link, now);
      await this.#dropDays(now);
      await sql.run(dropHistory(DROPPING, now));
      await sql.run(dropLonely(DROPPING, now - this.#retention.keepFailedMs));
      await this.#link.use((session) => session.once(FORGET_GONE, [now - this.#retention.keepFailedMs]));
      for (const sql of FORGET_PRUNED) await this.#link.use((session) => session.once(sql, [this.#rememberMs]));
      await this.#link.use((session) => session.once(DROP_LOST_TURNS, [this.#retention.openMaxMs]));
      for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
        const dropped = await this.#dropHeads(now);
        conversations += dropped.conversations;
        if (!dropped.more) return { conversations, more: false };
      }
    } catch (error) {
      // Somebody is busy with what was to go, and we are in no hurry.
      if (!(error instanceof StatementFailed) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    }
    return { conversations, more: true };
  }

  /** Lanes are read again from their oldest open turn, or a little earlier. */
  get #rememberMs(): number {
    const { reopenMs, openMaxMs } = this.#retention;
    return Math.max(reopenMs, 2 * openMaxMs, SENT_AGAIN_FOR_MS);
  }

  /** A day at a time, so that no lock is held for long. */
  async #dropDays(now: number): Promise<void> {
    const { keepMs, keepFailedMs } = this.#retention;
    // A day is over when its last instant is.
    const last = dayOf(now - keepMs - DAY_MS);
    const days = await this.#link.use((session) => session.once<{ day: number }>(OLD_DAYS, [last]));
    for (const { day } of days) {
      await this.#link.transaction(
        async (session) => {
          await session.script("SET LOCAL lock_timeout = '3s'");
          const [still] = await session.once<{ there: boolean }>(IS_THERE, [day]);
          if (still?.there !== true) return;
          const rememberMs = this.#rememberMs;
          await keep(session, day, { since: now - keepMs, failedSince: now - keepFailedMs, rememberMs });
          for (const table of PARTITIONED) await session.script(`DROP TABLE IF EXISTS ${table}_d${day}`);
          for (const table of PARTITIONED) await session.once(`DELETE FROM ${table}_default WHERE day <= $1`, [day]);
          await session.once('DELETE FROM days WHERE day < $1', [day]);
        },
        { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('housekeeping')})` },
      );
    }
  }

  async #dropHeads(now: number): Promise<{ readonly conversations: number; readonly more: boolean }> {
    const { keepMs, keepFailedMs } = this.#retention;
    return this.#link.transaction(
      async (session) => {
        const heads = await session.once<{ id: number; firstDay: number; old: boolean }>(OLD_HEADS, [
          this.#cursor,
          HEADS_MAX,
          now - keepMs,
          now - keepFailedMs,
        ]);
        const old = heads.filter((head) => head.old).map(({ id }) => id);
        this.#cursor = heads.at(-1)?.id ?? 0;
        if (old.length > 0) await dropAll(session, old, this.#rememberMs);
        // Behind one that is young lie younger ones.
        const more = heads.length === HEADS_MAX && (heads.at(-1)?.firstDay ?? 0) <= dayOf(now - keepMs);
        if (!more) this.#cursor = 0;
        return { conversations: old.length, more };
      },
      // Filers that come while we wait for others wait behind us.
      { begin: `BEGIN; SET LOCAL lock_timeout = '1s'; SELECT pg_advisory_xact_lock(${lockKey('filing')})` },
    );
  }
}

/** Rows of a day that are still needed move to the partition of kept rows, where their day is negative. */
async function keep(
  session: Session,
  day: number,
  {
    since,
    failedSince,
    rememberMs,
  }: { readonly since: number; readonly failedSince: number; readonly rememberMs: number },
): Promise<void> {
  const isNeeded = `EXISTS (SELECT 1 FROM conversations c WHERE c.id = t.conversation
    AND (c.due_at IS NOT NULL OR c.updated_at >= ${since} OR (c.worst_outcome > 0 AND c.updated_at >= ${failedSince})))`;
  const arrivals = `arrivals_d${day}`;
  const traces = `traces_d${day}`;
  await session.script(`
    ${remembering(`${traces} t`, `NOT ${isNeeded}`, rememberMs)};
    INSERT INTO arrivals (day, ${ARRIVAL_REST}) SELECT -day, ${ARRIVAL_REST} FROM ${arrivals} a
      WHERE EXISTS (SELECT 1 FROM pending p WHERE p.trace_id = a.trace_id AND p.arrival = a.id AND p.day = a.day)
      OR EXISTS (SELECT 1 FROM ${traces} t WHERE t.trace_id = a.trace_id AND t.arrival = a.id AND t.traces IS NULL AND ${isNeeded});
    UPDATE pending SET day = -day WHERE day = ${day};
    INSERT INTO traces (day, ${TRACE_REST}) SELECT -day, ${TRACE_REST} FROM ${traces} t WHERE ${isNeeded};
    INSERT INTO evaluations (day, id, ${EVALUATION_REST}) SELECT -day, id, ${EVALUATION_REST} FROM evaluations_d${day} t WHERE ${isNeeded};
  `);
}

/** With all that is kept of them; what lies in the partition of a day goes with the day. */
async function dropAll(session: Session, ids: readonly number[], rememberMs: number): Promise<void> {
  await session.once(remembering('traces t', 't.conversation = ANY($1::bigint[])', rememberMs), [ids]);
  await session.once(
    `DELETE FROM arrivals_kept a USING traces_kept t
     WHERE t.conversation = ANY($1::bigint[]) AND a.trace_id = t.trace_id AND a.id = t.arrival`,
    [ids],
  );
  await session.once(NOTE_GONE, [ids, Date.now()]);
  for (const table of ['arrivals_kept', 'traces_kept', 'evaluations_kept'])
    await session.once(`DELETE FROM ${table} WHERE conversation = ANY($1::bigint[])`, [ids]);
  await runOn(session, dropConversations(DROPPING, [ids]));
}

/** Notes the traces that are about to be deleted, if they closed late enough to be redelivered. */
function remembering(from: string, condition: string, rememberMs: number): string {
  return `INSERT INTO pruned_traces (trace_id, closed_at) SELECT t.trace_id, max(t.closed_at) FROM ${from}
    WHERE t.closed_at >= (SELECT coalesce(log_time, 0) FROM cluster) - ${rememberMs} AND ${condition} GROUP BY t.trace_id
    ON CONFLICT (trace_id) DO UPDATE SET closed_at = greatest(pruned_traces.closed_at, excluded.closed_at)`;
}

/** Remembers deleted conversations, so that feedback for one of them is answered. */
const NOTE_GONE = `INSERT INTO gone_conversations (key, at)
  SELECT key, $2::bigint FROM conversations WHERE id = ANY($1::bigint[])
  ON CONFLICT (key) DO UPDATE SET at = excluded.at`;
const FORGET_GONE = 'DELETE FROM gone_conversations WHERE at < $1::bigint';

const FORGET_PRUNED = [
  'DELETE FROM pruned_traces WHERE closed_at < (SELECT log_time FROM cluster) - $1::bigint',
  'DELETE FROM forgotten WHERE at < (SELECT log_time FROM cluster) - $1::bigint',
];

/** Turns that must have closed by now: their records are gone from the log, so nobody will file their close. */
const DROP_LOST_TURNS = 'DELETE FROM open_turns WHERE named_at < (SELECT log_time FROM cluster) - $1::bigint';

const OLD_DAYS = `SELECT substring(relname FROM '_d(\\d+)$')::int AS day FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent = 'arrivals'::regclass AND relname ~ '_d\\d+$' AND substring(relname FROM '_d(\\d+)$')::int <= $1 ORDER BY 1`;
const IS_THERE = `SELECT to_regclass('arrivals_d' || $1::int) IS NOT NULL AS there`;
/**
 * A group goes when all of it may. An instance that scores a conversation has locked its row, which is not old then.
 */
const OLD_HEADS = `
  SELECT c.id, c.first_day AS "firstDay", (c.old AND NOT EXISTS (
      SELECT 1 FROM conversation_groups g JOIN conversation_groups o ON o.leader = g.leader JOIN conversations m ON m.id = o.conversation
      WHERE g.conversation = c.id AND (m.due_at IS NOT NULL OR m.updated_at >= $3
        OR (m.worst_outcome > 0 AND m.updated_at >= $4) OR EXISTS (SELECT 1 FROM pending p WHERE p.conversation = m.id)))) AS old
  FROM (SELECT id, first_day, due_at IS NULL AND updated_at < $3 AND (worst_outcome = 0 OR updated_at < $4)
        AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.conversation = conversations.id) AS old
      FROM conversations WHERE id > $1 ORDER BY id LIMIT $2) c ORDER BY c.id`;
