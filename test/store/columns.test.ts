/**
 * The tables of columns agree with the schemas; those of PostgreSQL are compared in
 * `test/outside/postgres/schema.outside.ts`.
 */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { CONVERSATION_COLUMNS } from '../../src/store/conversation-columns.ts';
import { EVALUATION_COLUMNS, SAID_COLUMNS } from '../../src/store/evaluation-columns.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';

test.each([
  ['conversations', CONVERSATION_COLUMNS, ['id', 'conversation_id']],
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
