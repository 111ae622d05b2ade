/**
 * The books of a cluster: the content of the database once the cluster is at rest, read with plain SQL independently of
 * the code under test, and the invariants that must hold. Two sets of books over the same topics must be
 * byte-identical.
 */
import { QUALITY_METRICS, signIn } from '../../src/report/metrics/quality-metrics.ts';
import type { Client } from 'pg';
import type { StoredTotal } from '../../src/store/conversation-reader.ts';
import { connectTo } from './cluster-database.ts';
import type { Produced } from './cluster-producer.ts';

export interface Books {
  /** By conversation id. */
  readonly conversations: ReadonlyMap<string, { readonly turns: number; readonly revision: number }>;
  /** By its key: conversation, turn, suite, revision. The rows as they are, except numbers that a database assigns. */
  readonly evaluations: ReadonlyMap<string, string>;
  /** Duplicates of an existing key. */
  readonly evaluatedTwice: readonly string[];
  /** By trace, the stored spans: once for each row. */
  readonly traces: ReadonlyMap<string, readonly { readonly spans: number; readonly conversation: string }[]>;
  /** Summed over instances. */
  readonly totals: readonly StoredTotal[];
  /** Counted from the evaluations: by suite and outcome of the last revision. */
  readonly lastOutcomes: ReadonlyMap<string, number>;
}

export interface Mismatches {
  /** Conversations that carry an id, and traces or spans of which nothing or not all is stored. */
  readonly lost_conversations: number;
  readonly lost_spans: number;
  /** Traces that are stored more than once, or hold a span twice, or evaluations that are stored twice. */
  readonly stored_twice: number;
  readonly unexpected: number;
}

const EVALUATIONS_SQL = `SELECT c.conversation_id, e.turn_id, e.suite, e.suite_version, e.revision, e.score, e.outcome,
  e.explanation, e.verdicts, e.failed, e.labels
  FROM evaluations e JOIN conversations c ON c.id = e.conversation
  WHERE c.id > $1 AND c.id <= $2`;
const PAGE = 2000;

export async function readBooks(database: string): Promise<Books> {
  const client = await connectTo(database);
  try {
    const evaluations = new Map<string, string>();
    const evaluatedTwice: string[] = [];
    const revisions = new Map<string, { readonly revision: number; readonly outcome: number }>();
    const { rows: ends } = await client.query<{ last: string }>(
      'SELECT coalesce(max(id), 0) AS last FROM conversations',
    );
    for (let from = 0; from < Number(ends[0]?.last ?? 0); from += PAGE) {
      const { rows } = await client.query<EvaluationRow>(EVALUATIONS_SQL, [from, from + PAGE]);
      for (const row of rows) {
        const place = `${row.conversation_id} ${row.turn_id} ${row.suite}`;
        const key = `${place} ${row.revision}`;
        if (evaluations.has(key)) evaluatedTwice.push(key);
        evaluations.set(key, JSON.stringify(row));
        const last = revisions.get(place);
        if (last === undefined || row.revision > last.revision) {
          revisions.set(place, { revision: row.revision, outcome: row.outcome });
        }
      }
    }
    const lastOutcomes = new Map<string, number>();
    for (const [place, { outcome }] of revisions) {
      const key = `${place.slice(place.lastIndexOf(' ') + 1)} ${outcome}`;
      lastOutcomes.set(key, (lastOutcomes.get(key) ?? 0) + 1);
    }
    return {
      conversations: await readConversations(client),
      evaluations,
      evaluatedTwice,
      traces: await readTraces(client),
      totals: await readTotals(client),
      lastOutcomes,
    };
  } finally {
    await client.end();
  }
}

interface EvaluationRow {
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly suite: string;
  readonly revision: number;
  readonly outcome: number;
}

async function readConversations(client: Client): Promise<Books['conversations']> {
  const { rows } = await client.query<{ conversation_id: string; turns: number; revision: number }>(
    'SELECT conversation_id, turns, revision FROM conversations',
  );
  return new Map(rows.map(({ conversation_id, turns, revision }) => [conversation_id, { turns, revision }]));
}

async function readTraces(client: Client): Promise<Books['traces']> {
  const { rows } = await client.query<{ trace_id: string; spans: number; conversation_id: string }>(
    'SELECT t.trace_id::text, t.spans, c.conversation_id FROM traces t JOIN conversations c ON c.id = t.conversation',
  );
  const traces = new Map<string, { readonly spans: number; readonly conversation: string }[]>();
  for (const { trace_id, spans, conversation_id } of rows) {
    const traceId = trace_id.replaceAll('-', '');
    const found = traces.get(traceId) ?? [];
    found.push({ spans, conversation: conversation_id });
    traces.set(traceId, found);
  }
  return traces;
}

async function readTotals(client: Client): Promise<readonly StoredTotal[]> {
  const { rows } = await client.query<StoredTotal>(
    'SELECT metric, labels, sum(value) AS value FROM totals GROUP BY metric, labels ORDER BY metric, labels',
  );
  return rows;
}

