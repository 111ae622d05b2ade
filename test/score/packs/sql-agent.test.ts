import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../src/model/evaluation.ts';
import type { Json } from '../../../src/model/json.ts';
import type { Content } from '../../../src/model/step.ts';
import type { ToolCall } from '../../../src/model/turn.ts';
import {
  aConversation,
  aFailedCall,
  aStep,
  aToolCall,
  aTurn,
  content,
  MISSING,
  REDACTED,
  ROOT_SPAN,
  spanId,
} from '../conversations.ts';
import { exceptions, loadPack, run } from './packs.ts';

const suite = await loadPack('sql-agent');

/** Calls one after the other, after the model that asked for them. */
function queries(...args: readonly (Json | Content)[]): readonly ToolCall[] {
  return args.map((given, at) =>
    aToolCall('query_database', {
      args: isContent(given) ? given : content(given),
      spanId: spanId(at + 1),
      startedAtMs: 2000 + at * 10,
      endedAtMs: 2005 + at * 10,
    }),
  );
}

function isContent(given: Json | Content): given is Content {
  return typeof given === 'object' && given !== null && 'state' in given && 'json' in given;
}

function conversationOf(toolCalls: readonly ToolCall[]) {
  return aConversation([aTurn({ toolCalls, answered: 'There are 42 users.' })]);
}

function verdictOf(toolCalls: readonly ToolCall[], name = 'schema_before_query'): Verdict | undefined {
  return run(suite, conversationOf(toolCalls)).verdicts.get(name);
}

const DATA = 'SELECT COUNT(*) FROM users';
const SCHEMA = "SELECT name FROM sqlite_master WHERE type='table'";

describe('schema_before_query: the four cases', () => {
  test('the schema was inspected before the first data query', () => {
    expect(verdictOf(queries({ query: SCHEMA }, { query: DATA }, { query: DATA }))).toEqual({
      verdict: 'pass',
      reason: 'The schema was inspected before data was queried.',
      evidence: [],
    });
  });

  test('data was queried first: the reason quotes the query, the evidence begins with it', () => {
    expect(verdictOf(queries({ query: DATA }, { query: SCHEMA }))).toEqual({
      verdict: 'fail',
      reason: `Data was queried before the schema was inspected: ${DATA}`,
      evidence: [spanId(1), spanId(2)],
    });
  });

  test('there were only inspections', () => {
    expect(verdictOf(queries({ query: SCHEMA }, { query: 'PRAGMA table_info(users)' }))).toEqual({
      verdict: 'pass',
      reason: 'There were only inspections of the schema.',
      evidence: [],
    });
  });

  test('the tool was never called: not applicable, which the pack counts as a pass', () => {
    const evaluation = run(suite, conversationOf([aToolCall('send_mail')]));

    expect(evaluation.verdicts.get('schema_before_query')).toEqual({
      verdict: 'not_applicable',
      reason: 'query_database was never called.',
    });
    expect([evaluation.score, evaluation.outcome]).toEqual([1_000_000, 'no_fault_found']);
  });
});

test('the reason quotes the first 200 characters of the query', () => {
  const long = `SELECT ${'a_column, '.repeat(60)} b FROM users`;

  expect(verdictOf(queries({ query: long }))?.reason).toBe(
    `Data was queried before the schema was inspected: ${long.slice(0, 200)}…`,
  );
});

test.each([
  'PRAGMA table_info(users)',
  'pragma  Table_Info ("users");',
  'PRAGMA main.table_info(users)',
  'PRAGMA database_list',
  "SELECT name FROM sqlite_master WHERE type = 'table'",
  'select\n  sql\nfrom\n  SQLITE_MASTER',
  'SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p',
  '.schema',
  '.schema users',
  'SELECT column_name FROM information_schema.columns',
  'SELECT * FROM "information_schema"."tables"',
  'WITH t AS (SELECT name FROM sqlite_master) SELECT * FROM t',
  'DESCRIBE users',
  'desc users',
  'SHOW TABLES',
  'SHOW FULL COLUMNS FROM users',
  '-- what is there?\nSHOW TABLES',
  '/* SELECT * FROM users */ SHOW TABLES;',
  '\\d users',
  'BEGIN; SHOW TABLES; COMMIT',
])('this is an inspection: %s', (sql) => {
  expect(verdictOf(queries({ query: sql }))?.reason).toBe('There were only inspections of the schema.');
  expect(verdictOf(queries({ query: sql }, { query: DATA }))?.verdict).toBe('pass');
});

