/** Rows of arrivals and traces for COPY. */
import type { FiledArrival } from '../cluster-store.ts';
import { encodeContent } from '../content-codec.ts';
import type { TraceContent } from '../engine-store.ts';
import type { BinaryRows } from './binary-copy.ts';
import type { LoadedTrace } from './loaded.ts';

/** All columns but the day. */
export const ARRIVAL_REST = 'id, trace_id, conversation, lane, positions, closed_at, cause, spans, keys, traces, logs';
export const TRACE_REST = `conversation, trace_id, arrival, revision, position, first_closed_at, closed_at, spans, bytes, sealed, cause,
  traces, logs`;
/** Into which they are copied. */
export const ARRIVALS = `arrivals (day, ${ARRIVAL_REST})`;
export const TRACES = `traces (day, ${TRACE_REST})`;

type ArrivalRow = Pick<FiledArrival, 'traceId' | 'closedAt' | 'cause' | 'spans' | 'content'> & {
  readonly day: number;
  readonly id: number;
  readonly head: number;
  readonly lane: number;
  /** JSON. */
  readonly positions: string;
  readonly keys: Uint8Array | undefined;
};

export function addArrival(rows: BinaryRows, arrival: ArrivalRow): void {
  const { day, id, traceId, head, lane, positions, closedAt, cause, spans, keys, content } = arrival;
  const { traces, logs } = encodedContent(content);
  rows.row(12).int4(day).int8(id).uuid(traceId).int8(head).int4(lane).text(positions).int8(closedAt).text(cause);
  rows.int4(spans).bytes(keys).bytes(traces).bytes(logs);
}

/** `ownContent` is undefined where its bytes are its arrival's. */
export function addTrace(
  rows: BinaryRows,
  trace: Omit<LoadedTrace, 'conversation' | 'content'>,
  place: { readonly head: number; readonly bytes: number; readonly ownContent: TraceContent | undefined },
): void {
  const { day, traceId, arrival, revision, position, firstClosedAt, closedAt, spans } = trace;
  const { head, bytes, ownContent } = place;
  const { traces, logs } = encodedContent(ownContent);
  rows.row(14).int4(day).int8(head).uuid(traceId).int8(arrival).int4(revision).float8(position).int8(firstClosedAt);
  rows.int8(closedAt).int4(spans).int4(bytes).bool(trace.sealed).text(trace.cause).bytes(traces).bytes(logs);
}

/** As it is written: compressed where that pays. */
export function encodedContent(content: TraceContent | undefined) {
  return {
    traces: content === undefined ? undefined : encodeContent(content.traces),
    logs: content?.logs === undefined ? undefined : encodeContent(content.logs),
  };
}
