/**
 * Reads ExportTraceServiceRequest (TracesData has the same bytes). One pass checks the whole request and notes where
 * each span lies; a view walks one span when it is looked at, and decodes what is asked for. See
 * docs/decisions/0002-hand-written-otlp-reader.md.
 */
import { checkKeyValue } from './common-reader.ts';
import { GroupViews } from './group-views.ts';
import { ABSENT, type RecordIndex, ROW_FLAGS } from './record-index.ts';
import { type CheckRecord, indexRequest, isZero, type RowDraft } from './request-reader.ts';
import { SpanReader } from './span-reader.ts';
import type { SpanView } from './views.ts';
import type { WireReader } from './wire.ts';

/** Throws WireError where the bytes are not what the grammar says. */
export function indexTraces(bytes: Uint8Array): TracesIndex {
  return new TracesIndex(indexRequest('traces', bytes, checkSpan));
}

/**
 * For bytes whose spans have been through {@link indexTraces} before, such as a trace that was put together from them.
 * The inside of a span's fields is not checked again; if it is broken, the reader of the field receives the WireError.
 */
export function indexCheckedTraces(bytes: Uint8Array): TracesIndex {
  return new TracesIndex(indexRequest('traces', bytes, placeSpan));
}

export class TracesIndex {
  readonly rows: RecordIndex;
  readonly #reader: SpanReader;

  constructor(rows: RecordIndex) {
    this.rows = rows;
    this.#reader = new SpanReader(rows, new GroupViews(rows));
  }

  /** Indexed bytes: the given ones, or an equal request if these had to be rewritten. */
  get bytes(): Uint8Array {
    return this.rows.bytes;
  }

  get spanCount(): number {
    return this.rows.rowCount;
  }

  /** Spans without a valid trace or span id. They are not among the rows. */
  get rejected(): number {
    return this.rows.invalidTraceIds + this.rows.invalidSpanIds;
  }

  /** One view serves for all spans: it is at span `i` until the next call. */
  view(i: number): SpanView {
    this.#reader.moveTo(i);
    return this.#reader;
  }
}

type SpanFound = ReturnType<CheckRecord>;

const PARENT_IS_REMOTE = 0x300;

/**
 *   Span {  1 trace_id bytes   2 span_id bytes   3 trace_state string   4 parent_span_id bytes   5 name string
 *           6 kind enum   7 start_time_unix_nano fixed64   8 end_time_unix_nano fixed64   9 attributes KeyValue*
 *           10 dropped_attributes_count uint32   11 events Event*   12 dropped_events_count uint32   13 links Link*
 *           14 dropped_links_count uint32   15 status Status   16 flags fixed32  }
 */