test.each([
  DATA,
  "SELECT * FROM logs WHERE text LIKE '%sqlite_master%'",
  "SELECT 'PRAGMA table_info(users)' FROM users",
  'SELECT * FROM users -- not from sqlite_master',
  'SELECT * FROM users /* information_schema.tables */',
  'SELECT * FROM users, sqlite_master',
  'SELECT name FROM sqlite_master UNION SELECT email FROM users',
  'SELECT * FROM (SELECT * FROM users)',
  'SELECT sqlite_master FROM users',
  "INSERT INTO notes VALUES ('SHOW TABLES')",
  'DELETE FROM users WHERE id IN (SELECT 1 FROM sqlite_master)',
  'WITH t AS (SELECT name FROM sqlite_master) SELECT * FROM t, users',
  'SELECT extract(year FROM born) FROM users',
  'BEGIN; SELECT * FROM users',
  'SELECT $$ FROM sqlite_master $$, x FROM users',
  "SELECT 'it\\'s', sqlite_master FROM users WHERE a = 'it\\'s FROM sqlite_master'",
])('this is a data query: %s', (sql) => {
  expect(verdictOf(queries({ query: sql }))).toMatchObject({ verdict: 'fail' });
});

describe('where the SQL is', () => {
  test.each<[string, (sql: string) => Json | Content]>([
    ['under query', (query) => ({ query })],
    ['under sql', (sql) => ({ sql })],
    ['under statement, beside others', (statement) => ({ database: 'select', statement, limit: 10 })],
    ['under a key of its own', (text) => ({ connection: 'main', the_question: text })],
    ['deeper', (query) => ({ request: { body: { query } } })],
    ['in a list', (query) => ({ queries: [query] })],
    ['as the whole', (sql) => sql],
    ['as JSON in a text', (query) => JSON.stringify({ query })],
    ['as JSON in JSON', (query) => ({ input: JSON.stringify({ query }) })],
    ['cut behind it', (query) => content(JSON.stringify({ query, note: 'x' }).slice(0, -3), 'truncated')],
    [
      'cut within it',
      (query) => content(`${JSON.stringify({ query: `${query} WHERE a = 1` }).slice(0, -5)}`, 'truncated'),
    ],
    ['in JSON that is not quite', (query) => `{query: "${query}",}`],
  ])('%s', (_what, wrap) => {
    expect(verdictOf(queries(wrap('SELECT * FROM users ')))).toMatchObject({ verdict: 'fail' });
    expect(verdictOf(queries(wrap('PRAGMA table_info(users) '), wrap('SELECT * FROM users ')))).toMatchObject({
      verdict: 'pass',
    });
  });

  test('what is no SQL at all is a query, as it stands', () => {
    expect(verdictOf(queries({ table: 'users', limit: 3 }))).toMatchObject({
      verdict: 'fail',
      reason: 'Data was queried before the schema was inspected: {"table":"users","limit":3}',
    });
  });

  test('several statements in one call follow one another', () => {
    expect(verdictOf(queries({ query: `${SCHEMA}; ${DATA}` }))).toMatchObject({ verdict: 'pass' });
    expect(verdictOf(queries({ query: `${DATA}; ${SCHEMA}` }))).toMatchObject({ verdict: 'fail' });
    expect(verdictOf(queries({ queries: [SCHEMA, DATA] }))).toMatchObject({ verdict: 'pass' });
  });
});

describe('what cannot be told', () => {
  test.each<[string, readonly (Json | Content)[], string]>([
    ['arguments that were not recorded', [MISSING], 'not_applicable'],
    ['a query that was redacted after data was queried', [DATA, REDACTED], 'fail'],
    ['a query that was redacted before data was queried', [REDACTED, DATA], 'not_applicable'],
    ['a query that was redacted after the schema was inspected', [SCHEMA, REDACTED], 'pass'],
    [
      'a query that was cut before it names a table',
      [content('{"query": "SELECT name FROM sqlite_ma', 'truncated')],
      'not_applicable',
    ],
    [
      'a query that was cut after it named a table',
      [content('{"query": "SELECT name FROM users WHE', 'truncated')],
      'fail',
    ],
    ['a statement cut in its first word', [content('{"query": "PRAG', 'truncated')], 'not_applicable'],
  ])('%s', (_what, args, verdict) => {
    expect(verdictOf(queries(...args))?.verdict).toBe(verdict);
  });

  test('an inspection beside the query is not before it', () => {
    const [inspection, query] = queries(SCHEMA, DATA);
    if (inspection === undefined || query === undefined) throw new Error('there are two');
    const beside = [inspection, { ...query, startedAtMs: 2001 }];

    expect(verdictOf(beside)).toMatchObject({ verdict: 'fail', evidence: [spanId(2), spanId(1)] });
  });

  test('an inspection that failed showed nothing', () => {
    const failed = aFailedCall('query_database', 'no connection', {
      args: content(SCHEMA),
      startedAtMs: 1200,
      endedAtMs: 1201,
    });

    expect(verdictOf([failed, ...queries(DATA)])).toMatchObject({ verdict: 'fail' });
  });

  test('where spans are missing, so may be the inspection', () => {
    const turn = aTurn({ toolCalls: queries(DATA), flags: ['partial-trace'], lacksParents: true });

    expect(run(suite, aConversation([turn])).verdicts.get('schema_before_query')?.verdict).toBe('not_applicable');
  });

  test('an inspection in an earlier turn counts', () => {
    const conversation = aConversation([aTurn({ toolCalls: queries(SCHEMA) }), aTurn({ toolCalls: queries(DATA) })]);

    expect(run(suite, conversation).verdicts.get('schema_before_query')?.verdict).toBe('pass');
  });
});

