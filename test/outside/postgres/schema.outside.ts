import { onTestFinished, expect, test } from 'vitest';
import { version } from '../../../src/cli/version.ts';
import { schemaAfter } from '../../../src/store/migration.ts';
import { Client } from 'pg';
import { CONVERSATION_COLUMNS } from '../../../src/store/conversation-columns.ts';
import { EVALUATION_COLUMNS } from '../../../src/store/evaluation-columns.ts';
import { makePartitions } from '../../../src/store/postgres/days.ts';
import { Link } from '../../../src/store/postgres/link.ts';
import type { Migration } from '../../../src/store/migration.ts';
import { downgradeStore, findStore } from '../../../src/store/postgres/found-store.ts';
import { downgrade, migrate, MIGRATIONS, storedSchema } from '../../../src/store/postgres/schema.ts';
import { freshDatabase } from './shared-postgres.ts';

function linkTo(url: string): Link {
  const link = new Link({ address: { url }, name: 'test', leaseMs: 30_000 });
  onTestFinished(() => link.close());
  return link;
}

test('however many instances start at once, each migration is run once', async () => {
  const url = await freshDatabase();

  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const link = linkTo(url);
      await migrate(link);
      await makePartitions(link, Date.now());
    }),
  );

  const link = linkTo(url);
  const [row] = await link.use((session) =>
    session.once<{ version: number; clusters: number; partitions: number }>(
      `SELECT version, (SELECT count(*) FROM cluster) AS clusters,
         (SELECT count(*) FROM pg_inherits WHERE inhparent = 'arrivals'::regclass) AS partitions FROM schema_version`,
    ),
  );
  expect(row).toEqual({ version: MIGRATIONS.length, clusters: 1, partitions: 7 });
});

test.each([
  [
    'conversations',
    CONVERSATION_COLUMNS,
    ['id', 'key', 'conversation_id', 'first_day', 'first_trace', 'home', 'came_out'],
  ],
  ['evaluations', EVALUATION_COLUMNS, ['id', 'day', 'conversation', 'trace_id', 'failed']],
] as const)('every column of %s is written, as what it is', async (table, columns, own) => {
  const link = linkTo(await freshDatabase());
  await migrate(link);

  const there = await link.use((session) =>
    session.once<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [table],
    ),
  );

  const types: Partial<Record<string, string>> = { plain: 'text', int: 'integer' };
  const written = columns.map(({ name, type }) => `${name} ${types[type] ?? type}`);
  const shared = there.filter(({ name }) => !own.some((one) => one === name));
  expect(shared.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual(written.toSorted());
});

test('a store from a newer Assay is refused, and left as it is', async () => {
  const url = await freshDatabase();
  const link = linkTo(url);
  await migrate(link);
  await link.use((session) =>
    session.script(
      `UPDATE schema_version SET version = ${MIGRATIONS.length + 1}, since = '98.7.6', opens_from = ${MIGRATIONS.length + 1}`,
    ),
  );

  await expect(migrate(link)).rejects.toThrow(
    /schema version \d+ and this Assay knows \d+: start Assay 98\.7\.6 or newer/,
  );
});

const LATER: readonly Migration[] = [
  ...MIGRATIONS,
  {
    since: '99.1.0',
    sql: 'ALTER TABLE conversations ADD COLUMN mood text; CREATE INDEX conversations_mood ON conversations (mood)',
    back: 'ALTER TABLE conversations DROP COLUMN mood',
    versionBefore: 'runs',
  },
  {
    since: '99.2.0',
    sql: 'CREATE TABLE other (a int); DROP TABLE copies',
    back: 'DROP TABLE other; CREATE TABLE copies (instance smallint PRIMARY KEY, came_to bigint NOT NULL)',
    versionBefore: 'stops',
  },
];

const OPENS_FROM = schemaAfter(MIGRATIONS, MIGRATIONS.length).opensFrom;

/** Columns and indexes of everything that migrations make, except the row about themselves. */
async function tablesIn(link: Link): Promise<readonly string[]> {
  const rows = await link.use((session) =>
    session.once<{ what: string }>(
      `SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable) AS what FROM information_schema.columns
       WHERE table_schema = 'assay' AND table_name <> 'schema_version'
       UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'assay' ORDER BY 1`,
    ),
  );
  return rows.map(({ what }) => what);
}

