/** Writing what the engine has changed in a working set: a statement or a COPY for each table, whatever the number of conversations. */
import { createHash } from 'node:crypto';
import type { Evaluation } from '../../model/evaluation.ts';
import { namesOf } from '../column.ts';
import type { ConversationLabels } from '../conversation-columns.ts';
import type { TraceContent } from '../engine-store.ts';
import type { FirstTime } from '../first-times.ts';
import { HISTORY_COLUMNS, type HistoryRow, historyValues } from '../history.ts';
import type { TotalEntry } from '../running-totals.ts';
import { CONVERSATION_COLUMNS } from '../conversation-columns.ts';
import { keeping } from '../evaluation-columns.ts';
import { BinaryRows } from './binary-copy.ts';
import { dayOf } from './days.ts';
import { addEvaluation, EVALUATIONS } from './evaluation-copy.ts';
import { headParameters, headValues } from './head-columns.ts';
import { noteLabelled } from './labels.ts';
import { writeObservations } from './detection.ts';
import { writeArchiveQueue, writeResults } from './results.ts';
import { fromUuid } from './row-keys.ts';
import { writeWaiting } from './waiting.ts';
import type { Session } from './session.ts';
import { toStorable } from './storable-text.ts';
import { addTrace, encodedContent, TRACES } from './trace-copy.ts';
import type { WorkingHeads } from './working-heads.ts';
import type { Move, WorkingSet } from './working-set.ts';
import type { HeldTrace } from './working-traces.ts';

/** Records for the topic of evaluations; the store does not know their format. */
export type OutboxPayload = (evaluation: Evaluation, labels: ConversationLabels) => Uint8Array;

export async function writeChanges(
  session: Session,
  set: WorkingSet,
  options: {
    readonly homes: ReadonlyMap<number, number>;
    readonly outboxPayload: OutboxPayload | undefined;
  },
): Promise<readonly string[]> {
  for (const move of set.moves()) await writeMove(session, move);
  set.conversations.flush();
  await writeHeads(session, set.heads, options.homes);
  await writeTraces(session, set);
  await writeEvaluations(session, set);
  await noteLabelled(
    session,
    set.evaluations.added.flatMap(({ evaluation }) => (evaluation.shadow ? [] : [evaluation])),
    Date.now(),
  );
  const reused = await writeWaiting(session, set, Date.now());
  await writeKeys(session, set);
  await writeObservations(session, set.detection.rows);
  await writeResults(session, set.results.rows);
  await writeArchiveQueue(session, set.archive.rows, Date.now());
  if (options.outboxPayload !== undefined) await writeOutbox(session, set, options.outboxPayload);
  return reused;
}

export async function writeHistory(session: Session, instance: number, rows: readonly HistoryRow[]): Promise<void> {
  if (rows.length === 0) return;
  const written = rows.map(historyValues);
  const columns = [...HISTORY_COLUMNS.place, ...HISTORY_COLUMNS.sums].map((_name, index) =>
    written.map((values) => {
      const value = values[index] ?? 0;
      return typeof value === 'string' ? toStorable(value) : value;
    }),
  );
  await session.run(WRITE_HISTORY, [instance, ...columns]);
}

export async function writeTotals(
  session: Session,
  instance: number,
  { changed, dropped }: { readonly changed: Iterable<TotalEntry>; readonly dropped: Iterable<TotalEntry> },
): Promise<void> {
  const gone = [...dropped].map(({ metric, encoded }) => seriesKey(metric, encoded));
  if (gone.length > 0) await session.run(DROP_TOTALS, [instance, gone]);
  const entries = [...changed];
  if (entries.length === 0) return;
  await session.run(WRITE_TOTALS, [
    instance,
    entries.map(({ metric, encoded }) => seriesKey(metric, encoded)),
    entries.map(({ metric }) => metric),
    entries.map(({ encoded }) => toStorable(encoded)),
    entries.map(({ value }) => value),
  ]);
}

/**
 * The first writer wins, and then all know it. In one order, so that instances that wait for each other do so in one
 * direction.
 */
