/**
 * The tables of columns agree with the schemas. Migrations of PostgreSQL speak of each column;
 * `test/outside/postgres/schema.outside.ts` compares with a real one.
 */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { isFailure, SCORED_OUTCOMES, severityOf } from '../../src/model/severity.ts';
import { CONVERSATION_COLUMNS } from '../../src/store/conversation-columns.ts';
import { EVALUATION_COLUMNS, SAID_COLUMNS } from '../../src/store/evaluation-columns.ts';
import { MIGRATIONS } from '../../src/store/postgres/schema.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';

test.each([
  // Readings write what outcomes say, and so does a trigger.
  ['conversations', CONVERSATION_COLUMNS, ['id', 'conversation_id', 'came_out']],
  ['evaluations', EVALUATION_COLUMNS, ['id', 'conversation', 'trace', 'scope']],
  [
    'waiting_evaluations',
    SAID_COLUMNS,
    ['id', 'conversation', 'trace', 'scope', 'labels', 'counted', 'waits_for', 'created_at'],
  ],
] as const)('every column of %s in SQLite is written', (table, columns, own) => {
  const database = new DatabaseSync(':memory:');
  migrate(database);

  const there = database.prepare(`PRAGMA table_info(${table})`).all();
  database.close();

  expect(there.map(({ name }) => name).toSorted()).toEqual([...own, ...columns.map(({ name }) => name)].toSorted());
});

test('every column has a migration of PostgreSQL', () => {
  const script = MIGRATIONS.map(({ sql }) => sql).join('\n');

  const without = [...CONVERSATION_COLUMNS, ...EVALUATION_COLUMNS]
    .map(({ name }) => name)
    .filter(
      (name) => !new RegExp(`\\b${name} (?:bigint|smallint|int|text|uuid|bytea|boolean|jsonb|double)`).test(script),
    );

  expect(without).toEqual([]);
});

test('the index of failed evaluations has the severities of failures', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database);
  const index = database.prepare("SELECT sql FROM sqlite_master WHERE name = 'evaluations_failed'").get();
  database.close();

  const failures = SCORED_OUTCOMES.filter(isFailure).map(severityOf);
  expect(index?.sql).toContain(`BETWEEN ${Math.min(...failures.map(Number))} AND ${Math.max(...failures.map(Number))}`);
});
