/**
 * The plans of the statements of PostgreSQL: those of the reading thread, and those of filing, scoring, detection and
 * retention. Tables have a size at which the planner chooses as in a large store. No statement walks a large table from
 * one end to the other.
 */
import { searchFor } from '../../../src/store/conversation-reader.ts';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { OUTCOMES } from '../../../src/model/evaluation.ts';
import type { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import type { ConversationId } from '../../../src/model/ids.ts';
import { LIST_ORDERS } from '../../../src/model/list-orders.ts';
import type { ConversationSearch } from '../../../src/store/conversation-search.ts';
import type { FiledArrival } from '../../../src/store/cluster-store.ts';
import { traceIdOf } from '../../store/contract.ts';
import { sayEverything } from '../../store/say-everything.ts';
import { arrivalOf, openStore, ownLane, scoreSimply, SOME } from './scoring.ts';
import { freshDatabase } from './shared-postgres.ts';

const CONVERSATIONS = 60_000;
const DAY_MS = 86_400_000;
const LARGE =
  /^(?:conversations|evaluations|traces|arrivals|truths|feedback|labels|labelled_verdicts|readings|questions)(?:_|$)/;

/** Tables that the test fills. */
const FILLED = /^(?:conversations|evaluations_default|truths|readings|pruned_traces|traces_default)$/;

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Node[];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Given extends Statement {
  readonly name: string;
}

interface Asked extends Statement {
  /** Under which it was prepared. */
  readonly names: Set<string>;
  readonly plan: Promise<Node>;
  /** With walks forbidden. */
  readonly forbidden: Promise<Node>;
}

interface Explained {
  readonly rows: readonly { readonly 'QUERY PLAN': readonly { readonly Plan: Node }[] }[];
}

test('no read of the API, and no calibration, walks a large table of PostgreSQL', async () => {
  const { url } = await filledDatabase();
  const asked = await collected(async () => {
    const reader = PostgresReader.of({ url });
    await readAll(reader);
    await reader.close();
  });

  expect(asked.length).toBeGreaterThan(20);
  expect(await walkingAmong(asked)).toEqual([]);
});

/** Walks for which there is no index, with the reason. */
const WHOLE: readonly (readonly [statement: RegExp, reason: string])[] = [
  [/^INSERT INTO \w+ \(day, .* FROM \w+_d\d+ \w WHERE/, 'a day that is over is read once, and goes'],
  [
    /^(?:DELETE FROM|SELECT to_regclass\(\$1\) IS NOT NULL OR EXISTS \(SELECT 1 FROM) \w+_default WHERE day/,
    'rows of days without a partition: a service makes those days ahead, so there are none',
  ],
];
/** Walks that may be where the planner finds them cheaper, with the reason. */
const ALLOWED: readonly (readonly [statement: RegExp, reason: string])[] = [
  [
    /^UPDATE lanes SET .* EXISTS \(SELECT FROM pruned_traces\) OR EXISTS \(SELECT FROM forgotten\) AS "hasPruned"$/,
    'ends at the first row',
  ],
  [
    /^INSERT INTO pruned_traces .* t\.conversation = ANY\(\$1::bigint\[\]\) GROUP BY/,
    'a thousand conversations at a time; in a small table one walk is cheaper than so many searches',
  ],
  [
    /^DELETE FROM (?:truths|readings) WHERE key IN \(SELECT key FROM conversations WHERE id = ANY/,
    'a thousand keys at a time; in a small table one walk is cheaper than so many searches',
  ],
];

test('no statement of filing, scoring, detection and retention walks a large table of PostgreSQL', async () => {
  const { url } = await filledDatabase();
  const store = await openStore(url, { keepMs: 30 * DAY_MS, keepFailedMs: 90 * DAY_MS });
  onTestFinished(() => store.close());
  const working = await collected(() => workThrough(store));
  await grow(url, 200);
  const asked = [...working, ...(await collected(async () => void (await store.housekeeping.tidy())))];

  const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
  const walking = await walkingAmong(asked);
  const unexplained = walking.filter(
    ({ text, lacks }) => !(lacks.length > 0 ? WHOLE : [...WHOLE, ...ALLOWED]).some(([one]) => one.test(text)),
  );
  expect(unexplained, 'add an index, or write down why the walk is bounded').toEqual([]);
  const unused = [...WHOLE, ...ALLOWED].filter(([one]) => !walking.some(({ text }) => one.test(text)));
  expect(unused.map(([one]) => String(one))).toEqual([]);

  // The others take a race or a merge of conversations: they are planned from the source.
  const met = new Set(asked.flatMap(({ names }) => [...names]));
  expect(met.size).toBeGreaterThan(30);
  const unmet = preparedStatements().filter(({ name }) => !met.has(name));
  const planned = await genericPlans(url, unmet);
  expect(planned.filter(({ lacks }) => lacks.length > 0)).toEqual([]);
  const texts = asked.map(({ text }) => oneLine(text));
  for (const [what, statement] of RETAINED) {
    expect(
      texts.some((text) => statement.test(text)),
      what,
    ).toBe(true);
  }
});

/** Statements of retention, which are written for the occasion and have no names. */
const RETAINED: readonly (readonly [what: string, statement: RegExp])[] = [
  ['heads that are old', /^SELECT c\.id, c\.first_day AS "firstDay"/],
  ['heads that go', /^DELETE FROM conversations WHERE id = ANY/],
  ...['waiting_evaluations', 'revisits', 'arrivals_kept', 'traces_kept', 'evaluations_kept', 'evidence'].map(
    (table) => [`${table} that go with them`, new RegExp(`^DELETE FROM ${table} WHERE conversation = ANY`)] as const,
  ),
  ['arrivals that go with their traces', /^DELETE FROM arrivals_kept a USING traces_kept/],
  ["judges' waits", /^DELETE FROM judge_waits WHERE waiter IN/],
  ['the memory of what went', /^INSERT INTO pruned_traces .* FROM traces t WHERE/],
  ['the end of that memory', /^DELETE FROM pruned_traces WHERE closed_at </],
  ['open turns of nobody', /^DELETE FROM open_turns WHERE named_at </],
  ['ground truth of nobody', /^DELETE FROM truths AS t WHERE put_at </],
  ['outcomes of nobody', /^DELETE FROM readings AS t WHERE put_at </],
  ['a day that is over: traces that are needed', /^INSERT INTO traces \(day, .* FROM traces_d\d+ t WHERE/],
  ['a day that is over: arrivals that are needed', /^INSERT INTO arrivals \(day, .* FROM arrivals_d\d+ a WHERE/],
  [
    'a day that is over: evaluations that are needed',
    /^INSERT INTO evaluations \(day, .* FROM evaluations_d\d+ t WHERE/,
  ],
  ['a day that is over: what waits', /^UPDATE pending SET day = -day WHERE day =/],
  ['a day that is over: rows outside of days', /^DELETE FROM traces_default WHERE day <=/],
];

async function filledDatabase(): Promise<{ readonly url: string }> {
  const url = await freshDatabase();
  await (await openStore(url)).close();
  const client = new Client({ connectionString: url, options: '-c search_path=assay' });
  await client.connect();
  await fill(client).finally(() => client.end());
  return { url };
}

/** Files turns, scores their conversations again and again, observes, and tidies. */
async function workThrough(store: PostgresStore): Promise<void> {
  const file = async (
    number: number,
    conversation: string | undefined,
    at: number,
    more: Partial<FiledArrival> = {},
  ) => {
    const lane = await ownLane(store);
    const arrivals = [arrivalOf(number, conversation, at, more)];
    await store.filing.file([{ lane, time: at + 500, positions: { spans: number }, arrivals }]);
    await store.time.move();
    await store.scoring.scoreDue(SOME, (set) => {
      scoreSimply(store.engineStore, set);
      store.engineStore.detection.add({ at, evaluation: String(number), payload: '{}' });
      store.engineStore.archive.add('new' as ConversationId);
    });
  };
  await file(1, 'new', 1_000);
  await file(2, 'new', 2_000);
  // Without an id of its own, and linked to one that has one.
  await file(3, undefined, 3_000, { linked: [traceIdOf(2)], wants: ['response/1'] });
  await file(4, undefined, 4_000, { has: ['response/1'] });
  // Sent again.
  await file(2, 'new', 5_000);
  // Any number that no conversation has will do.
  await sayEverything(store, 'new' as ConversationId, 1_000_000);
}

/** Makes the rows of each day older by so many days, with their partition. */
async function grow(url: string, days: number): Promise<void> {
  const client = new Client({ connectionString: url, options: '-c search_path=assay' });
  await client.connect();
  const { rows } = await client.query<{ parent: string; day: number }>(
    `SELECT inhparent::regclass::text AS parent, substring(relname FROM '_d(\\d+)$')::int AS day
     FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE relname ~ '_d\\d+$' ORDER BY 2`,
  );
  for (const { parent, day } of rows) {
    const [from, to] = [`${parent}_d${day}`, `${parent}_d${day - days}`];
    await client.query(`ALTER TABLE ${parent} DETACH PARTITION ${from}; ALTER TABLE ${from} RENAME TO ${to};
      UPDATE ${to} SET day = day - ${days};
      ALTER TABLE ${parent} ATTACH PARTITION ${to} FOR VALUES FROM (${day - days}) TO (${day - days + 1})`);
  }
  await client.query(`UPDATE pending SET day = day - ${days}; UPDATE days SET day = day - ${days}`);
  await client.end();
}

interface Walking {
  readonly text: string;
  /** Tables that it walks as it runs. */
  readonly runs: readonly string[];
  /** Tables that it would walk even where that is the last resort. */
  readonly lacks: readonly string[];
}

interface Prepared {
  readonly name: string;
  readonly sql: string;
}

/** All that the store prepares under a name, from its source; those that are put together there are not among them. */
function preparedStatements(): readonly Prepared[] {
  const folder = path.join(import.meta.dirname, '../../../src/store/postgres');
  return readdirSync(folder).flatMap((file) =>
    [...readFileSync(path.join(folder, file), 'utf8').matchAll(/name: '([a-z-]+)',\s*sql:\s*(?:`([^`]*)`|'([^']*)')/g)]
      .map(([, name = '', long, short = '']) => ({ name, sql: long ?? short }))
      .filter(({ sql }) => !sql.includes('${')),
  );
}

async function genericPlans(url: string, statements: readonly Prepared[]): Promise<readonly Walking[]> {
  const client = new Client({
    connectionString: url,
    options: `-c search_path=assay -c plan_cache_mode=force_generic_plan ${FORBIDDEN.map((one) => `-c ${one}=off`).join(' ')}`,
  });
  await client.connect();
  onTestFinished(() => client.end());
  const plans: Walking[] = [];
  for (const { name, sql } of statements) {
    const parameters = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    await client.query(`PREPARE "${name}" AS ${sql}`);
    const given = parameters === 0 ? '' : `(${Array(parameters).fill('NULL').join(', ')})`;
    const { rows } = await client.query<Explained['rows'][number]>(`EXPLAIN (FORMAT JSON) EXECUTE "${name}" ${given}`);
    const [{ Plan: plan } = { Plan: { 'Node Type': 'none' } }] = rows[0]?.['QUERY PLAN'] ?? [];
    await client.query(`DEALLOCATE "${name}"`);
    plans.push({ text: name, runs: [], lacks: lacking(plan) });
  }
  return plans;
}

/** Statements that walk a large table as they run, or have no index to run by. */
async function walkingAmong(asked: readonly Asked[]): Promise<readonly Walking[]> {
  const walking: Walking[] = [];
  for (const { text, plan, forbidden } of asked) {
    // As it runs, by the settings of its own session: what is filled tells. One that is left when walks are forbidden
    // has no index, however small the table; of an empty one, a whole index may cost as little as a search.
    const walks = {
      runs: walksIn(await plan, FILLED),
      lacks: lacking(await forbidden),
    };
    if (walks.runs.length + walks.lacks.length > 0) walking.push({ text: text.replace(/\s+/g, ' ').trim(), ...walks });
  }
  return walking;
}

/** Rows as the service would have left them, in the partition for days that have none of their own. */
async function fill(client: Client): Promise<void> {
  await client.query(`
    INSERT INTO conversations (key, conversation_id, first_day, agent, agent_version, environment, first_closed_at, last_closed_at, updated_at, began_at, turns, revision)
      SELECT md5('c' || i)::uuid, 'c' || i, 20000, 'agent' || i % 20, 'v' || i % 7, 'e', i, i, i, i, 1, 1 FROM generate_series(1, ${CONVERSATIONS}) i;
    INSERT INTO evaluations (day, conversation, turn_id, suite, suite_version, revision, outcome, explanation, verdicts, failed, labels, created_at)
      SELECT 20000, id, '', suite, '1', 1, 0, 'e', '[]', '{}', '{}', id
      FROM conversations, (VALUES ('s'), ('shadow:s')) AS suites (suite);
    INSERT INTO truths (key, conversation_id, truth, put_at)
      SELECT key, conversation_id, '{}', CASE WHEN id % 1000 = 0 THEN 1 ELSE extract(epoch FROM now()) * 1000 END FROM conversations;
    INSERT INTO readings (key, name_key, conversation_id, source, name, good, certain, put_at)
      SELECT key, md5('refund')::uuid, conversation_id, 'outcome', 'refund', true, false, put_at FROM truths;
    INSERT INTO pruned_traces (trace_id, closed_at) SELECT md5('p' || i)::uuid, i FROM generate_series(1, ${CONVERSATIONS}) i;
    INSERT INTO traces (day, conversation, trace_id, arrival, revision, position, first_closed_at, closed_at, spans, bytes, sealed, cause)
      SELECT 20000, id, md5('t' || id)::uuid, id, 1, id, id, id, 1, 1, false, 'settled' FROM conversations;
    ANALYZE;
  `);
}

async function readAll(reader: PostgresReader): Promise<void> {
  const conditions = [
    {},
    { agent: 'agent1' },
    { agent: 'nobody' },
    { agentVersion: 'v1', segment: 'g' },
    { outcome: OUTCOMES[1] },
    { suite: 's' },
    { criterion: 'c' },
    { since: 1 },
    { cursor: { before: { at: 500, row: 500 } } },
    { agent: 'agent1', outcome: OUTCOMES[0], suite: 's', criterion: 'c', since: 1, cursor: { before: LATER } },
  ];
  for (const query of conditions) await reader.pages.search(searchFor({ limit: 50, ...query }));
  for (const search of SEARCHES)
    for (const order of LIST_ORDERS)
      for (const cursor of [undefined, { before: LATER, last: { value: 1, ...LATER } }])
        await reader.pages.search({ order, limit: 50, cursor, ...search });
  const { rows } = await reader.pages.search(searchFor({ limit: 50 }));
  await reader.find('c7');
  const [row] = rows;
  if (row === undefined) throw new Error('no conversation is there');
  await reader.summaries(rows);
  for (const of of ['live', 'shadow'] as const) await reader.evaluations(row, { revisions: 'last', of });
  await reader.evaluations(row, { revisions: 'all' });
  for (const of of ['live', 'shadow'] as const)
    for (const revisions of ['last', 'all'] as const) await reader.pages.evaluations(rows, { revisions, of });
  await reader.pages.lastScanned(rows, 's');
  await reader.pages.labelsOf(row, 100);
  await reader.pages.countedPlaces({ width: 3_600_000, since: 0 });
  await reader.pages.firstTimes('m');
  expect(await reader.pages.countUpTo(100)).toBe(100);
  expect(await reader.pages.judging(Date.now())).toEqual({ spent: { hourNanos: 0, dayNanos: 0 }, waiting: new Map() });
  await reader.truthOf(row);
  await reader.frame.factsOf({ agent: 'agent1', since: 1, until: 60_000 }, 10_000);
  await reader.readingsOf(row);
  await reader.traces(row);
  for await (const page of reader.scanEvaluations({ suiteKey: 'shadow:s', limit: 50, lookedAtMax: 2_000 }))
    for (const one of page.slice(0, 1)) {
      await reader.besideOf(one, 's');
      await reader.verdictsOf(one);
      await reader.conversationOf(one);
    }
  await reader.answerOf('00');
  await reader.labelled({ labels: 20_000, verdicts: 40_000 });
}

const LATER = { at: 50_000, row: 40_000 };
const SEARCHES: readonly Partial<ConversationSearch>[] = [
  {},
  { agents: ['agent1', 'nobody'], agentVersions: ['v1'], environments: ['e'], segments: ['g'] },
  { suites: ['s'], outcomes: ['hard_failure'] },
  { failedCriteria: ['c'] },
  { decidedBelow: 1 },
  { states: ['open', 'waiting', 'scored', 'unscored'] },
  { isLabelled: true },
  { since: 1, until: 60_000 },
  { words: ['nothing'] },
  { facts: ['tool: a', 'tool: b'] },
];

/** Ways to read a table from one end to the other; what is small is joined by such, too. */
const FORBIDDEN = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];

/** Statements that any client sends meanwhile; a cursor's query stands for what is fetched of it. */
async function collected(work: () => Promise<void>): Promise<readonly Asked[]> {
  const asked = new Map<string, Asked>();
  const query = Client.prototype.query;
  const note = (client: Client, given: unknown) => {
    const { name, text = '', values = [] } = typeof given === 'string' ? { text: given } : (given as Partial<Given>);
    const declared = /CURSOR FOR ([\s\S]*)$/.exec(text)?.[1] ?? text;
    // A script has no parameters, and nothing in it that is a semicolon but no end.
    const statements = values.length > 0 ? [declared] : declared.split(';');
    for (const statement of statements) {
      if (!/^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(statement)) continue;
      const known = asked.get(statement);
      if (name !== undefined) known?.names.add(name);
      if (known !== undefined) continue;
      // In its own session: temporary tables are there, and settings are those that it runs with.
      const run = (sql: string | { text: string; values: unknown[] }) => Reflect.apply(query, client, [sql]);
      const plan = planOf(run, { text: statement, values });
      for (const setting of FORBIDDEN) void run(`SET ${setting} = off`);
      const forbidden = planOf(run, { text: statement, values });
      for (const setting of FORBIDDEN) void run(`RESET ${setting}`);
      asked.set(statement, {
        names: new Set(name === undefined ? [] : [name]),
        text: statement,
        values,
        plan,
        forbidden,
      });
    }
  };
  Client.prototype.query = function noted(this: Client, ...given: readonly unknown[]) {
    note(this, given[0]);
    return Reflect.apply(query, this, given);
  } as typeof query;
  try {
    await work();
  } finally {
    Client.prototype.query = query;
  }
  return [...asked.values()];
}

async function planOf(
  run: (explain: { text: string; values: unknown[] }) => Promise<Explained>,
  { text, values }: Statement,
): Promise<Node> {
  const { rows } = await run({ text: `EXPLAIN (FORMAT JSON) ${text}`, values: [...values] });
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (plan === undefined) throw new Error(`no plan of ${text}`);
  return plan;
}

/** Walks with no index to take their place. A whole index of an empty table may cost as little as a search in it. */
function lacking(plan: Node): readonly string[] {
  return walksIn(plan, LARGE).filter((walk) => /^Seq/.test(walk) || FILLED.test(walk.split(' ').at(-1) ?? ''));
}

/** Tables that are read from one end to the other; an index that is read whole is no better. */
function walksIn(node: Node, tables: RegExp, { isLimited = false } = {}): readonly string[] {
  const { 'Node Type': type, 'Relation Name': relation = '', 'Index Cond': condition, Plans = [] } = node;
  const isWhole = type === 'Seq Scan' || (/^Index (?:Only )?Scan$/.test(type) && condition === undefined && !isLimited);
  const own = isWhole && tables.test(relation) ? [`${type} ${relation}`] : [];
  const limited = { isLimited: isLimited || type === 'Limit' };
  return [...own, ...Plans.flatMap((one) => walksIn(one, tables, limited))];
}
