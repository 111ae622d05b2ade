/**
 * Evidence about one span: the span itself, and its events. An event is a span event or a log record with the span's
 * ids; emitters moved from the one to the other, and readers should not care.
 *
 * Everything here is a view: use it while it is handed out, keep only values.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { LogRecordView, SpanView, StatusCode } from '../otlp/views.ts';
import type { SpanId } from '../model/ids.ts';
import type { Draft } from './draft.ts';
import type { IdKeys } from './id-keys.ts';
import { decodeJsonish, member } from './jsonish.ts';

export interface EventView {
  readonly name: string;
  readonly timeMs: number;
  /** Value from the body if it is a map, else from the attributes. */
  get(key: string): AttributeValue | undefined;
}

export interface Evidence {
  readonly span: SpanView;
  /** The span's own status; asking for it costs nothing, while `span` goes back to the bytes. */
  readonly status: StatusCode;
  /** Whether the span has an attribute that a finder reads, by the guard that `reading.ts` gave it. */
  mayHave(guard: number): boolean;
  /** An attribute of the span; the same as `span.attributes.get`, without going back to the bytes where it can. */
  attribute(key: string): AttributeValue | undefined;
  /** Calls back for each event in time order, until `visit` answers true; says whether it did. */
  someEvent(visit: (event: EventView) => boolean): boolean;
}

/** The log records of one span, by position, so that they are read only when asked for. */
export interface SpanLogs {
  readonly count: number;
  record(at: number): LogRecordView;
}

/** Source from which a step reads later what it has not read yet. */
export interface SpanSource {
  view(position: number): SpanView;
  /** Length of the span in the request. */
  bytesAt(position: number): number;
  logsOf(spanId: SpanId): SpanLogs | undefined;
  /** Fields of the resource of the span at that position. */
  resourceAt(position: number): Draft;
  /** Attributes in which the application keeps its ids, if configured. */
  readonly idKeys: IdKeys | undefined;
}

export class SpanEvidence implements Evidence {
  readonly #source: SpanSource;
  readonly #position: number;
  readonly #spanId: SpanId;
  readonly #draft: Draft;
  readonly status: StatusCode;

  constructor(place: {
    readonly source: SpanSource;
    readonly position: number;
    readonly spanId: SpanId;
    readonly status: StatusCode;
    readonly draft: Draft;
  }) {
    this.#source = place.source;
    this.#position = place.position;
    this.#spanId = place.spanId;
    this.#draft = place.draft;
    this.status = place.status;
  }

  mayHave(guard: number): boolean {
    return this.#draft.noted(guard);
  }

  get span(): SpanView {
    return this.#source.view(this.#position);
  }

  attribute(key: string): AttributeValue | undefined {
    return this.#draft.keptValue(key) ?? this.span.attributes.get(key);
  }

  someEvent(visit: (event: EventView) => boolean): boolean {
    if (this.#draft.hasEvents) {
      for (const event of this.span.events) {
        const view: EventView = { name: event.name, timeMs: event.timeMs, get: (key) => event.attributes.get(key) };
        if (visit(view)) return true;
      }
    }
    const logs = this.#source.logsOf(this.#spanId);
    if (logs === undefined) return false;
    for (let at = 0; at < logs.count; at++) if (visit(eventOfRecord(logs.record(at)))) return true;
    return false;
  }
}

function eventOfRecord(record: LogRecordView): EventView {
  let body: unknown;
  let isBodyRead = false;
  return {
    name: record.eventName,
    timeMs: record.timeMs,
    get: (key) => {
      if (!isBodyRead) {
        body = record.body === undefined ? undefined : decodeJsonish(record.body).value;
        isBodyRead = true;
      }
      // The cast holds: a body is an AttributeValue or parsed JSON, and both consist of AttributeValues all the way down.
      return (member(body, key) as AttributeValue | undefined) ?? record.attributes.get(key);
    },
  };
}
