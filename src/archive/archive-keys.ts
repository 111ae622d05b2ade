/** Keys of the archive's objects: `table=evaluations/day=2026-11-30/<batch>.parquet`. None holds a text from spans. */

/** In the order in which they are written: the rest of a conversation is there before it is. */
export const ARCHIVE_TABLES = ['content', 'verdicts', 'evaluations', 'conversations'] as const;
export type ArchiveTable = (typeof ARCHIVE_TABLES)[number];

interface BatchPlace {
  readonly name: string;
  /** Days since 1970, in UTC. */
  readonly day: number;
}

const DAY_MS = 86_400_000;
const KEY = /(?:^|\/)table=(\w+)\/day=(\d{4}-\d\d-\d\d)\/([0-9a-z-]+)\.parquet$/;

export function keyOf(table: ArchiveTable, { name, day }: BatchPlace): string {
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  return `${tablePrefix(table)}day=${date}/${name}.parquet`;
}

export function tablePrefix(table: ArchiveTable): string {
  return `table=${table}/`;
}

/** Undefined for objects of others. */
export function tryReadKey(key: string): (BatchPlace & { readonly table: string }) | undefined {
  const [, table, date, name] = KEY.exec(key) ?? [];
  if (table === undefined || date === undefined || name === undefined) return undefined;
  return { table, day: Math.floor(Date.parse(date) / DAY_MS), name };
}
