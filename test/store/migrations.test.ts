/** Rules for steps of the tables, on both stores; PostgreSQL runs its own in `test/outside/postgres/schema.outside.ts`. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { RELEASES } from '../../scripts/release/releases.ts';
import { formatOf } from '../../scripts/release/store-formats.ts';
import { version } from '../../src/cli/version.ts';
import { DETECTION_FORMAT } from '../../src/engine/detection/state-format.ts';
import {
  AHEAD_MAX_MS as AHEAD_BELIEVED_MS,
  EARLIEST_MS as EARLIEST_BELIEVED_MS,
} from '../../src/engine/conversation-time.ts';
import {
  AHEAD_MAX_MS,
  compareVersions,
  EARLIEST_MS,
  FIRST_RELEASE,
  type Migration,
  refusalOf,
  schemaAfter,
  stepsBack,
} from '../../src/store/migration.ts';
import { MIGRATIONS as POSTGRES } from '../../src/store/postgres/schema.ts';
import { downgrade, migrate, MIGRATIONS as SQLITE, storedSchema } from '../../src/store/sqlite/migrate.ts';

const STORES = [
  { store: 'sqlite', migrations: SQLITE },
  { store: 'postgres', migrations: POSTGRES },
] as const;

/** The mistakes in a list of migrations. */
function mistakesIn(migrations: readonly Migration[]): readonly string[] {
  return migrations.flatMap(({ since, back, sql }, index) => {
    const before = migrations[index - 1]?.since ?? FIRST_RELEASE;
    return [
      ...(compareVersions(since, version) > 0 ? [`${index}: ${since} is newer than this version`] : []),
      ...(compareVersions(since, before) < 0 ? [`${index}: ${since} comes after ${before}`] : []),
      ...(since !== FIRST_RELEASE && back === undefined ? [`${index}: there is no way back: ${sql}`] : []),
    ];
  });
}

test.each(STORES)('each migration of $store names its version, in order, and the way back', ({ migrations }) => {
  expect(mistakesIn(migrations)).toEqual([]);
});

const step = (since: string, more: Partial<Migration> = {}): Migration => ({
  since,
  sql: '',
  back: '',
  versionBefore: 'runs',
  ...more,
});

test.each([
  ['of a version that is not there yet', [step('99.0.0')], /newer than this version/],
  ['out of order', [step('0.2.0'), step('0.1.0')], /comes after/],
  ['without a way back', [step('0.2.0', { back: undefined })], /no way back/],
])('a migration %s is found', (_what, migrations, mistake) => {
  expect(mistakesIn(migrations)).toEqual([expect.stringMatching(mistake)]);
});

test.each(STORES.flatMap((one) => RELEASES.map((release) => ({ ...one, ...release }))))(
  'migrations of $store that $version has released stay as they are: add one at the end, with the next version',
  ({ store, migrations, version: released, stores }) => {
    const ofRelease = migrations.filter(({ since }) => compareVersions(since, released) <= 0);

    expect(formatOf(ofRelease)).toEqual(stores[store]);
  },
);

test('another format of detection’s state comes with a migration that the version before does not run on', () => {
  const last = RELEASES.at(-1);
  const isSame = DETECTION_FORMAT === last?.stores.detection;
  const isGuarded = ({ since, versionBefore }: Migration) =>
    compareVersions(since, last?.version ?? '') > 0 && versionBefore === 'stops';

  // Its way back empties the state: an older Assay must leave the state of a newer one alone (state-format.ts).
  for (const { migrations } of STORES) expect(isSame || migrations.some(isGuarded)).toBe(true);
});

const ADDS = step('99.1.0', {
  sql: 'ALTER TABLE conversations ADD COLUMN mood TEXT',
  back: 'ALTER TABLE conversations DROP COLUMN mood',
});
const REPLACES = step('99.2.0', {
  sql: 'CREATE TABLE other (a INTEGER) STRICT; DROP TABLE open_words',
  back: 'DROP TABLE other; CREATE TABLE open_words (conversation INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT',
  versionBefore: 'stops',
  discards: { forward: 'words of open conversations' },
});
const LATER = [...SQLITE, ADDS, REPLACES];
const OPENS_FROM = schemaAfter(SQLITE, SQLITE.length).opensFrom;

function schemaOf(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE name <> 'schema_origin' ORDER BY name")
    .all()
    .map(({ name, sql }) => [name, sql]);
}

