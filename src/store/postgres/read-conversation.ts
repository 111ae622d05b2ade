/** Traces of a conversation and their content, as readers of the shared store select them. */
import { readCloseCause } from '../../model/causes.ts';
import type { TraceId } from '../../model/ids.ts';
import { decodeContent } from '../content-codec.ts';
import type { TraceRow } from '../conversation-reader.ts';
import type { ConversationRow } from '../conversation-row.ts';
import type { TraceContent } from '../engine-store.ts';
import { fromUuid } from './row-keys.ts';
import type { Session } from './session.ts';

/** With the place of its content. */
interface PlacedTrace extends TraceRow {
  readonly day: number;
  readonly conversation: number;
}

export async function readTraces(session: Session, conversation: ConversationRow): Promise<readonly TraceRow[]> {
  const rows = await session.once<Omit<PlacedTrace, 'traceId' | 'cause'> & { traceId: string; cause: string }>(
    `SELECT arrival AS row, trace_id AS "traceId", revision, cause, spans, day, conversation FROM traces
     WHERE conversation = $1 ORDER BY first_closed_at, trace_id`,
    [conversation.row],
  );
  // The cast is the brand: it was a trace id when it was filed.
  return rows.map((row) => ({ ...row, traceId: fromUuid(row.traceId) as TraceId, cause: readCloseCause(row.cause) }));
}

/** Content of a trace that `readTraces` returned. */
export async function readContent(session: Session, trace: TraceRow): Promise<TraceContent | undefined> {
  // The cast holds for a trace that `readTraces` returned, and the place is looked at.
  const { day, conversation, traceId, row: arrival } = trace as PlacedTrace;
  if (day === undefined) throw new Error('store: the content of a trace is asked for that this reader did not give');
  const [row] = await session.once<{ traces: Buffer; logs: Buffer | null }>(
    `SELECT coalesce(t.traces, a.traces) AS traces, CASE WHEN t.traces IS NULL THEN a.logs ELSE t.logs END AS logs
     FROM traces t LEFT JOIN arrivals a ON t.traces IS NULL AND a.trace_id = t.trace_id AND a.day = $2 AND a.id = $4
     WHERE t.conversation = $1 AND t.day = $2 AND t.trace_id = $3`,
    [conversation, day, traceId, arrival],
  );
  if (row?.traces === undefined || row.traces === null) return undefined;
  return { traces: decodeContent(row.traces), logs: row.logs === null ? undefined : decodeContent(row.logs) };
}
