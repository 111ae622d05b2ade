/**
 * The plans of what the reading thread asks of PostgreSQL, with tables of a size at which the planner chooses as in a
 * large store: no statement walks a large table from one end to the other.
 */
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { OUTCOMES } from '../../../src/model/evaluation.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { freshDatabase } from './shared-postgres.ts';

const CONVERSATIONS = 60_000;
const LARGE =
  /^(?:conversations|evaluations|traces|arrivals|truths|labels|labelled_verdicts|outcome_labels|questions)(?:_|$)/;

/** Tables that the test fills. */
const FILLED = /^(?:conversations|evaluations_default|truths)$/;

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Node[];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Asked extends Statement {
  readonly plan: Promise<Node>;
}

interface Explained {
  readonly rows: readonly { readonly 'QUERY PLAN': readonly { readonly Plan: Node }[] }[];
}

test('no read of the API, and neither likeness nor calibration, walks a large table of PostgreSQL', async () => {
  const url = await freshDatabase();
  await (await PostgresStore.open({ url, instance: 'a', group: 'test', topics: ['spans'] })).close();
  const client = new Client({ connectionString: url, options: '-c search_path=assay' });
  await client.connect();
  onTestFinished(() => client.end());
  await fill(client);
  const asked = await collected(async () => {
    const reader = PostgresReader.of({ url });
    await readAll(reader);
    await reader.close();
  });

  const walking = [];
  // One that is left when walks are forbidden has no index, however small the table.
  await client.query('SET enable_seqscan = off');
  for (const { text, values, plan } of asked) {
    const forbidden = await planOf((explain) => client.query<Explained['rows'][number]>(explain), { text, values });
    // As it runs, by the settings of its own session: what is filled tells.
    const walks = [...seqScansIn(await plan, FILLED), ...seqScansIn(forbidden, LARGE)];
    if (walks.length > 0) walking.push({ text: text.replace(/\s+/g, ' '), walks });
  }

  expect(asked.length).toBeGreaterThan(20);
  expect(walking).toEqual([]);
});

/** Rows as the service would have left them, in the partition for days that have none of their own. */
async function fill(client: Client): Promise<void> {
  await client.query(`
    INSERT INTO conversations (key, conversation_id, first_day, agent, agent_version, environment, first_closed_at, last_closed_at, updated_at, turns, revision)
      SELECT md5('c' || i)::uuid, 'c' || i, 20000, 'agent' || i % 20, 'v' || i % 7, 'e', i, i, i, 1, 1 FROM generate_series(1, ${CONVERSATIONS}) i;
    INSERT INTO evaluations (day, conversation, turn_id, suite, suite_version, revision, outcome, explanation, verdicts, failed, labels, created_at)
      SELECT 20000, id, '', suite, '1', 1, 0, 'e', '[]', '{}', '{}', id
      FROM conversations, (VALUES ('s'), ('shadow:s')) AS suites (suite);
    INSERT INTO truths (key, conversation_id, truth, put_at)
      SELECT key, conversation_id, '{}', 1 FROM conversations;
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
    { before: 500 },
    { agent: 'agent1', outcome: OUTCOMES[0], suite: 's', criterion: 'c', since: 1, before: 50_000 },
  ];
  for (const query of conditions) await reader.listPage({ limit: 50, ...query });
  const { rows } = await reader.listPage({ limit: 50 });
  await reader.find('c7');
  const [row] = rows;
  if (row === undefined) throw new Error('no conversation is there');
  await reader.summaries(rows);
  for (const of of ['live', 'shadow'] as const) await reader.evaluations(row, { revisions: 'last', of });
  await reader.evaluations(row, { revisions: 'all' });
  await reader.truthOf(row);
  await reader.outcomesOf(row);
  await reader.traces(row);
  for await (const page of reader.scanEvaluations({ suiteKey: 'shadow:s', limit: 50, lookedAtMax: 2_000 }))
    for (const one of page.slice(0, 1)) {
      await reader.besideOf(one, 's');
      await reader.verdictsOf(one);
      await reader.conversationOf(one);
    }
  for await (const page of reader.latestBases(1_000)) expect(page.length).toBeGreaterThan(0);
  await reader.answerOf('00');
  await reader.labelled({ labels: 20_000, verdicts: 40_000 });
}

/** Statements that any client sends meanwhile; a cursor's query stands for what is fetched of it. */
async function collected(work: () => Promise<void>): Promise<readonly Asked[]> {
  const asked = new Map<string, Asked>();
  const query = Client.prototype.query;
  const note = (client: Client, given: unknown) => {
    const { text, values = [] } = typeof given === 'string' ? { text: given } : (given as Partial<Asked>);
    const select = /CURSOR FOR ([\s\S]*)$/.exec(text ?? '')?.[1] ?? text ?? '';
    if (!/^\s*SELECT/i.test(select) || asked.has(select)) return;
    const plan = planOf((explain) => Reflect.apply(query, client, [explain]), { text: select, values });
    asked.set(select, { text: select, values, plan });
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

function seqScansIn(node: Node, tables: RegExp): readonly string[] {
  const { 'Node Type': type, 'Relation Name': relation, Plans = [] } = node;
  const own = type === 'Seq Scan' && relation !== undefined && tables.test(relation) ? [relation] : [];
  return [...own, ...Plans.flatMap((one) => seqScansIn(one, tables))];
}