test('a store goes forward, back and forward again, and what it holds stays', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database);
  const first = schemaOf(database);
  database.exec("INSERT INTO meta (key, value) VALUES ('position', 7)");

  migrate(database, LATER);
  const newest = schemaOf(database);
  expect(storedSchema(database)).toEqual({ version: LATER.length, since: '99.2.0', opensFrom: LATER.length });
  expect(downgrade(database, '99.1.0', LATER)).toMatchObject([{ since: '99.2.0' }]);
  expect(storedSchema(database)).toEqual({ version: SQLITE.length + 1, since: '99.1.0', opensFrom: OPENS_FROM });
  expect(downgrade(database, version, LATER)).toMatchObject([{ since: '99.1.0' }]);
  expect(schemaOf(database)).toEqual(first);
  migrate(database);
  migrate(database, LATER);

  expect(schemaOf(database)).toEqual(newest);
  expect(database.prepare("SELECT value FROM meta WHERE key = 'position'").get()?.value).toBe(7);
});

test('the version before opens tables that were only added to, and refuses others with the version that they need', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, LATER.slice(0, -1));
  const before = schemaOf(database);

  migrate(database);
  expect(schemaOf(database)).toEqual(before);
  migrate(database, LATER);

  expect(() => migrate(database)).toThrow(
    `the store has schema version ${LATER.length} and this Assay knows ${SQLITE.length}: start Assay 99.2.0 or newer`,
  );
  expect(schemaOf(database)).not.toEqual(before);
});

test('a step that fails leaves the tables before it', () => {
  const database = new DatabaseSync(':memory:');
  const broken = [...SQLITE, ADDS, step('1.3.0', { sql: 'CREATE TABLE half (a INTEGER); nonsense' })];

  expect(() => migrate(database, broken)).toThrow(/schema version/);

  expect(storedSchema(database)).toEqual({ version: SQLITE.length + 1, since: '99.1.0', opensFrom: OPENS_FROM });
  expect(schemaOf(database).flat()).not.toContain('half');
});

test.each([
  ['before the first release', { from: SQLITE.length, to: '0.0.9' }, /no way back from the tables of 0\.1\.0/],
  ['of a newer Assay', { from: LATER.length + 1, to: '99.1.0' }, /ask the newer Assay/],
])('there is no way back %s', (_what, where, message) => {
  expect(() => stepsBack(LATER, where)).toThrow(message);
});

test('tables that nobody has noted a version of are refused as of a newer Assay', () => {
  expect(refusalOf({ version: 9, since: undefined, opensFrom: 9 }, 8)).toMatch(/the newer Assay that wrote it/);
  expect(refusalOf(schemaAfter(LATER, SQLITE.length), SQLITE.length)).toBeUndefined();
});

test('stored conversations get a time: their own if it can be true, otherwise that of arrival; and the way back opens', () => {
  const database = new DatabaseSync(':memory:');
  const arrived = Date.UTC(2026, 0, 1);
  migrate(
    database,
    SQLITE.filter(({ since }) => since === FIRST_RELEASE),
  );
  const first = schemaOf(database);
  const put = database.prepare(`INSERT INTO conversations (conversation_id, agent, agent_version, environment,
    first_closed_at, last_closed_at, updated_at, turns, began_at) VALUES (?, 'a', 'v', 'e', ?, ?, ?, 1, ?)`);
  const began = { none: null, right: arrived - 9_000, unset: 0, future: Date.UTC(2036, 0, 1) };
  for (const [id, at] of Object.entries(began)) put.run(id, arrived, arrived, arrived, at);

  migrate(database);

  expect(database.prepare('SELECT conversation_id, began_at, clock_wrong FROM conversations').all()).toEqual([
    { conversation_id: 'none', began_at: arrived, clock_wrong: null },
    { conversation_id: 'right', began_at: arrived - 9_000, clock_wrong: null },
    { conversation_id: 'unset', began_at: arrived, clock_wrong: 1 },
    { conversation_id: 'future', began_at: arrived, clock_wrong: 1 },
  ]);
  downgrade(database, FIRST_RELEASE);
  expect(schemaOf(database)).toEqual(first);
});

test('the times that a migration believes are those that the engine believes', () => {
  expect([AHEAD_MAX_MS, EARLIEST_MS]).toEqual([AHEAD_BELIEVED_MS, EARLIEST_BELIEVED_MS]);
});
