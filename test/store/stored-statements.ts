/**
 * Run by Node itself, because its stack traces name the lines of the source as they are. Does everything that the store's
 * writer, its readers and its periodic work do. Prints each statement of SQLite that was prepared, its plan, and the
 * lines of the store that it came from, and the names of statements that a rule asked for. `query-plans.test.ts` says
 * what is wrong with them.
 */
import { searchFor } from '../../src/store/conversation-reader.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { OUTCOMES } from '../../src/model/evaluation.ts';
import type { ConversationId, TraceId } from '../../src/model/ids.ts';
import { LIST_ORDERS } from '../../src/model/list-orders.ts';
import { findForeign } from '../../src/store/sqlite/foreign-content.ts';
import { prune } from '../../src/store/sqlite/retention.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import type { ConversationSearch } from '../../src/store/conversation-search.ts';
import { readStored } from '../../src/store/sqlite/unreferenced-content.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { SqliteSql } from '../../src/store/sqlite/sqlite-sql.ts';
import type { Dialect, Page, Step } from '../../src/store/sql.ts';
import { sayEverything } from './say-everything.ts';

const SITE = /src\/store\/sqlite\/[\w-]+\.ts:\d+/g;
const found = new Map<string, Set<string>>();

const prepare = DatabaseSync.prototype.prepare;
DatabaseSync.prototype.prepare = function prepareNoted(...given: Parameters<typeof prepare>) {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 30;
  const sites = new Error().stack?.match(SITE) ?? [];
  Error.stackTraceLimit = stackTraceLimit;
  const sql = given[0];
  const all = found.get(sql) ?? new Set();
  for (const site of sites) all.add(site.slice('src/store/sqlite/'.length));
  found.set(sql, all);
  return prepare.apply(this, given);
};

const named = new Set<string>();

/** The same rule; the names of its statements are noted. */
function* noted<S extends Step | Page<unknown>, T>(
  rule: Generator<S, T, unknown>,
  given?: unknown,
): Generator<S, T, unknown> {
  for (let step = rule.next(given); ; ) {
    if (step.done === true) return step.value;
    const asked = step.value;
    if ('statement' in asked) named.add(asked.statement.name);
    const isInner = 'rule' in asked;
    step = rule.next(yield isInner ? { ...asked, rule: () => noted(asked.rule()) } : asked);
  }
}

const { run, inside, pages } = SqliteSql.prototype;
Object.assign(SqliteSql.prototype, {
  run(this: SqliteSql<Dialect>, rule: Parameters<typeof run>[0]) {
    return run.call(this, noted(rule));
  },
  inside(this: SqliteSql<Dialect>, rule: Parameters<typeof inside>[0], given?: unknown) {
    // A rule that waits for an answer is noted already.
    return inside.call(this, given === undefined ? noted(rule) : rule, given);
  },
  pages(this: SqliteSql<Dialect>, rule: Parameters<typeof pages>[0]) {
    return pages.call(this, noted(rule));
  },
});

const [, , directory = ''] = process.argv;
const file = path.join(directory, 'assay.db');
const TRACE = '0af7651916cd43dd8448eb211c80319c' as TraceId;

Store.open(file).close();
fill();
start();
read();
await write();
tidy();
process.stdout.write(JSON.stringify({ statements: plans(), named: [...named] }));

/** Two conversations, of which one is old, with a piece of content that is not referred to any more. */
function fill(): void {
  const database = new DatabaseSync(file);
  database.exec(`
    INSERT INTO conversations (conversation_id, agent, agent_version, environment, first_closed_at, last_closed_at, updated_at, began_at, turns)
      VALUES ('old', 'a', 'v', 'e', 1, 1, 1, 1, 1), ('new', 'a', 'v', 'e', 1, 1, ${Date.now()}, 1, 1);
    INSERT INTO traces (trace_id, conversation, revision, position, closed_at, stored_at, cause, spans, content_file, content_offset,
        spans_length, logs_length)
      VALUES (x'${TRACE}', 1, 1, 1, 1, 1, 'root-ended', 1, 1, 0, 0, 0);
    INSERT INTO evaluations (conversation, trace, turn_id, suite, suite_version, scope, revision, outcome, explanation, verdicts, labels, created_at)
      VALUES (1, 1, '', 's', '1', 'conversation', 1, 0, '', '[]', '{}', 1),
        (2, 1, '', 's', '1', 'conversation', 1, 0, '', '[]', '{}', 1), (2, 1, '', 'shadow:s', '1', 'conversation', 1, 0, '', '[]', '{}', 1);
    INSERT INTO spoken (rowid, words) VALUES (1, 'w x'), (2, 'w');
    INSERT INTO content_files (file, end_offset, live_bytes) VALUES (1, 1000, 10), (2, 1000, 0), (3, 10, 10);
    INSERT INTO pruned_traces (trace_id, position, closed_at) VALUES (x'01', 1, 1), (x'02', 1, 2);
  `);
  database.close();
}