/** Compares the produced traffic with the store. */
export function compareWithProduced(books: Books, produced: Produced, say: (line: string) => void): Mismatches {
  const limited = firstOf(say, 10);
  let lostConversations = 0;
  for (const id of produced.ids) {
    if (books.conversations.has(id)) continue;
    lostConversations += 1;
    limited(`conversation ${id} is not in the store`);
  }
  let lostSpans = 0;
  let storedTwice = books.evaluatedTwice.length;
  for (const key of books.evaluatedTwice) limited(`evaluated twice: ${key}`);
  for (const [traceId, spans] of produced.spans) {
    const rows = books.traces.get(traceId) ?? [];
    const stored = rows.reduce((sum, row) => sum + row.spans, 0);
    if (stored === spans && rows.length === 1) continue;
    if (stored < spans) lostSpans += spans - stored;
    if (stored > spans || rows.length > 1) storedTwice += 1;
    limited(`trace ${traceId} had ${spans} spans; stored: ${JSON.stringify(rows)}`);
  }
  let unexpected = 0;
  for (const traceId of books.traces.keys()) {
    if (produced.spans.has(traceId)) continue;
    unexpected += 1;
    limited(`trace ${traceId} is stored and nobody sent it`);
  }
  return { lost_conversations: lostConversations, lost_spans: lostSpans, stored_twice: storedTwice, unexpected };
}

/** Compares the totals with the evaluations that they count. */
export function totalsAgainstEvaluations(
  books: Books,
  outcomes: readonly string[],
  say: (line: string) => void,
): number {
  const counted = new Map<string, number>();
  for (const { metric, labels, value } of books.totals) {
    const sign = signIn(QUALITY_METRICS.evaluations, metric);
    if (sign === undefined) continue;
    // The cast holds because the store wrote the text.
    const { suite = '', outcome = '' } = JSON.parse(labels) as Record<string, string>;
    const key = `${suite} ${outcomes.indexOf(outcome)}`;
    counted.set(key, (counted.get(key) ?? 0) + sign * Number(value));
  }
  let mismatches = 0;
  for (const key of new Set([...counted.keys(), ...books.lastOutcomes.keys()])) {
    const [total = 0, stored = 0] = [counted.get(key), books.lastOutcomes.get(key)];
    if (total === stored) continue;
    mismatches += 1;
    say(`totals say ${total} evaluations of suite and outcome ${key}, the store has ${stored}`);
  }
  return mismatches;
}

export interface Difference {
  readonly evaluation_mismatches: number;
  readonly counter_mismatches: number;
  /** Conversations of the evaluations that differ. */
  readonly conversations: ReadonlySet<string>;
}

/** Two sets of books over the same topics. */
export function compareBooks(books: Books, reference: Books, say: (line: string) => void): Difference {
  const limited = firstOf(say, 6);
  const conversations = new Set<string>();
  let evaluationMismatches = 0;
  for (const key of new Set([...books.evaluations.keys(), ...reference.evaluations.keys()])) {
    const [found, expected] = [books.evaluations.get(key), reference.evaluations.get(key)];
    if (found === expected) continue;
    evaluationMismatches += 1;
    conversations.add(key.slice(0, key.indexOf(' ')));
    limited(`evaluation ${key}\n  here:        ${found ?? 'none'}\n  undisturbed: ${expected ?? 'none'}`);
  }
  const totals = new Map(books.totals.map(({ metric, labels, value }) => [`${metric} ${labels}`, Number(value)]));
  const expectedTotals = new Map(
    reference.totals.map(({ metric, labels, value }) => [`${metric} ${labels}`, Number(value)]),
  );
  let counterMismatches = 0;
  const limitedTotals = firstOf(say, 6);
  for (const key of new Set([...totals.keys(), ...expectedTotals.keys()])) {
    const [total = 0, expected = 0] = [totals.get(key), expectedTotals.get(key)];
    if (total === expected) continue;
    counterMismatches += 1;
    limitedTotals(`total ${key} is ${total}, undisturbed ${expected}`);
  }
  return { evaluation_mismatches: evaluationMismatches, counter_mismatches: counterMismatches, conversations };
}

/** Diagnostics of a conversation that differs: what was filed for it, and the result. */
export async function describeConversation(database: string, conversationId: string): Promise<string> {
  const client = await connectTo(database);
  try {
    const { rows: heads } = await client.query('SELECT * FROM conversations WHERE conversation_id = $1', [
      conversationId,
    ]);
    // Its traces, wherever they are, and everything that was filed under it.
    const { rows: arrivals } = await client.query(
      `SELECT a.day, a.id, a.trace_id, c.conversation_id, a.lane, a.positions, a.closed_at, a.cause, a.spans
       FROM arrivals a JOIN conversations c ON c.id = a.conversation
       WHERE c.conversation_id = $1 OR a.trace_id IN (
         SELECT t.trace_id FROM traces t JOIN conversations o ON o.id = t.conversation WHERE o.conversation_id = $1)
       ORDER BY a.closed_at, a.trace_id`,
      [conversationId],
    );
    const { rows: traces } = await client.query(
      `SELECT t.trace_id, t.revision, t.first_closed_at, t.closed_at, t.spans, t.cause
       FROM traces t JOIN conversations c ON c.id = t.conversation WHERE c.conversation_id = $1 ORDER BY t.first_closed_at`,
      [conversationId],
    );
    const lines = [
      ...heads.map((row) => `  head    ${JSON.stringify(row)}`),
      ...arrivals.map((row) => `  arrival ${JSON.stringify(row)}`),
      ...traces.map((row) => `  trace   ${JSON.stringify(row)}`),
    ];
    return lines.join('\n');
  } finally {
    await client.end();
  }
}

function firstOf(say: (line: string) => void, max: number): (line: string) => void {
  let said = 0;
  return (line) => {
    said += 1;
    if (said <= max) say(line);
  };
}
