import { onTestFinished, expect, test } from 'vitest';
import { Client } from 'pg';
import { CONVERSATION_COLUMNS } from '../../../src/store/conversation-columns.ts';
import { EVALUATION_COLUMNS } from '../../../src/store/evaluation-columns.ts';
import { makePartitions } from '../../../src/store/postgres/days.ts';
import { Link } from '../../../src/store/postgres/link.ts';
import { migrate, MIGRATIONS } from '../../../src/store/postgres/schema.ts';
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
  ['conversations', CONVERSATION_COLUMNS, ['id', 'key', 'conversation_id', 'first_day', 'first_trace', 'home']],
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
  await link.use((session) => session.script(`UPDATE schema_version SET version = ${MIGRATIONS.length + 1}`));

  await expect(migrate(link)).rejects.toThrow(/schema version \d+ and this Assay knows \d+: start the newer Assay/);
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