/** A start looks for pieces in a content file, and for traces whose content no row refers to. */
function start(): void {
  const folder = path.join(directory, 'foreign');
  mkdirSync(folder);
  writeFileSync(path.join(folder, '00000001.content'), '');
  const database = new DatabaseSync(file);
  findForeign(database, folder, [{ file: 1, size: 0 }]);
  database.close();
  readStored(file, new Set([TRACE]));
}

function read(): void {
  const reader = StoreReader.open(file);
  const conditions = [
    { outcome: OUTCOMES[0] },
    { agent: 'a' },
    { agentVersion: 'v' },
    { segment: 'g' },
    { suite: 's' },
    { criterion: 'c' },
    { since: 1 },
    { cursor: { before: { at: 10, row: 10 } } },
  ];
  for (let chosen = 0; chosen < 1 << conditions.length; chosen += 1) {
    const query = Object.assign({}, ...conditions.filter((_, at) => (chosen >> at) & 1));
    reader.pages.search(searchFor({ limit: 50, ...query }));
  }
  searchEach(reader);
  const row = reader.find('new');
  if (row === undefined) throw new Error('the conversation is not there');
  for (const revisions of ['last', 'all'] as const)
    for (const kind of ['live', 'shadow'] as const) reader.evaluations(row, { revisions, of: kind });
  reader.summaries([row]);
  for (const revisions of ['last', 'all'] as const)
    for (const kind of ['live', 'shadow'] as const) reader.pages.evaluations([row], { revisions, of: kind });
  reader.pages.parts({ since: 0, until: 10, parts: 2, max: 10 });
  reader.pages.lastScanned([row], 's');
  reader.pages.labelsOf(row, 10);
  void reader.pages.countedPlaces({ width: 1, since: 0 });
  reader.pages.firstTimes('m');
  reader.pages.countUpTo(10);
  reader.pages.countAgents(10);
  reader.pages.judging(Date.now());
  reader.truthOf(row);
  reader.feedbackOf(row);
  reader.outcomeNames();
  [...reader.outcomesNamed('l')];
  const window = { agent: 'a', since: 0, until: 1 };
  reader.frame.frameCounts(window);
  reader.frame.firstToRead(window, 1);
  reader.frame.readByPeople(window);
  reader.frame.certainSince(window, 0);
  reader.frame.firstToRead(window, 1, 'all');
  reader.frame.lessons({ agent: 'a', before: 1 });
  reader.frame.factsOf(window, 10);
  reader.readingsOf(row);
  reader.failures.countedKinds('a');
  reader.failures.failedReadings('a');
  reader.failures.failedReadings('a', 'without a kind');
  reader.failures.keptKinds('a');
  const old = reader.find('old');
  for (const trace of old === undefined ? [] : reader.traces(old)) {
    try {
      reader.content(trace);
    } catch {
      // There is no such file of content, which is read after the row.
    }
  }
  // Only suites in shadow are asked for so (shadow-api.ts).
  for (const suiteKey of ['s', 'shadow:s'])
    for (const since of [undefined, 1])
      for (const agent of [undefined, 'a'])
        for (const limit of [undefined, 10])
          for (const lookedAtMax of suiteKey === 's' ? [undefined] : [undefined, 100])
            for (const page of reader.scanEvaluations({
              suiteKey,
              since,
              agent,
              agentVersion: agent,
              limit,
              lookedAtMax,
            }))
              for (const one of page) {
                reader.besideOf(one, 's');
                reader.verdictsOf(one);
                reader.conversationOf(one);
              }
  reader.answerOf('00');
  reader.labelled({ labels: 1, verdicts: 1 });
  reader.labelled({ labels: 1, verdicts: 1 }, { suite: 's', criterion: 'c' });
  reader.totals();
  const stretch = { suite: 's', width: 1, since: 0, until: 1 };
  reader.history(stretch);
  reader.summedHistory({ ...stretch, step: 1, by: 'agent', agents: ['a'] });
  reader.pages.fleetHistory({ suites: ['s'], width: 1, since: 0, middle: 1, until: 2, environments: ['e'] });
  [...reader.allEvaluations()];
  try {
    [...reader.allContent()];
  } catch {
    // As above.
  }
  reader.close();
}

