/**
 * Reads ExportLogsServiceRequest (LogsData has the same bytes) as traces-reader.ts reads spans. A log record need not
 * belong to a trace: such a record is a row all the same, without a trace id, and is counted.
 */
import { isUserFeedback } from './feedback-events.ts';
import type { SpanId, TraceId } from '../model/ids.ts';
import { checkContent, decodeAnyValue, joinPieces } from './common-reader.ts';
import { GroupViews } from './group-views.ts';
import { LazyAttributes } from './lazy-attributes.ts';
import { MESSAGES } from './messages.ts';
import { ABSENT, type RecordIndex } from './record-index.ts';
import { indexRequest, isZero, type RowDraft } from './request-reader.ts';
import { millisAt } from './span-reader.ts';
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Attributes, LogRecordView, Scope } from './views.ts';
import { WireReader } from './wire.ts';

/** Throws WireError where the bytes are not what the grammar says. */
export function indexLogs(bytes: Uint8Array): LogsIndex {
  return new LogsIndex(indexRequest('logs', bytes, checkLogRecord));
}

export class LogsIndex {
  readonly rows: RecordIndex;
  /** Records that belong to no trace, and what evaluators say of one. */
  readonly unjoinable: number;
  readonly #reader: LogRecordReader;

  constructor(rows: RecordIndex) {
    this.rows = rows;
    this.#reader = new LogRecordReader(rows, new GroupViews(rows));
    let unjoinable = 0;
    for (let row = 0; row < rows.rowCount; row++) {
      if (rows.traceIdAt(row) === ABSENT) unjoinable += 1;
    }
    this.unjoinable = unjoinable;
  }

  /** Indexed bytes: the given ones, or an equal request if these had to be rewritten. */
  get bytes(): Uint8Array {
    return this.rows.bytes;
  }

  get recordCount(): number {
    return this.rows.rowCount;
  }

  /** None: a record with a wrong id is kept, as one without. */
  get rejected(): number {
    return 0;
  }

  /** One view serves for all records: it is at record `i` until the next call. */
  view(i: number): LogRecordView {
    this.#reader.moveTo(i);
    return this.#reader;
  }
}

const LOG_RECORD = MESSAGES.LogRecord;

function checkLogRecord(reader: WireReader, draft: RowDraft): 'row' {
  const { end } = draft;
  const start = reader.at;
  let traceIdLength = 0;
  let spanIdLength = 0;
  let isResult = false;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if ((tag & 7) !== 2) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.lengthEnd(end);
    const { at } = reader;
    switch (tag) {
      case 0x4a: // 9 trace_id
        draft.traceIdAt = at;
        traceIdLength = stop - at;
        break;
      case 0x52: // 10 span_id
        draft.spanIdAt = at;
        spanIdLength = stop - at;
        break;
      case 0x62: // 12 event_name
        isResult = isEvaluationResult(reader.bytes, at, stop);
        break;
      default:
        checkContent(reader, LOG_RECORD, tag, stop);
    }
    reader.at = stop;
  }
  // Results of people are no evaluator's: they belong to the conversation.
  if (isResult) isResult = !isUserFeedback(reader.bytes.subarray(start, end));
  if (isResult || traceIdLength !== 16 || isZero(reader.bytes, draft.traceIdAt, 16)) draft.traceIdAt = ABSENT;
  if (spanIdLength !== 8 || isZero(reader.bytes, draft.spanIdAt, 8)) draft.spanIdAt = ABSENT;
  return 'row';
}

/**
 * Results of an evaluator, Assay's or another's, carry the ids of the span that they are about, and are no part of the
 * agent's work. Were it kept with the trace, each evaluation that comes back through a Collector would open its turn
 * again, to be evaluated once more.
 */
const EVALUATION_RESULT = Buffer.from('gen_ai.evaluation.result');

function isEvaluationResult(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === EVALUATION_RESULT.length && EVALUATION_RESULT.equals(bytes.subarray(start, end));
}