export async function writeFirstTimes(session: Session, changed: readonly FirstTime[]): Promise<void> {
  if (changed.length === 0) return;
  const entries = changed
    .map((entry) => ({ entry, series: seriesKey(entry.metric, entry.encoded) }))
    .toSorted((a, b) => (a.series < b.series ? -1 : 1));
  const rows = await session.rows<{ series: string; at: number }>(WRITE_FIRST_TIMES, [
    entries.map(({ series }) => series),
    entries.map(({ entry }) => entry.metric),
    entries.map(({ entry }) => toStorable(entry.encoded)),
    entries.map(({ entry }) => entry.time),
  ]);
  const times = new Map(rows.map(({ series, at }) => [fromUuid(series), at]));
  for (const { entry, series } of entries) entry.note(times.get(series) ?? entry.time);
}

/** Labels come from spans and may be long. */
export function seriesKey(metric: string, labels: string): string {
  return createHash('sha256').update(`${metric} ${labels}`).digest('hex').slice(0, 32);
}

async function writeMove(session: Session, move: Move): Promise<void> {
  if (move.what === 'keys') await session.run(MOVE_KEYS, [move.from, move.to]);
  else {
    await session.run(MOVE_EVALUATIONS, [move.from, move.to, move.traceId]);
    await session.run(MOVE_WAITING, [move.from, move.to, move.traceId]);
  }
}

async function writeHeads(session: Session, heads: WorkingHeads, homes: ReadonlyMap<number, number>): Promise<void> {
  const rows = heads.changed().flatMap(({ loaded, conversation, firstTrace }) => {
    if (loaded === undefined || conversation === undefined) return [];
    return { id: loaded.id, conversation, firstTrace };
  });
  if (rows.length === 0) return;
  const written = await session.run(WRITE_HEADS, [
    rows.map(({ id }) => id),
    rows.map(({ id }) => homes.get(id) ?? null),
    rows.map(({ firstTrace }) => firstTrace ?? null),
    ...headValues(rows.map(({ conversation }) => conversation)),
  ]);
  if (written !== rows.length) throw new Error(`store: ${written} of ${rows.length} conversations were written`);
}

async function writeTraces(session: Session, set: WorkingSet): Promise<void> {
  const changed = set.traces.changed();
  const rows = new BinaryRows();
  for (const trace of changed) {
    if (trace.loaded !== undefined) {
      await reviseTrace(session, set, trace);
      continue;
    }
    addTrace(rows, trace, {
      head: set.heads.idOf(trace.conversation),
      bytes: trace.content?.traces.length ?? 0,
      ownContent: ownContentOf(trace),
    });
  }
  await session.copy(TRACES, rows);
}

async function reviseTrace(session: Session, set: WorkingSet, trace: HeldTrace): Promise<void> {
  const { loaded } = trace;
  if (loaded === undefined) return;
  const { traces, logs } = encodedContent(ownContentOf(trace));
  const written = await session.run(REVISE_TRACE, [
    loaded.conversation,
    trace.traceId,
    loaded.day,
    set.heads.idOf(trace.conversation),
    trace.revision,
    trace.position,
    trace.closedAt,
    trace.spans,
    trace.sealed,
    trace.cause,
    traces ?? null,
    logs ?? null,
  ]);
  if (written !== 1) throw new Error(`store: trace ${trace.traceId} was revised in ${written} places`);
}

function ownContentOf({ hasOwnContent, content }: HeldTrace): TraceContent | undefined {
  return hasOwnContent ? content : undefined;
}

async function writeEvaluations(session: Session, set: WorkingSet): Promise<void> {
  const rows = new BinaryRows();
  const day = dayOf(Date.now());
  const keep = keeping();
  for (const { evaluation, conversation, trace, ...place } of set.evaluations.added) {
    const head = set.heads.idOf(conversation);
    addEvaluation(rows, keep(evaluation, place), { day, head, traceId: set.traces.idAt(trace) });
  }
  // One that is there already breaks the unique index, and nothing of this transaction is kept.
  await session.copy(EVALUATIONS, rows);
}