/** Each condition of a search alone, all of them, and those that a page has together. */
function searchEach(reader: StoreReader): void {
  const conditions: readonly Partial<ConversationSearch>[] = [
    { agents: ['a'] },
    { agentVersions: ['v'] },
    { environments: ['e'] },
    { segments: ['g'] },
    { suites: ['s'] },
    { outcomes: ['hard_failure'] },
    { failedCriteria: ['c'] },
    { subAgents: ['a', 'b'] },
    { decidedBelow: 1 },
    { states: ['open', 'waiting', 'scored', 'unscored'] },
    { states: ['open', 'waiting'] },
    { isLabelled: true },
    { feedback: ['negative'] },
    { cameOut: ['good', 'bad'] },
    { cameOut: ['bad'], isCalledFine: true },
    { isCalledFine: false },
    { readAs: ['good', 'bad'], kinds: ['k'] },
    { facts: ['tool: a', 'tool: b'] },
    { ids: ['c', 'd'] },
    { since: 1 },
    { until: 10 },
    { words: ['w', 'x'] },
  ];
  const chosen = [{}, ...conditions, Object.assign({}, ...conditions), { since: 1, until: 10, outcomes: ['unscored'] }];
  for (const order of LIST_ORDERS)
    for (const cursor of [undefined, { before: { at: 10, row: 10 }, last: { value: 1, at: 5, row: 2 } }])
      for (const one of chosen) reader.pages.search({ order, limit: 50, cursor, ...one });
  // A page that is full: what it leaves out is counted.
  for (const one of chosen) reader.pages.search({ order: 'latest', limit: 0, ...one });
}

async function write(): Promise<void> {
  const store = Store.open(file);
  store.begin();
  store.detection.add({ at: 1, evaluation: 'e', payload: '{}' });
  store.archive.add('new' as ConversationId);
  store.commit();
  await sayEverything(store, 'new' as ConversationId, 2);
  // Evaluations and feedback that the engine reads and writes while people have said something.
  await store.truths.put('new', 1);
  store.begin();
  const conversation = 'new' as ConversationId;
  store.truths.find(conversation);
  store.feedback.put([{ conversationId: conversation, id: 'g', at: 1, name: 'n', user: undefined } as never], {
    asks: true,
  });
  store.feedback.find(conversation);
  store.feedback.counted(conversation);
  store.feedback.move(conversation, conversation);
  const verdicts = new Map([['c', { verdict: 'pass' }]]);
  store.labels.note({ conversationId: conversation, suite: 's', suiteVersion: '1', revision: 1, verdicts } as never, 1);
  store.questions.waitFor(1, [{ key: '0c', judge: 'default', priority: 1 } as never], 1);
  store.commit();
  store.questions.end([{ key: '0c', outcome: { is: 'failed' } as never }], 1);
  store.begin();
  store.questions.outcomeOf('0c', 1);
  store.questions.endedWaiters(1);
  store.questions.leave(1);
  store.commit();
  store.close();
}

function tidy(): void {
  const store = Store.open(file);
  store.begin();
  store.count('conversations');
  store.labels.note({ conversationId: 'x' as ConversationId } as never, 1);
  // A store of no size at all: everything that may go goes, and files are compacted.
  for (const maxBytes of [1 << 30, 0]) {
    try {
      prune(store, { reopenMs: 0, keepMs: 1000, keepFailedMs: 1000, maxBytes });
    } catch {
      // Its content is in no file.
    }
  }
  store.commit();
  store.traces.removeEmptyFiles();
  store.begin();
  store.forgotten.drop({ traceId: TRACE, position: 1, closedAt: 1 }, undefined);
  // No conversation has that row.
  store.forgotten.drop({ traceId: TRACE, position: 1, closedAt: 1 }, { conversation: 99 } as never);
  store.commit();
  store.forgotten.wiped(store.forgotten.toWipe);
  store.forgotten.forget({
    conversations: ['new' as ConversationId],
    users: ['u'],
    traces: [TRACE],
    place: { position: 1, logTime: 1 },
  });
  store.forgotten.saidOf(['new' as ConversationId]);
  store.forgotten.settle();
  [...store.traces.allContent(1)];
  store.close();
}

function plans() {
  const store = Store.open(path.join(directory, 'plans.db'));
  store.run('CREATE TEMP TABLE IF NOT EXISTS dropped (id INTEGER PRIMARY KEY)');
  const explained: { sql: string; sites: string[]; plan: string[] }[] = [];
  // With the schema of the store and its temporary table, and nothing in it: the planner has no statistics in the service either.
  const database = new DatabaseSync(path.join(directory, 'plans.db'));
  database.exec('CREATE TEMP TABLE dropped (id INTEGER PRIMARY KEY)');
  for (const [sql, sites] of found) {
    const isPlanned = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)/i.test(sql);
    const rows = isPlanned ? prepare.call(database, `EXPLAIN QUERY PLAN ${sql}`).all() : [];
    explained.push({ sql, sites: [...sites], plan: rows.map(({ detail }) => String(detail)) });
  }
  database.close();
  store.close();
  return explained;
}