test('the tables go forward, back and forward again, and what they hold stays', async () => {
  const link = linkTo(await freshDatabase());
  const stored = () => link.use((session) => storedSchema(session));
  await migrate(link);
  const first = await tablesIn(link);
  await link.use((session) => session.script('UPDATE cluster SET log_time = 7'));

  await migrate(link, 'assay', LATER);
  const newest = await tablesIn(link);
  expect(await stored()).toEqual({ version: LATER.length, since: '99.2.0', opensFrom: LATER.length });
  await expect(migrate(link)).rejects.toThrow(/knows \d+: start Assay 99\.2\.0 or newer/);
  expect(await downgrade(link, '99.1.0', LATER)).toHaveLength(1);
  expect(await stored()).toEqual({ version: MIGRATIONS.length + 1, since: '99.1.0', opensFrom: OPENS_FROM });
  // Tables that were only added to are opened by the version before.
  await migrate(link);
  expect(await downgrade(link, version, LATER)).toHaveLength(1);
  expect(await tablesIn(link)).toEqual(first);
  await migrate(link, 'assay', LATER);

  expect(await tablesIn(link)).toEqual(newest);
  const [row] = await link.use((session) => session.once<{ at: number }>('SELECT log_time AS at FROM cluster'));
  expect(row?.at).toBe(7);
});

test('a step back that fails leaves everything as it was', async () => {
  const link = linkTo(await freshDatabase());
  const broken = LATER.map((one) => (one.since === '99.1.0' ? { ...one, back: 'nonsense' } : one));
  await migrate(link, 'assay', broken);
  const newest = await tablesIn(link);

  await expect(downgrade(link, version, broken)).rejects.toThrow(/nonsense/);

  expect(await tablesIn(link)).toEqual(newest);
});

test('a store is found without a change of it, and not taken back while an Assay is connected', async () => {
  const url = await freshDatabase();
  expect(await findStore({ url })).toBeUndefined();
  const link = linkTo(url);
  await migrate(link);
  await link.use((session) => session.once('UPDATE detection SET snapshot = $1', [Buffer.from('learned')]));

  const found = await findStore({ url });
  await expect(downgradeStore({ url }, '0.1.0')).rejects.toThrow(/stop every Assay first.*assay test/);
  await link.close();

  expect(found?.schema).toEqual(schemaAfter(MIGRATIONS, MIGRATIONS.length));
  expect(found?.detection?.toString()).toBe('learned');
  expect(await downgradeStore({ url }, version)).toEqual([]);
  expect(await downgradeStore({ url }, '0.1.0')).toHaveLength(
    MIGRATIONS.filter(({ since }) => since !== '0.1.0').length,
  );
});

test('a user who may not make schemas can use one that is there', async () => {
  const url = await freshDatabase();
  const owner = new Client({ connectionString: url });
  await owner.connect();
  onTestFinished(() => owner.end());
  const name = `limited_${Math.random().toString(36).slice(2)}`;
  await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD 'se/c:r%et'; CREATE SCHEMA mine AUTHORIZATION ${name}`);
  const limited = new URL(url);
  limited.username = name;
  limited.password = '';
  const link = new Link({
    address: { url: limited.href, password: 'se/c:r%et', schema: 'mine' },
    name: 'test',
    leaseMs: 30_000,
  });
  onTestFinished(() => link.close());

  await migrate(link, 'mine');

  const [row] = await link.use((session) => session.once<{ version: number }>('SELECT version FROM schema_version'));
  expect(row?.version).toBe(MIGRATIONS.length);
});

test('a day of which rows have come already stays in the default partition', async () => {
  const url = await freshDatabase();
  const link = linkTo(url);
  await migrate(link);
  const day = Math.floor(Date.now() / 86_400_000);
  await link.use((session) =>
    session.script(
      `INSERT INTO evaluations (day, conversation, turn_id, suite, suite_version, revision, outcome, explanation, verdicts, failed, labels, created_at)
       VALUES (${day}, 1, '', 's', '1', 1, 0, '', '[]', '{}', '{}', 0)`,
    ),
  );

  await makePartitions(link, Date.now());

  const rows = await link.use((session) =>
    session.once<{ place: string }>('SELECT tableoid::regclass::text AS place FROM evaluations'),
  );
  expect(rows.map(({ place }) => place)).toEqual(['evaluations_default']);
});

test('stored conversations get a time: their own if it can be true, otherwise that of arrival', async () => {
  const link = linkTo(await freshDatabase());
  const arrived = Date.UTC(2026, 0, 1);
  await migrate(
    link,
    'assay',
    MIGRATIONS.filter(({ since }) => since === '0.1.0'),
  );
  const began = { none: null, right: arrived - 9_000, unset: 0, future: Date.UTC(2036, 0, 1) };
  for (const [id, at] of Object.entries(began))
    await link.use((session) =>
      session.once(
        `INSERT INTO conversations (key, conversation_id, first_day, first_closed_at, updated_at, began_at)
         VALUES (gen_random_uuid(), $1, 1, $2, $2, $3)`,
        [id, arrived, at],
      ),
    );

  await migrate(link);

  const rows = await link.use((session) =>
    session.once(
      'SELECT conversation_id AS id, began_at AS at, clock_wrong AS wrong FROM conversations c ORDER BY c.id',
    ),
  );
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['none', arrived, null],
    ['right', arrived - 9_000, null],
    ['unset', arrived, 1],
    ['future', arrived, 1],
  ]);
});