async function writeKeys(session: Session, set: WorkingSet): Promise<void> {
  const rows = new BinaryRows();
  for (const { conversation, has, wants } of set.keys.added()) {
    rows.row(3).int8(set.heads.idOf(conversation)).bytes(has).bytes(wants);
  }
  await session.copy('conversation_keys (conversation, has, wants)', rows);
}

async function writeOutbox(session: Session, set: WorkingSet, payload: OutboxPayload): Promise<void> {
  const rows = new BinaryRows();
  for (const { evaluation, conversation } of set.evaluations.added) {
    if (evaluation.shadow) continue;
    const { labels } = set.conversations.at(conversation);
    rows.row(2).text(toStorable(evaluation.conversationId)).bytes(payload(evaluation, labels));
  }
  await session.copy('outbox_new (key, payload)', rows);
}

const WRITE_HEADS = {
  name: 'write-heads',
  sql: `UPDATE conversations AS c SET home = coalesce(n.home, c.home), first_trace = n.first_trace,
      ${CONVERSATION_COLUMNS.map(({ name }) => `${name} = n.${name}`).join(', ')}
    FROM unnest($1::bigint[], $2::smallint[], $3::uuid[], ${headParameters(4)}) AS n (id, home, first_trace, ${namesOf(CONVERSATION_COLUMNS)})
    WHERE c.id = n.id`,
};
const REVISE_TRACE = {
  name: 'revise-trace',
  sql: `UPDATE traces SET conversation = $4, revision = $5, position = $6, closed_at = $7, spans = $8, sealed = $9, cause = $10,
      traces = coalesce($11::bytea, traces), logs = CASE WHEN $11::bytea IS NULL THEN logs ELSE $12::bytea END
    WHERE conversation = $1 AND trace_id = $2 AND day = $3`,
};
const MOVE_EVALUATIONS = {
  name: 'move-evaluations',
  sql: 'UPDATE evaluations SET conversation = $2 WHERE conversation = $1 AND trace_id = $3',
};
const MOVE_WAITING = {
  name: 'move-waiting',
  sql: 'UPDATE waiting_evaluations SET conversation = $2 WHERE conversation = $1 AND trace_id = $3',
};
const MOVE_KEYS = {
  name: 'move-keys',
  sql: `WITH moved AS (UPDATE conversation_keys SET conversation = $2::bigint WHERE conversation = $1::bigint),
      asked AS (DELETE FROM asked_for WHERE conversation = $1::bigint RETURNING question)
    INSERT INTO asked_for (conversation, question) SELECT $2::bigint, question FROM asked ON CONFLICT DO NOTHING`,
};
const WRITE_FIRST_TIMES = {
  name: 'write-first-times',
  sql: `INSERT INTO first_times (series, metric, labels, at) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::float8[])
    ON CONFLICT (series) DO UPDATE SET at = least(first_times.at, excluded.at) RETURNING series, at`,
};
const HISTORY_TYPES = {
  place: ['text', 'bigint', 'bigint', 'text', 'text', 'text', 'text', 'smallint'],
  sums: ['bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint'],
} as const;
const WRITE_HISTORY = {
  name: 'write-history',
  sql: `INSERT INTO history (instance, ${[...HISTORY_COLUMNS.place, ...HISTORY_COLUMNS.sums].join(', ')})
    SELECT $1, * FROM unnest(${[...HISTORY_TYPES.place, ...HISTORY_TYPES.sums].map((type, index) => `$${index + 2}::${type}[]`).join(', ')})
    ON CONFLICT (suite, width, begins, agent, agent_version, environment, segment, outcome, instance)
    DO UPDATE SET ${HISTORY_COLUMNS.sums.map((name) => `${name} = history.${name} + excluded.${name}`).join(', ')}`,
};
const DROP_TOTALS = {
  name: 'drop-totals',
  sql: 'DELETE FROM totals WHERE instance = $1 AND series = ANY($2::uuid[])',
};
const WRITE_TOTALS = {
  name: 'write-totals',
  sql: `INSERT INTO totals (instance, series, metric, labels, value)
    SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::float8[])
    ON CONFLICT (instance, series) DO UPDATE SET value = excluded.value`,
};
