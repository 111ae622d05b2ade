/**
 * Reads ExportTraceServiceRequest (TracesData has the same bytes). One pass checks the whole request and notes where
 * each span lies; a view walks one span when it is looked at, and decodes what is asked for. See
 * docs/decisions/0002-hand-written-otlp-reader.md.
 */
import { checkContent } from './common-reader.ts';
import { GroupViews } from './group-views.ts';
import { MESSAGES } from './messages.ts';
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
const SPAN = MESSAGES.Span;

function checkSpan(reader: WireReader, draft: RowDraft): SpanFound {
  return readSpan(reader, draft, 'check');
}

function placeSpan(reader: WireReader, draft: RowDraft): SpanFound {
  return readSpan(reader, draft, 'trust');
}

/** Fills the draft with what an index keeps of a span. */
function readSpan(reader: WireReader, draft: RowDraft, inside: 'check' | 'trust'): SpanFound {
  const { end } = draft;
  let traceIdLength = 0;
  let spanIdLength = 0;
  let parentIdLength = 0;
  let flags = 0;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if ((tag & 7) !== 2) {
      // 16 flags
      if (tag === 0x85) flags = reader.fixed32(end);
      else reader.skip(tag, end);
      continue;
    }
    const stop = reader.lengthEnd(end);
    const { at } = reader;
    switch (tag) {
      case 0x0a: // 1 trace_id
        draft.traceIdAt = at;
        traceIdLength = stop - at;
        break;
      case 0x12: // 2 span_id
        draft.spanIdAt = at;
        spanIdLength = stop - at;
        break;
      case 0x22: // 4 parent_span_id
        draft.parentSpanIdAt = at;
        parentIdLength = stop - at;
        break;
      default:
        if (inside === 'check') checkContent(reader, SPAN, tag, stop);
    }
    reader.at = stop;
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
