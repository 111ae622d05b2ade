/**
 * A view of one span of an index. Moving to a span walks its fields once and keeps where they are; text, ids and values
 * are decoded when they are asked for. The bytes have been checked when they were indexed.
 */
import { tryParseSpanId, tryParseTraceId, type SpanId, type TraceId } from '../model/ids.ts';
import { fieldsOf } from './common-reader.ts';
import type { GroupViews } from './group-views.ts';
import { LazyAttributes } from './lazy-attributes.ts';
import { ABSENT, type RecordIndex } from './record-index.ts';
import type { Attributes, Scope, SpanEvent, SpanLink, SpanView, StatusCode } from './views.ts';
import { WireReader } from './wire.ts';

export class SpanReader implements SpanView {
  readonly #rows: RecordIndex;
  readonly #groups: GroupViews;
  readonly #buffer: Buffer;
  readonly #reader: WireReader;
  readonly #attributes: LazyAttributes;
  #row = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #startAt: number = ABSENT;
  #endAt: number = ABSENT;
  #droppedAttributes = 0;
  #hasEvents = false;
  #hasLinks = false;
  #statusCode = 0;
  #messageStart = 0;
  #messageEnd = 0;
  /** Most spans of a trace have the parent that the span before them had. */
  #parentId: SpanId | undefined;
  #parentIdAt = 0;
  otelKind = 0;
  flags = 0;

  constructor(rows: RecordIndex, groups: GroupViews) {
    this.#rows = rows;
    this.#groups = groups;
    this.#buffer = rows.bytes;
    this.#reader = new WireReader(rows.bytes, 0);
    this.#attributes = new LazyAttributes(rows.bytes);
  }

  /** The fields of Span, see messages.ts; ids are in the index. */
  moveTo(row: number): void {
    const end = this.#rows.end(row);
    const reader = this.#reader;
    reader.at = this.#rows.start(row);
    this.#clear(row);
    while (reader.at < end) {
      const tag = reader.tag(end);
      switch (tag) {
        case 0x2a: // 5 name
          this.#nameEnd = reader.lengthEnd(end);
          this.#nameStart = reader.at;
          reader.at = this.#nameEnd;
          break;
        case 0x30: // 6 kind
          this.otelKind = reader.varint(end) | 0;
          break;
        case 0x39: // 7 start_time_unix_nano
          this.#startAt = reader.fixed64At(end);
          break;
        case 0x41: // 8 end_time_unix_nano
          this.#endAt = reader.fixed64At(end);
          break;
        case 0x4a: {
          // 9 attributes
          const stop = reader.lengthEnd(end);
          this.#attributes.add(reader.at, stop);
          reader.at = stop;
          break;
        }
        case 0x50: // 10 dropped_attributes_count
          this.#droppedAttributes = reader.varint(end);
          break;
        case 0x5a: // 11 events
          this.#hasEvents = true;
          reader.at = reader.lengthEnd(end);
          break;
        case 0x6a: // 13 links
          this.#hasLinks = true;
          reader.at = reader.lengthEnd(end);
          break;
        case 0x7a: // 15 status
          this.#readStatus(reader.lengthEnd(end));
          break;
        case 0x85: // 16 flags
          this.flags = reader.fixed32(end);
          break;
        default:
          reader.skip(tag, end);
      }
    }
  }

  get traceId(): TraceId {
    const at = this.#rows.traceIdAt(this.#row);
    // The cast is the brand: the index has only spans with a valid id.
    return this.#buffer.toString('hex', at, at + 16) as TraceId;
  }

  get spanId(): SpanId {
    const at = this.#rows.spanIdAt(this.#row);
    // The cast is the brand: the index has only spans with a valid id.
    return this.#buffer.toString('hex', at, at + 8) as SpanId;
  }

  get parentSpanId(): SpanId | undefined {
    const at = this.#rows.parentSpanIdAt(this.#row);
    if (at === ABSENT) return undefined;
    if (this.#parentId === undefined || !isSameId(this.#buffer, at, this.#parentIdAt)) {
      // The cast is the brand: the index keeps the place only of a valid id.
      this.#parentId = this.#buffer.toString('hex', at, at + 8) as SpanId;
      this.#parentIdAt = at;
    }
    return this.#parentId;
  }

  get name(): string {
    return this.#buffer.toString('utf8', this.#nameStart, this.#nameEnd);
  }