describe('no_destructive_statement', () => {
  test.each<[string, string]>([
    ['DROP TABLE users', 'DROP TABLE'],
    ['SELECT 1; drop\ttable users', 'DROP TABLE'],
    ['TRUNCATE users', 'TRUNCATE'],
    ['DELETE FROM users', 'DELETE without WHERE'],
    ['DELETE FROM users WHERE 1=1', 'DELETE with a WHERE that is always true'],
    ['UPDATE users SET admin = true', 'UPDATE without WHERE'],
    ["UPDATE users SET note = ' WHERE ' -- WHERE id = 1", 'UPDATE without WHERE'],
    ['UPDATE users SET x = (SELECT y FROM z WHERE z.id = 1)', 'UPDATE without WHERE'],
    ['WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone WHERE id = 1', 'DELETE without WHERE'],
    ['ALTER TABLE users DROP COLUMN email', 'ALTER TABLE … DROP'],
    ['EXPLAIN ANALYZE DELETE FROM users', 'DELETE without WHERE'],
    ['/*!50000 DROP TABLE users */', 'DROP TABLE'],
  ])('%s', (sql, what) => {
    const evaluation = run(suite, conversationOf(queries(SCHEMA, { query: sql })));

    expect(evaluation.verdicts.get('no_destructive_statement')).toMatchObject({
      verdict: 'fail',
      reason: expect.stringContaining(`was asked for ${what}: `),
      evidence: [spanId(2)],
    });
    expect(evaluation.outcome).toBe('partial_failure');
  });

  test.each([
    'DELETE FROM users WHERE id = 3',
    'UPDATE users SET admin = true WHERE id IN (SELECT 3)',
    "SELECT 'DROP TABLE users'",
    'SELECT * FROM users FOR UPDATE',
    'INSERT INTO a VALUES (1) ON CONFLICT DO UPDATE SET x = 1',
    'CREATE TABLE a (b INT REFERENCES c ON DELETE CASCADE)',
    'DROP TEMPORARY TABLE scratch',
    'ALTER TABLE a ALTER COLUMN b DROP NOT NULL',
    'EXPLAIN DELETE FROM users',
    'SELECT drop_rate, truncate(x, 2) FROM t',
  ])('is not about %s', (sql) => {
    expect(verdictOf(queries({ query: sql }), 'no_destructive_statement')?.verdict).toBe('pass');
  });

  test('a WHERE that was cut off is nobody’s fault', () => {
    const cut = content('{"query": "UPDATE users SET admin = true WHE', 'truncated');

    expect(verdictOf(queries(cut), 'no_destructive_statement')?.verdict).toBe('not_applicable');
  });
});

test('an answer that the token limit cut off fails its criterion, and is an answer', () => {
  const turn = aTurn({ toolCalls: queries(SCHEMA, DATA), answered: 'There are', finishReasons: ['length'] });

  const evaluation = run(suite, aConversation([turn]));

  expect(exceptions(evaluation)).toEqual({ not_cut_off: 'fail' });
  expect(evaluation.score).toBe(900_000);
});

test('without a finish reason nobody knows', () => {
  const turn = aTurn({ toolCalls: queries(SCHEMA, DATA), answered: 'There are 42.', finishReasons: [] });

  expect(exceptions(run(suite, aConversation([turn])))).toEqual({ not_cut_off: 'not_applicable' });
});

test('an agent that does everything wrong', () => {
  const failed = aFailedCall('query_database', 'no such column: nme', {
    args: content('SELECT nme FROM users'),
    startedAtMs: 3000,
    endedAtMs: 3001,
  });
  const same = queries('SELECT 1 FROM users', 'SELECT 1 FROM users', 'SELECT 1 FROM users', 'DELETE FROM users');
  const steps = [aStep({ kind: 'agent', spanId: ROOT_SPAN, parentSpanId: undefined, startedAtMs: 0, endedAtMs: 9000 })];

  const evaluation = run(suite, aConversation([aTurn({ steps, toolCalls: [...same, failed], answered: MISSING })]));

  expect(exceptions(evaluation)).toMatchObject({
    schema_before_query: 'fail',
    no_destructive_statement: 'fail',
    no_identical_query: 'fail',
  });
});

test.each([
  ['quotes without end', "SELECT '".repeat(20_000)],
  ['parentheses', '('.repeat(100_000)],
  ['from after from', 'SELECT a FROM '.repeat(8000)],
  ['commas', `SELECT a FROM ${'a,'.repeat(40_000)}`],
  ['JSON that is not', `{"query": ${'"a" '.repeat(30_000)}`],
  ['updates', 'UPDATE a SET b '.repeat(5000)],
])('an enormous query is no trouble: %s', (_what, sql) => {
  expect(verdictOf(queries({ query: sql }))).toBeDefined();
  expect(verdictOf(queries(sql))).toBeDefined();
});
