/**
 * The plan of every statement that the store of one machine runs: none walks a large table, whatever the store holds.
 * The statements are those that `stored-statements.ts` met, and it has to meet each place that makes one.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDirectory } from '../temp-directory.ts';

interface Explained {
  readonly sql: string;
  readonly sites: readonly string[];
  readonly plan: readonly string[];
}

const STORE = path.resolve(import.meta.dirname, '../../src/store/sqlite');
const RULES = path.join(STORE, '../rules');
/** Tables that grow with what is received. */
const LARGE = [
  'conversations',
  'traces',
  'evaluations',
  'failed_verdicts',
  'conversation_keys',
  'truths',
  'feedback',
  'labels',
  'labelled_verdicts',
  'readings',
  'pruned_traces',
  'questions',
  'totals',
  'first_times',
  'history',
  'archive_queue',
  'archive_batches',
];
/** Walks over more than a fixed number of rows, with the reason why each may be. */
const ALLOWED: readonly (readonly [statement: RegExp, reason: string])[] = [
  [
    /^SELECT metric, labels, (?:value|at) FROM (?:totals|first_times)/,
    'at the start, or for a report; bounded by max_label_values',
  ],
  [/^SELECT EXISTS \(SELECT 1 FROM \w+\) AS \w+$/, 'ends at the first row'],
  [/^SELECT EXISTS \(SELECT 1 FROM forgotten\) OR EXISTS/, 'ends at the first row'],
  [/^WITH RECURSIVE named \(agent, number\)/, 'a minimum ends at the first entry of the index, and agents are limited'],
  [/^SELECT 1 FROM conversation_keys LIMIT 1$/, 'ends at the first row'],
  [
    /^SELECT id, due_at FROM conversations WHERE due_at IS NOT NULL AND \(due_at, id\) > .* LIMIT \d+$/,
    'a partial index, and ends at its limit; it passes over no more of an equal time than a transaction holds',
  ],
  [/^DELETE FROM questions AS q WHERE NOT EXISTS/, 'partial indexes of those that wait, and of those that go'],
  [/^SELECT q\.judge, count\(\*\) AS questions/, 'a partial index of the questions that wait'],
  [
    /^INSERT INTO temp\.dropped SELECT id FROM conversations WHERE/,
    'entries of the index only; it ends at its limit or at what is young',
  ],
  [
    /^SELECT count\(\*\) AS rows FROM pruned_traces$/,
    'one byte-sized entry each of a memory of bounded size, once in a round of retention',
  ],
  [/^DELETE FROM pruned_traces WHERE trace_id IN/, 'what is too much, oldest first, up to a limit'],
  [
    /^DELETE FROM (?:pruned_traces|truths|feedback|readings)(?: AS t)? WHERE (?:closed|put)_at < \?/,
    'what is older than it may be, and goes',
  ],
  [/^SELECT \* FROM label(?:s ORDER BY id|led_verdicts ORDER BY noted_at) DESC LIMIT \?$/, 'ends at its limit'],
  [/^SELECT id FROM conversations WHERE due_at IS NOT NULL LIMIT \?$/, 'a partial index, and ends at its limit'],
  [
    /^SELECT name, day FROM archive_batches WHERE NOT kept ORDER BY name LIMIT 1$/,
    'a partial index of one row at most',
  ],
  [
    /^SELECT id, at FROM archive_queue WHERE batch IS NULL ORDER BY id LIMIT \?$/,
    'a partial index, and ends at its limit',
  ],
  [/^SELECT at FROM archive_queue ORDER BY id LIMIT 1$/, 'ends at the first row'],
  [
    /^SELECT name, day, keys FROM archive_batches WHERE kept AND name > \?/,
    'a page of the index, and ends at its limit',
  ],
  [/^SELECT EXISTS \(SELECT 1 FROM archive_batches\) AS has$/, 'ends at the first row'],
  [/^SELECT conversation_id FROM labels ORDER BY conversation_id LIMIT \?$/, 'ends at its limit'],
  [/^SELECT \* FROM labels WHERE seen = 0 ORDER BY id DESC LIMIT \?$/, 'ends at its limit; few are left out'],
  [
    /^SELECT count\(\*\) AS conversations FROM \(SELECT 1 FROM conversations WHERE TRUE LIMIT \?\) counted$/,
    'ends at its limit',
  ],
  [/^SELECT id, created_at FROM evaluations WHERE id >= \? ORDER BY id LIMIT 1$/, 'ends at the first row'],
  [
    /FROM evaluations e .*WHERE e\.suite = \? AND NOT EXISTS .* AND e\.id > \? ORDER BY e\.id /,
    'a backtest of a live suite, by a command: reads all that there is',
  ],
  [
    /^SELECT c\.facts, r\.good FROM readings r JOIN conversations c/,
    'a partial index of what people read themselves, once a day',
  ],
  [/^SELECT r\.conversation_id, r\.name, r\.kind, r\.note,/, 'a partial index of what people read themselves'],
  [/^WITH RECURSIVE criteria/, 'one search for each name of a criterion'],
  [/^SELECT c\.conversation_id, e\..* FROM evaluations e JOIN/, 'a report of everything, by a command'],
  [/^SELECT \* FROM traces$/, 'everything, by a command'],
  [
    /^SELECT id, conversation, .* FROM traces WHERE id > \? ORDER BY id LIMIT \?$/,
    'everything, to find a user, some at a time',
  ],
  [/^SELECT count\(\*\) AS rows FROM (?:conversations|traces|evaluations)$/, 'for a copy and for tests'],
  [/^SELECT r\.kind, count\(\*\) AS readings/, 'readings by people, of whom each gives some a day'],
  [/^SELECT name AS label, count\(\*\) AS outcomes FROM readings/, 'by a command'],
  [
    /IN \(SELECT conversation_id FROM readings WHERE source = 'person'\)/,
    'an index of what people read, which is little',
  ],
];
/** Files whose statements run on other databases, for a command that copies all of a store, or on tables of one row. */
const ELSEWHERE = [
  'answer-file.ts',
  'examine-store.ts',
  'found-store.ts',
  'migrate.ts',
  'store-export.ts',
  'wal-match.ts',
];
const MAKES = /[.\s(]prepare\(|\bstatements\b.*\.of\(|^\s*\.of\(|#prepared\(|\bstore\.run\(/;

function explained(): { readonly statements: readonly Explained[]; readonly named: readonly string[] } {
  const script = path.join(import.meta.dirname, 'stored-statements.ts');
  return JSON.parse(
    execFileSync(process.execPath, [script, tempDirectory()], { encoding: 'utf8', maxBuffer: 1 << 26 }),
  );
}

/** Tables by the names that the statement has for them. */
function tablesIn(sql: string): ReadonlyMap<string, string> {
  const named = [
    ...sql.matchAll(
      /\b(?:FROM|JOIN|UPDATE|INTO)\s+(?:temp\.)?(\w+)(?:\s+(?:AS\s+)?(?!WHERE|SET|ORDER|LIMIT|ON|CROSS|JOIN|NOT)(\w+))?/gi,
    ),
  ];
  return new Map(
    named.flatMap(([, table = '', alias]) => [
      [table, table],
      ...(alias === undefined ? [] : [[alias, table] as const]),
    ]),
  );
}

/** A scan, or a search with an open end. */
function walksIn({ sql, plan }: Explained): readonly string[] {
  const tables = tablesIn(sql);
  return plan.filter((detail) => {
    const [, how, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
    if (how === undefined || !LARGE.includes(tables.get(name) ?? name)) return false;
    if (how === 'SCAN') return true;
    const isOpen = detail.includes('>?') !== detail.includes('<?');
    return isOpen && !detail.includes('=?');
  });
}

test('no statement of the store walks a large table, and each place that makes a statement was met', () => {
  const { statements: all, named } = explained();
  const oneLine = ({ sql }: Explained) => sql.replace(/\s+/g, ' ').trim();
  const walking = all
    .filter((one) => walksIn(one).length > 0)
    .filter((one) => !ALLOWED.some(([statement]) => statement.test(oneLine(one))))
    .map((one) => ({ sql: oneLine(one), walks: walksIn(one), sites: one.sites }));

  expect(walking, 'add an index, or write down why the walk is bounded').toEqual([]);

  const unused = ALLOWED.filter(
    ([statement]) => !all.some((one) => walksIn(one).length > 0 && statement.test(oneLine(one))),
  );
  expect(unused.map(([statement]) => String(statement))).toEqual([]);

  const met = new Set(all.flatMap(({ sites }) => sites));
  const missed = readdirSync(STORE)
    .filter((file) => file.endsWith('.ts') && !ELSEWHERE.includes(file))
    .flatMap((file) =>
      readFileSync(path.join(STORE, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          MAKES.test(line) && !/^\s*(?:#prepared|\*)/.test(line) ? [`${file}:${index + 1}`] : [],
        ),
    )
    .filter((site) => !met.has(site));
  expect(missed, 'make stored-statements.ts do this as well').toEqual([]);

  const ofRules = [STORE, RULES].flatMap((folder) =>
    readdirSync(folder).flatMap((file) =>
      [...readFileSync(path.join(folder, file), 'utf8').matchAll(/\bname: ['`]([\w${}-]+)['`],\s*sql\b/g)].map(
        ([, name = '']) => name,
      ),
    ),
  );
  expect(ofRules.length).toBeGreaterThan(60);
  const isMet = (name: string) =>
    named.some((one) => new RegExp(`^${name.replaceAll(/\$\{\w+\}/g, '\\w+')}$`).test(one));
  expect(
    ofRules.filter((name) => !isMet(name)),
    'make stored-statements.ts ask for these as well',
  ).toEqual([]);
});

test('a walk is noticed: of a whole table, by an alias, and of a range with an open end', () => {
  const walks = (sql: string, ...plan: string[]) => walksIn({ sql, plan, sites: [] });

  expect(walks('SELECT * FROM evaluations e WHERE e.suite = ?', 'SCAN e')).toEqual(['SCAN e']);
  expect(walks('SELECT min(id), max(id) FROM conversations', 'SCAN conversations USING COVERING INDEX x')).toHaveLength(
    1,
  );
  expect(
    walks('SELECT 1 FROM evaluations e WHERE e.id > ?', 'SEARCH e USING INTEGER PRIMARY KEY (rowid>?)'),
  ).toHaveLength(1);
  expect(walks('SELECT 1 FROM evaluations e', 'SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)')).toEqual([]);
  expect(walks('SELECT 1 FROM evaluations e', 'SEARCH e USING INDEX x (suite=? AND rowid>?)')).toEqual([]);
  expect(walks('SELECT * FROM meta', 'SCAN meta')).toEqual([]);
});
