/**
 * Brings the tables of a database up to date, and back: each step in one transaction with the number of steps. Any
 * number of instances may start at once: an advisory lock lets one of them migrate. The same row says what another
 * version must know of the tables.
 */
import {
  AHEAD_MAX_MS,
  EARLIEST_MS,
  type Migration,
  ofFirstRelease,
  refusalOf,
  schemaAfter,
  stepsBack,
  type StoredSchema,
} from '../migration.ts';
import { CALLED_BEFORE, cameOutSql, FRAME_BEFORE, LOTS, LOW_LOT } from '../frame-columns.ts';
import { lockKey } from './advisory-locks.ts';
import { DEFAULT_SCHEMA, type Link } from './link.ts';
import { TABLES_OF_FIRST_RELEASE } from './migrations.ts';
import { schemaScript } from './schema-script.ts';
import type { Session } from './session.ts';

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
  //   failure_kinds         how far each kind of failure is (rules/failures.ts)
  {
    since: '0.2.0',
    versionBefore: 'runs',
    sql: `
    ALTER TABLE conversations ADD COLUMN clock_wrong smallint;
    UPDATE conversations SET began_at = first_closed_at, clock_wrong = CASE WHEN began_at IS NULL THEN NULL ELSE 1 END
      WHERE first_closed_at IS NOT NULL
        AND (began_at IS NULL OR began_at < ${EARLIEST_MS} OR began_at > updated_at + ${AHEAD_MAX_MS});
    ALTER TABLE evaluations ADD COLUMN began_at bigint, ADD COLUMN because text, ADD COLUMN user_key bigint,
      ADD COLUMN kind_key bigint, ADD COLUMN sub_agents text;
    ALTER TABLE labels ADD COLUMN seen smallint NOT NULL DEFAULT 0;
    CREATE INDEX conversations_began ON conversations (began_at, id) WHERE first_closed_at IS NOT NULL;
    DROP INDEX conversations_feedback;
    CREATE INDEX conversations_feedback ON conversations (feedback, began_at, id) WHERE feedback IS NOT NULL;
    CREATE TABLE readings (
      project text NOT NULL DEFAULT 'default',
      key uuid NOT NULL,
      name_key uuid NOT NULL,
      conversation_id text NOT NULL,
      source text NOT NULL,
      name text NOT NULL,
      good boolean,
      certain boolean NOT NULL,
      value text,
      of_case text,
      first_wrong text,
      note text,
      kind text,
      put_at bigint NOT NULL,
      PRIMARY KEY (key, source, name_key)
    );
    CREATE INDEX readings_name ON readings (name_key, key);
    CREATE INDEX readings_put ON readings (put_at);
    CREATE INDEX readings_people ON readings (key) WHERE source = 'person';
    CREATE INDEX readings_kind ON readings (kind, key) WHERE kind IS NOT NULL;
    INSERT INTO readings (key, name_key, conversation_id, source, name, good, certain, value, of_case, put_at)
      SELECT key, label_key, conversation_id, 'outcome', label, good, false, value, of_case, put_at FROM outcome_labels;
    DROP TABLE outcome_labels;
    ALTER TABLE conversations ADD COLUMN called smallint, ADD COLUMN lot bigint, ADD COLUMN came_out smallint,
      ADD COLUMN facts text, ADD COLUMN foretold smallint, ADD COLUMN frame smallint;
    UPDATE conversations SET lot = floor(random() * ${LOTS}), called = ${CALLED_BEFORE}, frame = ${FRAME_BEFORE};
    UPDATE conversations SET came_out = ${cameOutSql('readings.key = conversations.key')}
      WHERE key IN (SELECT key FROM readings);
    CREATE FUNCTION conversations_came_out() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.came_out := ${cameOutSql('readings.key = NEW.key')};
        RETURN NEW;
      END $$;
    CREATE TRIGGER conversations_came_out BEFORE INSERT ON conversations
      FOR EACH ROW EXECUTE FUNCTION conversations_came_out();
    CREATE INDEX conversations_frame ON conversations (agent, frame, feedback, came_out, foretold, began_at, agent_version)
      WHERE frame IS NOT NULL;
    CREATE INDEX conversations_low ON conversations (agent, began_at) WHERE lot < ${LOW_LOT} AND frame IS NOT NULL;
    CREATE TABLE failure_kinds (
      project text NOT NULL DEFAULT 'default',
      agent_key uuid NOT NULL,
      agent text NOT NULL,
      name text NOT NULL,
      state text NOT NULL,
      state_at bigint NOT NULL,
      by text NOT NULL,
      PRIMARY KEY (project, agent_key, name)
    );
    `,
    back: `
    DELETE FROM labels WHERE seen = 1;
    ALTER TABLE labels DROP COLUMN seen;
    DROP TABLE failure_kinds;
    DROP INDEX conversations_low;
    DROP INDEX conversations_frame;
    DROP TRIGGER conversations_came_out ON conversations;
    DROP FUNCTION conversations_came_out;
    ALTER TABLE conversations DROP COLUMN frame, DROP COLUMN foretold, DROP COLUMN facts, DROP COLUMN came_out,
      DROP COLUMN lot, DROP COLUMN called;
    CREATE TABLE outcome_labels (
      key uuid NOT NULL,
      label_key uuid NOT NULL,
      conversation_id text NOT NULL,
      label text NOT NULL,
      good boolean NOT NULL,
      value text,
      of_case text,
      put_at bigint NOT NULL,
      PRIMARY KEY (key, label_key)
    );
    CREATE INDEX outcome_labels_label ON outcome_labels (label_key, key);
    CREATE INDEX outcome_labels_put ON outcome_labels (put_at);
    INSERT INTO outcome_labels
      SELECT key, name_key, conversation_id, name, good, value, of_case, put_at FROM readings
      WHERE source = 'outcome' AND good IS NOT NULL;
    DROP TABLE readings;
    ALTER TABLE evaluations DROP COLUMN sub_agents, DROP COLUMN kind_key, DROP COLUMN user_key, DROP COLUMN because,
      DROP COLUMN began_at;
    DROP INDEX conversations_began;
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
      id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
      at bigint NOT NULL,
      conversation_id text NOT NULL,
      batch text
    );
    CREATE INDEX archive_queue_waiting ON archive_queue (id) WHERE batch IS NULL;
    CREATE INDEX archive_queue_batch ON archive_queue (batch) WHERE batch IS NOT NULL;
    CREATE INDEX archive_queue_conversation ON archive_queue USING hash (conversation_id);
    CREATE TABLE archive_batches (
      name text PRIMARY KEY,
      day int NOT NULL,
      kept boolean NOT NULL,
      keys bytea NOT NULL
    );
    CREATE INDEX archive_batches_planned ON archive_batches (name) WHERE NOT kept;
    CREATE TABLE archive_forgets (key text PRIMARY KEY, user_id text);
    CREATE TABLE archive_lease (one smallint PRIMARY KEY CHECK (one = 1), holder text NOT NULL, until bigint NOT NULL);
    `,
    back: `
    DROP TABLE archive_lease;
    DROP TABLE archive_forgets;
    DROP TABLE archive_batches;
    DROP TABLE archive_queue;
    `,
  },
];