class LogRecordReader implements LogRecordView {
  readonly #rows: RecordIndex;
  readonly #groups: GroupViews;
  readonly #buffer: Buffer;
  readonly #reader: WireReader;
  readonly #attributes: LazyAttributes;
  #row = 0;
  #timeAt: number = ABSENT;
  #observedAt: number = ABSENT;
  #bodyStart = 0;
  #bodyEnd = 0;
  #bodyPieces = 0;
  #eventNameStart = 0;
  #eventNameEnd = 0;
  severity = 0;

  constructor(rows: RecordIndex, groups: GroupViews) {
    this.#rows = rows;
    this.#groups = groups;
    this.#buffer = rows.bytes;
    this.#reader = new WireReader(rows.bytes, 0);
    this.#attributes = new LazyAttributes(rows.bytes);
  }

  moveTo(row: number): void {
    const end = this.#rows.end(row);
    const reader = this.#reader;
    reader.at = this.#rows.start(row);
    this.#clear(row);
    while (reader.at < end) {
      const tag = reader.tag(end);
      switch (tag) {
        case 0x09: // 1 time_unix_nano
          this.#timeAt = reader.fixed64At(end);
          break;
        case 0x10: // 2 severity_number
          this.severity = reader.varint(end) | 0;
          break;
        case 0x2a: // 5 body
          this.#bodyEnd = reader.lengthEnd(end);
          this.#bodyStart = reader.at;
          this.#bodyPieces += 1;
          reader.at = this.#bodyEnd;
          break;
        case 0x32: {
          // 6 attributes
          const stop = reader.lengthEnd(end);
          this.#attributes.add(reader.at, stop);
          reader.at = stop;
          break;
        }
        case 0x59: // 11 observed_time_unix_nano
          this.#observedAt = reader.fixed64At(end);
          break;
        case 0x62: // 12 event_name
          this.#eventNameEnd = reader.lengthEnd(end);
          this.#eventNameStart = reader.at;
          reader.at = this.#eventNameEnd;
          break;
        default:
          reader.skip(tag, end);
      }
    }
  }

  get traceId(): TraceId | undefined {
    const at = this.#rows.traceIdAt(this.#row);
    // The cast is the brand: the index keeps the place only of a valid id.
    return at === ABSENT ? undefined : (this.#buffer.toString('hex', at, at + 16) as TraceId);
  }

  get spanId(): SpanId | undefined {
    const at = this.#rows.spanIdAt(this.#row);
    // The cast is the brand: the index keeps the place only of a valid id.
    return at === ABSENT ? undefined : (this.#buffer.toString('hex', at, at + 8) as SpanId);
  }

  /** When it happened, else when it was seen. */
  get timeMs(): number {
    const time = millisAt(this.#buffer, this.#timeAt);
    return time === 0 ? millisAt(this.#buffer, this.#observedAt) : time;
  }

  get eventName(): string {
    if (this.#eventNameEnd > this.#eventNameStart) {
      return this.#buffer.toString('utf8', this.#eventNameStart, this.#eventNameEnd);
    }
    return this.#attributes.text('event.name') ?? '';
  }

  get body(): AttributeValue | undefined {
    if (this.#bodyPieces === 0) return undefined;
    if (this.#bodyPieces === 1) return decodeAnyValue(this.#buffer, this.#bodyStart, this.#bodyEnd);
    const record = { start: this.#rows.start(this.#row), end: this.#rows.end(this.#row) };
    const joined = joinPieces(this.#buffer, { ...record, tag: 0x2a });
    return decodeAnyValue(joined, 0, joined.length);
  }

  get attributes(): Attributes {
    return this.#attributes;
  }

  get scope(): Scope {
    return this.#groups.scope(this.#rows.group(this.#row));
  }

  get resource(): Attributes {
    return this.#groups.resource(this.#rows.group(this.#row));
  }

  #clear(row: number): void {
    this.#row = row;
    this.#timeAt = this.#observedAt = ABSENT;
    this.#bodyPieces = 0;
    this.#eventNameStart = this.#eventNameEnd = 0;
    this.#attributes.clear();
    this.severity = 0;
  }
}
