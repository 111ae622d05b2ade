/**
 * Brings the tables of a store up to date, and back. Each step is one transaction with the number of steps
 * (`user_version`), so a crash leaves the tables before it or after it. `schema_origin` says what another version must
 * know of them.
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  AHEAD_MAX_MS,
  EARLIEST_MS,
  FIRST_RELEASE,
  type Migration,
  ofFirstRelease,
  refusalOf,
  schemaAfter,
  stepsBack,
  type StoredSchema,
} from '../migration.ts';
import { CALLED_BEFORE, cameOutSql, FRAME_BEFORE, LOTS, LOW_LOT } from '../frame-columns.ts';
import { TABLES_OF_FIRST_RELEASE } from './schema.ts';

/** In the order in which they run; a new one is the last. */
export const MIGRATIONS: readonly Migration[] = [
  ...ofFirstRelease(TABLES_OF_FIRST_RELEASE),
  // Stored rows know less than new ones, and say nothing of what they do not know:
  //   began_at              when conversations and evaluations were (engine/conversation-time.ts), by which lists and searches go.
  //                         Stored conversations without a time that can be true get that of arrival; evaluations keep their log time
  //   because               the kind of a failure, beside the outcome (score/failure-kind.ts)
  //   user_key, kind_key    which evaluations are of one user and of one kind (statistics/compare/online)
  //   sub_agents            those that took part (sub-agents-codec.ts)
  //   readings              of whole conversations (rules/readings.ts), which outcomes are as well, with the kinds of failure that people name
  //   called … frame        the frame from which conversations are drawn to be read (rules/frame.ts): stored evaluations say how bad they were
  //   labels.seen           the verdict was in sight (model/labels.ts)
  //   failure_kinds         how far each kind of failure is (rules/failures.ts)
  {
    since: '0.2.0',
    versionBefore: 'runs',
    sql: `
    ALTER TABLE conversations ADD COLUMN clock_wrong INTEGER;
    UPDATE conversations SET began_at = first_closed_at, clock_wrong = CASE WHEN began_at IS NULL THEN NULL ELSE 1 END
      WHERE began_at IS NULL OR began_at < ${EARLIEST_MS} OR began_at > updated_at + ${AHEAD_MAX_MS};
    ALTER TABLE evaluations ADD COLUMN began_at INTEGER;
    ALTER TABLE evaluations ADD COLUMN because TEXT;
    ALTER TABLE waiting_evaluations ADD COLUMN because TEXT;
    ALTER TABLE evaluations ADD COLUMN user_key INTEGER;
    ALTER TABLE evaluations ADD COLUMN kind_key INTEGER;
    ALTER TABLE evaluations ADD COLUMN sub_agents TEXT;
    ALTER TABLE labels ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX conversations_began ON conversations (began_at, id);
    DROP INDEX conversations_failed;
    CREATE INDEX conversations_failed ON conversations (worst_outcome, began_at, id) WHERE worst_outcome > 0;
    DROP INDEX conversations_feedback;
    CREATE INDEX conversations_feedback ON conversations (feedback, began_at, id) WHERE feedback IS NOT NULL;
    CREATE TABLE readings (
      project TEXT NOT NULL DEFAULT 'default',
      conversation_id TEXT NOT NULL,
      source TEXT NOT NULL,
      name TEXT NOT NULL,
      good INTEGER,
      certain INTEGER NOT NULL,
      value TEXT,
      of_case TEXT,
      first_wrong TEXT,
      note TEXT,
      kind TEXT,
      put_at INTEGER NOT NULL,
      PRIMARY KEY (conversation_id, source, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX readings_name ON readings (name, conversation_id);
    CREATE INDEX readings_put ON readings (put_at);
    CREATE INDEX readings_people ON readings (conversation_id) WHERE source = 'person';
    CREATE INDEX readings_kind ON readings (kind, conversation_id) WHERE kind IS NOT NULL;
    INSERT INTO readings (conversation_id, source, name, good, certain, value, of_case, put_at)
      SELECT conversation_id, 'outcome', label, good, 0, value, of_case, put_at FROM outcome_labels;
    DROP TABLE outcome_labels;
    ALTER TABLE conversations ADD COLUMN called INTEGER;
    ALTER TABLE conversations ADD COLUMN lot INTEGER;
    ALTER TABLE conversations ADD COLUMN came_out INTEGER;
    ALTER TABLE conversations ADD COLUMN facts TEXT;
    ALTER TABLE conversations ADD COLUMN foretold INTEGER;
    ALTER TABLE conversations ADD COLUMN frame INTEGER;
    UPDATE conversations SET lot = abs(random() % ${LOTS}), called = ${CALLED_BEFORE}, frame = ${FRAME_BEFORE};
    UPDATE conversations SET came_out = ${cameOutSql('readings.conversation_id = conversations.conversation_id')}
      WHERE conversation_id IN (SELECT conversation_id FROM readings);
    CREATE TRIGGER conversations_came_out AFTER INSERT ON conversations
      WHEN EXISTS (SELECT 1 FROM readings WHERE conversation_id = NEW.conversation_id)
      BEGIN
        UPDATE conversations SET came_out = ${cameOutSql('conversation_id = NEW.conversation_id')} WHERE id = NEW.id;
      END;
    CREATE INDEX conversations_frame ON conversations (agent, frame, feedback, came_out, foretold, began_at, agent_version)
      WHERE frame IS NOT NULL;
    CREATE INDEX conversations_low ON conversations (agent, began_at) WHERE lot < ${LOW_LOT} AND frame IS NOT NULL;
    CREATE INDEX conversations_came_out ON conversations (came_out, began_at, id) WHERE came_out IS NOT NULL;
    CREATE TABLE failure_kinds (
      project TEXT NOT NULL DEFAULT 'default',
      agent TEXT NOT NULL,
      name TEXT NOT NULL,
      state TEXT NOT NULL,
      state_at INTEGER NOT NULL,
      by TEXT NOT NULL,
      PRIMARY KEY (project, agent, name)
    ) STRICT, WITHOUT ROWID;
    `,
    back: `
    DELETE FROM labels WHERE seen = 1;
    ALTER TABLE labels DROP COLUMN seen;
    DROP TABLE failure_kinds;
    DROP INDEX conversations_came_out;
    DROP INDEX conversations_low;
    DROP INDEX conversations_frame;
    DROP TRIGGER conversations_came_out;
    ALTER TABLE conversations DROP COLUMN frame;
    ALTER TABLE conversations DROP COLUMN foretold;
    ALTER TABLE conversations DROP COLUMN facts;
    ALTER TABLE conversations DROP COLUMN came_out;
    ALTER TABLE conversations DROP COLUMN lot;
    ALTER TABLE conversations DROP COLUMN called;
  CREATE TABLE outcome_labels (
    conversation_id TEXT NOT NULL,
    label TEXT NOT NULL,
    good INTEGER NOT NULL,
    value TEXT,
    of_case TEXT,
    put_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, label)
  ) STRICT, WITHOUT ROWID;
    CREATE INDEX outcome_labels_label ON outcome_labels (label, conversation_id);
    CREATE INDEX outcome_labels_put ON outcome_labels (put_at);
    INSERT INTO outcome_labels SELECT conversation_id, name, good, value, of_case, put_at FROM readings
      WHERE source = 'outcome' AND good IS NOT NULL;
    DROP TABLE readings;
    ALTER TABLE evaluations DROP COLUMN sub_agents;
    ALTER TABLE evaluations DROP COLUMN kind_key;
    ALTER TABLE evaluations DROP COLUMN user_key;
    ALTER TABLE waiting_evaluations DROP COLUMN because;
    ALTER TABLE evaluations DROP COLUMN because;
    ALTER TABLE evaluations DROP COLUMN began_at;
    DROP INDEX conversations_began;
    DROP INDEX conversations_failed;
    CREATE INDEX conversations_failed ON conversations (worst_outcome, id) WHERE worst_outcome > 0;
    DROP INDEX conversations_feedback;
    CREATE INDEX conversations_feedback ON conversations (feedback, id) WHERE feedback IS NOT NULL;
    ALTER TABLE conversations DROP COLUMN clock_wrong;
    `,
  },
  // The archive on object storage (rules/archive.ts): conversations that wait for it, the index of its batches, what it has to lose, and who
  // writes it.
  {
    since: '0.2.0',
    versionBefore: 'runs',
    sql: `
    CREATE TABLE archive_queue (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      conversation_id TEXT NOT NULL,
      batch TEXT
    ) STRICT;
    CREATE INDEX archive_queue_waiting ON archive_queue (id) WHERE batch IS NULL;
    CREATE INDEX archive_queue_batch ON archive_queue (batch, conversation_id) WHERE batch IS NOT NULL;
    CREATE INDEX archive_queue_conversation ON archive_queue (conversation_id);
    CREATE TABLE archive_batches (
      name TEXT PRIMARY KEY,
      day INTEGER NOT NULL,
      kept INTEGER NOT NULL,
      keys BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX archive_batches_planned ON archive_batches (name) WHERE NOT kept;
    CREATE TABLE archive_forgets (key TEXT PRIMARY KEY, user_id TEXT) STRICT, WITHOUT ROWID;
    CREATE TABLE archive_lease (one INTEGER PRIMARY KEY CHECK (one = 1), holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT;
    `,
    back: `
    DROP TABLE archive_lease;
    DROP TABLE archive_forgets;
    DROP TABLE archive_batches;
    DROP TABLE archive_queue;
    `,
  },
];