export async function migrate(
  link: Link,
  schema: string = DEFAULT_SCHEMA,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await link.use((session) => session.script(schemaScript(schema)));
  for (let done = false; !done; ) {
    done = await alone(link, async (session) => {
      await session.script(
        'CREATE TABLE IF NOT EXISTS schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version int NOT NULL)',
      );
      const stored = await storedSchema(session);
      const refusal = refusalOf(stored, migrations.length);
      if (refusal !== undefined) throw new Error(`${refusal}; or name another database or schema`);
      const next = migrations[stored.version];
      if (next === undefined) return true;
      await session.script(next.sql);
      await note(session, schemaAfter(migrations, stored.version + 1));
      return false;
    });
  }
}

/** Gives the steps that it undid, all in one transaction. The schema must be there. */
export async function downgrade(
  link: Link,
  to: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly Migration[]> {
  return alone(link, async (session) => {
    const { version } = await storedSchema(session);
    const steps = stepsBack(migrations, { from: version, to });
    for (const { back } of steps) await session.script(back);
    if (steps.length > 0) await note(session, schemaAfter(migrations, version - steps.length));
    return steps;
  });
}

/** Version 0 where there are no tables yet. */
export async function storedSchema(session: Session): Promise<StoredSchema> {
  const there = await session.once<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass('schema_version') AND attnum > 0 AND NOT attisdropped`,
  );
  if (there.length === 0) return { version: 0, since: undefined, opensFrom: 0 };
  const isNoted = there.some(({ name }) => name === 'opens_from');
  const [row] = await session.once<{ version: number; since: string | null; opens_from: number | null }>(
    `SELECT version, ${isNoted ? 'since, opens_from' : 'NULL AS since, NULL AS opens_from'} FROM schema_version`,
  );
  const version = row?.version ?? 0;
  return { version, since: row?.since ?? undefined, opensFrom: row?.opens_from ?? version };
}

/** The first release had the number alone. */
async function note(session: Session, { version, since, opensFrom }: StoredSchema): Promise<void> {
  await session.script(
    'ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS since text, ADD COLUMN IF NOT EXISTS opens_from int',
  );
  await session.once(
    `INSERT INTO schema_version (version, since, opens_from) VALUES ($1, $2, $3)
     ON CONFLICT (one) DO UPDATE SET version = excluded.version, since = excluded.since, opens_from = excluded.opens_from`,
    [version, since ?? null, opensFrom],
  );
}

function alone<T>(link: Link, work: (session: Session) => Promise<T>): Promise<T> {
  return link.transaction(work, { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('migration')})` });
}
