/**
 * The days by which the large tables are partitioned: wall-clock days in UTC, as numbers since 1970. A row is in the partition of the day on which
 * it was written, whatever its log time says, so that what is written now is kept from now on.
 *
 * To find the filed turns of a trace, only the days are searched on which it can have been filed. A lane's log time
 * never goes back, so turns filed before a day began had closed by the lanes' time then. That time is noted for each
 * day.
 */
import { lockKey } from './advisory-locks.ts';
import type { Link } from './link.ts';
import type { Session } from './session.ts';

const DAY_MS = 86_400_000;
/** Clocks of instances differ, so that one may still write to a day after another has begun the next. */
const CLOCK_MARGIN_MS = 3_600_000;
const AHEAD = 3;
export const PARTITIONED = ['arrivals', 'traces', 'evaluations'] as const;

export function dayOf(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS);
}

/**
 * Makes the partitions of today and the next days. Rows of a partition that cannot be created now go to the default
 * partition, which works as well.
 */
export async function makePartitions(link: Link, wallMs: number): Promise<void> {
  const first = dayOf(wallMs) - 1;
  await makePartitionsOf(
    link,
    Array.from({ length: AHEAD + 2 }, (_, index) => first + index),
  );
}

export async function makePartitionsOf(link: Link, days: readonly number[]): Promise<void> {
  const missing = await link.use((session) =>
    session.once<{ name: string; day: number }>(
      `SELECT t.name, d.day FROM unnest($1::text[]) t (name), unnest($2::int[]) d (day)
       WHERE to_regclass(t.name || '_d' || d.day) IS NULL`,
      [PARTITIONED, days],
    ),
  );
  for (const { name, day } of missing) await makePartition(link, name, day);
}

async function makePartition(link: Link, table: string, day: number): Promise<void> {
  await link.transaction(
    async (session) => {
      // In the way of a long statement we would hold up everybody behind us.
      await session.script("SET LOCAL lock_timeout = '3s'");
      const [found] = await session.once<{ rows: boolean }>(
        `SELECT to_regclass($1) IS NOT NULL OR EXISTS (SELECT 1 FROM ${table}_default WHERE day = $2) AS rows`,
        [`${table}_d${day}`, day],
      );
      if (found?.rows === true) return;
      await session.script(
        `CREATE TABLE ${table}_d${day} PARTITION OF ${table} FOR VALUES FROM (${day}) TO (${day + 1})`,
      );
    },
    { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('housekeeping')})` },
  );
}

/** When each day began, in the lanes' log time. */
export class FilingDays {
  #days: readonly { readonly day: number; readonly lanesTime: number }[] = [];
  #today = Number.NaN;

  /** Notes that the day has begun, the first time that anything is filed on it. */
  async begin(session: Session, day: number): Promise<void> {
    if (day === this.#today) return;
    await session.run(BEGIN_DAY, [day]);
    this.#days = await session.rows<{ day: number; lanesTime: number }>(ALL_DAYS);
    this.#today = day;
  }

  /** The first day on which anything that closed at or after this log time can have been filed. */
  firstOf(closedAt: number): number {
    let first = this.#today;
    // Latest first: a day is looked at if the one after it began later than that.
    for (const [index, { day }] of this.#days.entries()) {
      const after = this.#days[index - 1];
      if (after === undefined || after.lanesTime + CLOCK_MARGIN_MS >= closedAt) first = Math.min(first, day);
      else break;
    }
    return first;
  }

  forget(): void {
    this.#today = Number.NaN;
  }
}

const BEGIN_DAY = {
  name: 'begin-day',
  sql: `INSERT INTO days (day, lanes_time) SELECT $1, coalesce(max(log_time), 0) FROM lanes ON CONFLICT DO NOTHING`,
};
const ALL_DAYS = { name: 'all-days', sql: 'SELECT day, lanes_time AS "lanesTime" FROM days ORDER BY day DESC' };