function checkSpan(reader: WireReader, draft: RowDraft): SpanFound {
  const { end } = draft;
  let traceIdLength = 0;
  let spanIdLength = 0;
  let parentIdLength = 0;
  let flags = 0;
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x0a: {
        // 1 trace_id
        const stop = reader.lengthEnd(end);
        draft.traceIdAt = reader.at;
        traceIdLength = stop - reader.at;
        reader.at = stop;
        break;
      }
      case 0x12: {
        // 2 span_id
        const stop = reader.lengthEnd(end);
        draft.spanIdAt = reader.at;
        spanIdLength = stop - reader.at;
        reader.at = stop;
        break;
      }
      case 0x1a: // 3 trace_state
        reader.at = reader.lengthEnd(end);
        break;
      case 0x22: {
        // 4 parent_span_id
        const stop = reader.lengthEnd(end);
        draft.parentSpanIdAt = reader.at;
        parentIdLength = stop - reader.at;
        reader.at = stop;
        break;
      }
      case 0x2a: // 5 name
        reader.at = reader.lengthEnd(end);
        break;
      case 0x30: // 6 kind
        reader.varint(end);
        break;
      case 0x39: // 7 start_time_unix_nano
      case 0x41: // 8 end_time_unix_nano
        reader.fixed64At(end);
        break;
      case 0x4a: // 9 attributes
        checkKeyValue(reader, reader.lengthEnd(end), 1);
        break;
      case 0x50: // 10 dropped_attributes_count
        reader.varint(end);
        break;
      case 0x5a: // 11 events
        checkEvent(reader, reader.lengthEnd(end));
        break;
      case 0x60: // 12 dropped_events_count
        reader.varint(end);
        break;
      case 0x6a: // 13 links
        checkLink(reader, reader.lengthEnd(end));
        break;
      case 0x70: // 14 dropped_links_count
        reader.varint(end);
        break;
      case 0x7a: // 15 status
        checkStatus(reader, reader.lengthEnd(end));
        break;
      case 0x85: // 16 flags
        flags = reader.fixed32(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
  if ((flags & PARENT_IS_REMOTE) === PARENT_IS_REMOTE) draft.flags = ROW_FLAGS.parentIsRemote;
  return settleIds(reader.bytes, draft, { trace: traceIdLength, span: spanIdLength, parent: parentIdLength });
}

/** Only what an index keeps of a span. Its fields are those of `checkSpan`. */
function placeSpan(reader: WireReader, draft: RowDraft): SpanFound {
  const { end } = draft;
  let traceIdLength = 0;
  let spanIdLength = 0;
  let parentIdLength = 0;
  let flags = 0;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x85) flags = reader.fixed32(end);
    else if ((tag & 7) !== 2) reader.skip(tag, end);
    else {
      const stop = reader.lengthEnd(end);
      const { at } = reader;
      if (tag === 0x0a) {
        draft.traceIdAt = at;
        traceIdLength = stop - at;
      } else if (tag === 0x12) {
        draft.spanIdAt = at;
        spanIdLength = stop - at;
      } else if (tag === 0x22) {
        draft.parentSpanIdAt = at;
        parentIdLength = stop - at;
      }
      reader.at = stop;
    }
  }
  if ((flags & PARENT_IS_REMOTE) === PARENT_IS_REMOTE) draft.flags = ROW_FLAGS.parentIsRemote;
  return settleIds(reader.bytes, draft, { trace: traceIdLength, span: spanIdLength, parent: parentIdLength });
}

/** A span without a valid trace or span id is no row, whatever else it says. */
function settleIds(
  bytes: Uint8Array,
  draft: RowDraft,
  lengths: { readonly trace: number; readonly span: number; readonly parent: number },
): SpanFound {
  if (lengths.trace !== 16 || isZero(bytes, draft.traceIdAt, 16)) return 'invalid-trace-id';
  if (lengths.span !== 8 || isZero(bytes, draft.spanIdAt, 8)) return 'invalid-span-id';
  if (lengths.parent !== 8 || isZero(bytes, draft.parentSpanIdAt, 8)) draft.parentSpanIdAt = ABSENT;
  return 'row';
}

/**
 *   Event {  1 time_unix_nano fixed64   2 name string   3 attributes KeyValue*   4 dropped_attributes_count uint32  }
 */
function checkEvent(reader: WireReader, end: number): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x09: // 1 time_unix_nano
        reader.fixed64At(end);
        break;
      case 0x12: // 2 name
        reader.at = reader.lengthEnd(end);
        break;
      case 0x1a: // 3 attributes
        checkKeyValue(reader, reader.lengthEnd(end), 1);
        break;
      case 0x20: // 4 dropped_attributes_count
        reader.varint(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/**
 *   Link {  1 trace_id bytes   2 span_id bytes   3 trace_state string   4 attributes KeyValue*
 *           5 dropped_attributes_count uint32   6 flags fixed32  }
 */
function checkLink(reader: WireReader, end: number): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x0a: // 1 trace_id
      case 0x12: // 2 span_id
      case 0x1a: // 3 trace_state
        reader.at = reader.lengthEnd(end);
        break;
      case 0x22: // 4 attributes
        checkKeyValue(reader, reader.lengthEnd(end), 1);
        break;
      case 0x28: // 5 dropped_attributes_count
        reader.varint(end);
        break;
      case 0x35: // 6 flags
        reader.fixed32(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/**
 *   Status {  2 message string   3 code enum  }
 */
function checkStatus(reader: WireReader, end: number): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x12: // 2 message
        reader.at = reader.lengthEnd(end);
        break;
      case 0x18: // 3 code
        reader.varint(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}