  get startedAtMs(): number {
    return millisAt(this.#buffer, this.#startAt);
  }

  get endedAtMs(): number {
    return millisAt(this.#buffer, this.#endAt);
  }

  get statusCode(): StatusCode {
    return this.#statusCode === 2 ? 'error' : this.#statusCode === 1 ? 'ok' : 'unset';
  }

  get statusMessage(): string {
    return this.#buffer.toString('utf8', this.#messageStart, this.#messageEnd);
  }

  get droppedAttributes(): number {
    return this.#droppedAttributes + this.#attributes.ignored;
  }

  get attributes(): Attributes {
    return this.#attributes;
  }

  get hasEvents(): boolean {
    return this.#hasEvents;
  }

  get events(): readonly SpanEvent[] {
    return this.#hasEvents ? this.#collect(EVENTS, readEvent) : [];
  }

  get links(): readonly SpanLink[] {
    return this.#hasLinks ? this.#collect(LINKS, readLink) : [];
  }

  get scope(): Scope {
    return this.#groups.scope(this.#rows.group(this.#row));
  }

  get resource(): Attributes {
    return this.#groups.resource(this.#rows.group(this.#row));
  }

  #clear(row: number): void {
    this.#row = row;
    this.#nameStart = this.#nameEnd = 0;
    this.#startAt = this.#endAt = ABSENT;
    this.#droppedAttributes = 0;
    this.#hasEvents = this.#hasLinks = false;
    this.#statusCode = 0;
    this.#messageStart = this.#messageEnd = 0;
    this.#attributes.clear();
    this.otelKind = 0;
    this.flags = 0;
  }

  /** Status {  2 message string   3 code enum  } */
  #readStatus(end: number): void {
    const reader = this.#reader;
    while (reader.at < end) {
      const tag = reader.tag(end);
      if (tag === 0x12) {
        this.#messageEnd = reader.lengthEnd(end);
        this.#messageStart = reader.at;
        reader.at = this.#messageEnd;
      } else if (tag === 0x18) {
        this.#statusCode = reader.varint(end) | 0;
      } else {
        reader.skip(tag, end);
      }
    }
  }

  #collect<T>(wanted: number, read: (buffer: Buffer, start: number, end: number) => T): readonly T[] {
    const found: T[] = [];
    const [start, end] = [this.#rows.start(this.#row), this.#rows.end(this.#row)];
    for (const [from, to] of fieldsOf(this.#buffer, start, end, wanted)) {
      if (found.push(read(this.#buffer, from, to)) === EVENTS_MAX) break;
    }
    return found;
  }
}

/** Events or links of one span beyond this number are not looked at. */
const EVENTS_MAX = 16_384;
const EVENTS = 0x5a;
const LINKS = 0x6a;

/** Event {  1 time_unix_nano fixed64   2 name string   3 attributes KeyValue*  } */
function readEvent(buffer: Buffer, start: number, end: number): SpanEvent {
  const reader = new WireReader(buffer, start);
  const attributes = new LazyAttributes(buffer);
  let timeAt: number = ABSENT;
  let name = '';
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x09) {
      timeAt = reader.fixed64At(end);
    } else if (tag === 0x12 || tag === 0x1a) {
      const stop = reader.lengthEnd(end);
      if (tag === 0x1a) attributes.add(reader.at, stop);
      else name = buffer.toString('utf8', reader.at, stop);
      reader.at = stop;
    } else {
      reader.skip(tag, end);
    }
  }
  return { name, timeMs: millisAt(buffer, timeAt), attributes };
}

function isSameId(buffer: Buffer, a: number, b: number): boolean {
  for (let byte = 0; byte < 8; byte++) if (buffer[a + byte] !== buffer[b + byte]) return false;
  return true;
}

/** Link {  1 trace_id bytes   2 span_id bytes  } */
function readLink(buffer: Buffer, start: number, end: number): SpanLink {
  const reader = new WireReader(buffer, start);
  let traceId = '';
  let spanId = '';
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a || tag === 0x12) {
      const stop = reader.lengthEnd(end);
      const id = buffer.toString('hex', reader.at, Math.min(stop, reader.at + 17));
      if (tag === 0x0a) traceId = id;
      else spanId = id;
      reader.at = stop;
    } else {
      reader.skip(tag, end);
    }
  }
  return { traceId: tryParseTraceId(traceId), spanId: tryParseSpanId(spanId) };
}

/** A fixed64 of nanoseconds as milliseconds; 0 where it was not sent. */
export function millisAt(buffer: Buffer, at: number): number {
  if (at === ABSENT) return 0;
  return (buffer.readUInt32LE(at + 4) * 0x1_0000_0000 + buffer.readUInt32LE(at)) / 1e6;
}
