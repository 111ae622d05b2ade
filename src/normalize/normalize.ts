/**
 * Spans to steps: the bytes of one trace in, its steps out, in whatever order the spans came. Nothing is dropped, judged
 * or paired here; that is for `assemble`, which sees the steps side by side.
 *
 * The steps keep the bytes alive and decode content from them when it is read.
 */
import { indexLogs, type LogsIndex } from '../otlp/logs-reader.ts';
import { indexCheckedTraces, type TracesIndex } from '../otlp/traces-reader.ts';
import type { Attributes, LogRecordView, SpanView } from '../otlp/views.ts';
import type { SpanId } from '../model/ids.ts';
import type { Step } from '../model/step.ts';
import type { Draft } from './draft.ts';
import type { SpanLogs, SpanSource } from './evidence.ts';
import type { IdKeys } from './id-keys.ts';
import { loggedCalls } from './logged-calls.ts';
import { readResource } from './reading.ts';
import { SpanStep } from './span-step.ts';

export interface TraceSource {
  /** An OTLP TracesData message with the spans of one trace, which were checked when they were received. */
  readonly traces: Uint8Array;
  /** An OTLP LogsData message with the log records of that trace. */
  readonly logs: Uint8Array | undefined;
}

export function normalize(source: TraceSource, idKeys?: IdKeys): readonly Step[] {
  const spans = indexCheckedTraces(source.traces);
  const logs = source.logs === undefined ? undefined : indexLogs(source.logs);
  const reader = new Reader(spans, logs, idKeys);
  const steps: Step[] = [];
  for (let position = 0; position < spans.spanCount; position++) {
    steps.push(new SpanStep(reader, position, reader.view(position)));
  }
  if (logs !== undefined) steps.push(...loggedCalls(steps, logs, idKeys));
  return steps;
}

class Reader implements SpanSource {
  readonly idKeys: IdKeys | undefined;
  readonly #spans: TracesIndex;
  readonly #logs: LogsIndex | undefined;
  #positionsBySpan: Map<SpanId, number[]> | undefined;
  #view: SpanView | undefined;
  #position = -1;
  /** Spans of one request share their resource's view. */
  readonly #resources = new Map<Attributes, Draft>();

  constructor(spans: TracesIndex, logs: LogsIndex | undefined, idKeys: IdKeys | undefined) {
    this.idKeys = idKeys;
    this.#spans = spans;
    this.#logs = logs;
  }

  /** No other code moves the index's view, so the current view need not be read again. */
  view(position: number): SpanView {
    if (position !== this.#position || this.#view === undefined) {
      this.#view = this.#spans.view(position);
      this.#position = position;
    }
    return this.#view;
  }

  bytesAt(position: number): number {
    const { rows } = this.#spans;
    return rows.end(position) - rows.start(position);
  }

  resourceAt(position: number): Draft {
    const { resource } = this.view(position);
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const draft = readResource(resource, undefined);
    this.#resources.set(resource, draft);
    return draft;
  }

  logsOf(spanId: SpanId): SpanLogs | undefined {
    const logs = this.#logs;
    if (logs === undefined) return undefined;
    this.#positionsBySpan ??= positionsBySpan(logs);
    const positions = this.#positionsBySpan.get(spanId);
    return positions === undefined ? undefined : new RecordsAt(logs, positions);
  }
}

class RecordsAt implements SpanLogs {
  readonly #logs: LogsIndex;
  readonly #positions: readonly number[];

  constructor(logs: LogsIndex, positions: readonly number[]) {
    this.#logs = logs;
    this.#positions = positions;
  }

  get count(): number {
    return this.#positions.length;
  }

  record(at: number): LogRecordView {
    const position = this.#positions[at];
    if (position === undefined) throw new RangeError(`log record ${at} of ${this.#positions.length} was asked for`);
    return this.#logs.view(position);
  }
}

function positionsBySpan(logs: LogsIndex): Map<SpanId, number[]> {
  const positions = new Map<SpanId, number[]>();
  for (let position = 0; position < logs.recordCount; position++) {
    const { spanId } = logs.view(position);
    if (spanId === undefined) continue;
    const there = positions.get(spanId);
    if (there === undefined) positions.set(spanId, [position]);
    else there.push(position);
  }
  return positions;
}
