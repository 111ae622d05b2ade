/** How SQLite answers rules (sql.ts): at once, in one transaction from the first on, and a failure is the rule's. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { cells, change, page, type Pages, type Rule, rows, transaction } from '../../src/store/sql.ts';
import { DIALECT } from '../../src/store/sqlite/dialect.ts';
import { SqliteSql } from '../../src/store/sqlite/sqlite-sql.ts';
import { Statements } from '../../src/store/sqlite/statements.ts';

function opened() {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, flag INTEGER)');
  const done: string[] = [];
  const own = <T>(what: string, work: () => T): T => {
    done.push(`begin ${what}`);
    try {
      const result = work();
      done.push('commit');
      return result;
    } catch (error) {
      done.push('rollback');
      throw error;
    }
  };
  return { sql: new SqliteSql(DIALECT, new Statements(database), own), done };
}

const ADD = { name: 'add', sql: 'INSERT INTO things (id, flag) VALUES (?, ?)' };
const ALL = { name: 'all', sql: 'SELECT id, flag FROM things ORDER BY id' };
const SOME = { name: 'some', sql: `SELECT id FROM things WHERE ${DIALECT.among('id')} ORDER BY id` };

function* add(id: number): Rule<number> {
  return yield* transaction({ what: `thing ${id}` }, () => change(ADD, [id, true]));
}

test('a rule is given rows, cells and numbers of changes; truth is a number and a list is one value', () => {
  const { sql } = opened();

  expect(sql.run(add(1))).toBe(1);
  sql.run(add(2));

  expect(sql.run(rows(ALL)).map((row) => ({ ...(row as object) }))).toEqual([
    { id: 1, flag: 1 },
    { id: 2, flag: 1 },
  ]);
  expect(sql.run(cells(SOME, [[2, 3]]))).toEqual([[2]]);
});

test('from its first transaction to its end, a rule is one', () => {
  const { sql, done } = opened();

  function* both(): Rule<number> {
    const first = yield* add(1);
    const second = yield* add(2);
    return first + second + (yield* change(ADD, [3, false]));
  }

  expect(sql.run(both())).toBe(3);
  expect(done).toEqual(['begin thing 1', 'commit']);
});

test('a rule learns of a failure where it asked, and one that does not care is rolled back', () => {
  const { sql, done } = opened();
  sql.run(add(1));

  function* twice(): Rule<string> {
    try {
      yield* change(ADD, [1, true]);
      return 'added';
    } catch {
      return 'it was there';
    }
  }

  expect(sql.run(twice())).toBe('it was there');
  expect(() => sql.run(add(1))).toThrow(/UNIQUE/);
  expect(done).toEqual(['begin thing 1', 'commit', 'begin thing 1', 'rollback']);
});

test('pages come one by one, and what follows a page is asked for when it is wanted', () => {
  const { sql } = opened();
  let asked = 0;

  function* pages(): Pages<number> {
    for (;;) {
      asked += 1;
      yield page((yield* rows(ALL)).length);
    }
  }

  const given = sql.pages(pages());
  expect(given.next().value).toBe(0);
  sql.run(add(1));
  expect(given.next().value).toBe(1);
  expect(asked).toBe(2);
});
