/**
 * How the rest of Assay looks at OTLP data: views over the bytes as they arrived. Nothing is decoded until it is asked
 * for, so that a check that reads the answer does not pay for the history that was sent with it.
 *
 * A view is valid while its reader is at that span or record: take what you need, or keep the position and come back.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { SpanId, TraceId } from '../model/ids.ts';

/** In place of the number of a key that was there before. */
export const REPEATED = -2;

export interface Attributes {
  readonly count: number;
  /** To walk over all of them without making strings of their keys: places are numbered from 0. */
  readonly places: number;
  /** The key's number in the table of keys; NO_NUMBER where it has none, REPEATED where an earlier place counts. */
  keyNumberAt(place: number): number;
  keyAt(place: number): string;
  valueAt(place: number): AttributeValue;
  has(key: string): boolean;
  get(key: string): AttributeValue | undefined;
  /** The value where it is a string; undefined for other types and for an absent key. */
  text(key: string): string | undefined;
  keys(): readonly string[];
  /** The encoded KeyValue messages, to compare or copy without decoding. */
  bytesOf(key: string): Uint8Array | undefined;
}

export interface SpanEvent {
  readonly name: string;
  readonly timeMs: number;
  readonly attributes: Attributes;
}

export interface SpanLink {
  readonly traceId: TraceId | undefined;
  readonly spanId: SpanId | undefined;
}

export type StatusCode = 'unset' | 'ok' | 'error';

export interface Scope {
  readonly name: string;
  readonly version: string;
}

export interface SpanView {
  readonly traceId: TraceId;
  readonly spanId: SpanId;
  readonly parentSpanId: SpanId | undefined;
  readonly name: string;
  /** 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly otelKind: number;
  /** Milliseconds since 1970 with a fraction; a double keeps them to a quarter of a microsecond. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly statusCode: StatusCode;
  readonly statusMessage: string;
  readonly flags: number;
  readonly droppedAttributes: number;
  readonly attributes: Attributes;
  readonly hasEvents: boolean;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly scope: Scope;
  readonly resource: Attributes;
}

export interface LogRecordView {
  /** Absent where the record belongs to no trace. */
  readonly traceId: TraceId | undefined;
  readonly spanId: SpanId | undefined;
  readonly timeMs: number;
  /** The field `event_name`, else the attribute `event.name`, else ''. */
  readonly eventName: string;
  readonly severity: number;
  readonly body: AttributeValue | undefined;
  readonly attributes: Attributes;
  readonly scope: Scope;
  readonly resource: Attributes;
}