export function migrate(database: DatabaseSync, migrations: readonly Migration[] = MIGRATIONS): void {
  const stored = storedSchema(database);
  const refusal = refusalOf(stored, migrations.length);
  if (refusal !== undefined) throw new Error(`${refusal}; or point data_dir at another folder`);
  for (const [index, { sql }] of migrations.entries())
    if (index >= stored.version) step(database, sql, schemaAfter(migrations, index + 1));
}

/** Gives the steps that it undid. */
export function downgrade(
  database: DatabaseSync,
  to: string,
  migrations: readonly Migration[] = MIGRATIONS,
): readonly Migration[] {
  let { version } = storedSchema(database);
  const steps = stepsBack(migrations, { from: version, to });
  for (const { back } of steps) {
    version -= 1;
    step(database, back, schemaAfter(migrations, version));
  }
  return steps;
}

/** Nothing was ever written to it. */
export function isNew(database: DatabaseSync): boolean {
  return storedSchema(database).version === 0;
}

export function storedSchema(database: DatabaseSync): StoredSchema {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  const origin = hasOrigin(database)
    ? database.prepare('SELECT since, opens_from FROM schema_origin').get()
    : undefined;
  return {
    version,
    since: origin === undefined ? undefined : String(origin.since),
    opensFrom: origin === undefined ? version : Number(origin.opens_from),
  };
}

function step(database: DatabaseSync, sql: string, { version, since, opensFrom }: StoredSchema): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(sql);
    // The first release did not note it, and a store in memory is made for each conversation of a recording.
    if (since !== FIRST_RELEASE || hasOrigin(database)) {
      database.exec(ORIGIN_TABLE);
      database
        .prepare('INSERT OR REPLACE INTO schema_origin (one, since, opens_from) VALUES (1, ?, ?)')
        .run(since ?? '', opensFrom);
    }
    database.exec(`PRAGMA user_version = ${version}`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw new Error(`change the tables of the store to schema version ${version}`, { cause: error });
  }
}

function hasOrigin(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_origin'").get() !== undefined;
}

const ORIGIN_TABLE = `CREATE TABLE IF NOT EXISTS schema_origin (
  one INTEGER PRIMARY KEY CHECK (one = 1), since TEXT NOT NULL, opens_from INTEGER NOT NULL) STRICT`;
