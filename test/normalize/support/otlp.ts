/**
 * Spans and log records as tests write them, and the real exports under test/fixtures, both as OTLP protobuf: one
 * request for each trace, the input of `normalize`.
 */
import { readFileSync } from 'node:fs';
import { ProtoWriter } from '../../../src/otlp/proto-writer.ts';
import type { TraceSource } from '../../../src/normalize/normalize.ts';

/** The part of OTLP/JSON, as exporters write it, that the fixtures use. */
export interface JsonAnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly bytesValue?: string;
  readonly arrayValue?: { readonly values?: readonly JsonAnyValue[] };
  readonly kvlistValue?: { readonly values?: readonly JsonKeyValue[] };
}
export interface JsonKeyValue {
  readonly key: string;
  readonly value?: JsonAnyValue;
}
export interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly flags?: number;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: string;
  readonly endTimeUnixNano?: string;
  readonly attributes?: readonly JsonKeyValue[];
  readonly droppedAttributesCount?: number;
  readonly events?: readonly JsonEvent[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}
export interface JsonEvent {
  readonly name?: string;
  readonly timeUnixNano?: string;
  readonly attributes?: readonly JsonKeyValue[];
}
export interface JsonLogRecord {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly timeUnixNano?: string;
  readonly observedTimeUnixNano?: string;
  readonly eventName?: string;
  readonly body?: JsonAnyValue;
  readonly attributes?: readonly JsonKeyValue[];
}
interface Scope {
  readonly name?: string;
  readonly version?: string;
}
interface Resource {
  readonly attributes?: readonly JsonKeyValue[];
}
/** One span with its resource and scope. */
export interface PlacedSpan {
  readonly resource: Resource;
  readonly scope: Scope;
  readonly span: JsonSpan;
}
export interface PlacedRecord {
  readonly resource: Resource;
  readonly scope: Scope;
  readonly record: JsonLogRecord;
}

/** Neighbours that share resource and scope share a group, as in a real request. */
export function encodeSpans(spans: readonly PlacedSpan[]): Uint8Array {
  const writer = new ProtoWriter({ initialBytes: 4096 });
  let at = 0;
  for (let first = spans[at]; first !== undefined; first = spans[at]) {
    const { resource, scope } = first;
    writeGroup(writer, resource, scope, () => {
      for (let next = spans[at]; next?.resource === resource && next.scope === scope; next = spans[++at]) {
        const { span } = next;
        message(writer, 2, () => writeSpan(writer, span));
      }
    });
  }
  return Uint8Array.from(writer.finish());
}

export function encodeRecords(records: readonly PlacedRecord[]): Uint8Array {
  const writer = new ProtoWriter({ initialBytes: 4096 });
  for (const { resource, scope, record } of records) {
    writeGroup(writer, resource, scope, () => message(writer, 2, () => writeRecord(writer, record)));
  }
  return Uint8Array.from(writer.finish());
}

function writeGroup(writer: ProtoWriter, resource: Resource, scope: Scope, writeRows: () => void): void {
  message(writer, 1, () => {
    message(writer, 1, () => writeAttributes(writer, 1, resource.attributes));
    message(writer, 2, () => {
      message(writer, 1, () => {
        if (scope.name !== undefined) writer.text(1, scope.name);
        if (scope.version !== undefined) writer.text(2, scope.version);
      });
      writeRows();
    });
  });
}

function writeSpan(writer: ProtoWriter, span: JsonSpan): void {
  writer.bytes(1, Buffer.from(span.traceId, 'hex'));
  writer.bytes(2, Buffer.from(span.spanId, 'hex'));
  if (span.parentSpanId) writer.bytes(4, Buffer.from(span.parentSpanId, 'hex'));
  writer.text(5, span.name ?? '');
  writer.uint32(6, span.kind ?? 0);
  nanos(writer, 7, span.startTimeUnixNano);
  nanos(writer, 8, span.endTimeUnixNano);
  writeAttributes(writer, 9, span.attributes);
  writer.uint32(10, span.droppedAttributesCount ?? 0);
  for (const event of span.events ?? []) {
    message(writer, 11, () => {
      nanos(writer, 1, event.timeUnixNano);
      writer.text(2, event.name ?? '');
      writeAttributes(writer, 3, event.attributes);
    });
  }
  if (span.flags !== undefined) writer.fixed32(16, span.flags);
  for (const link of span.links ?? []) {
    message(writer, 13, () => {
      writer.bytes(1, Buffer.from(link.traceId, 'hex'));
      writer.bytes(2, Buffer.from(link.spanId, 'hex'));
    });
  }
  message(writer, 15, () => {
    if (span.status?.message !== undefined) writer.text(2, span.status.message);
    writer.uint32(3, span.status?.code ?? 0);
  });
}

function writeRecord(writer: ProtoWriter, record: JsonLogRecord): void {
  nanos(writer, 1, record.timeUnixNano);
  if (record.body !== undefined) message(writer, 5, () => writeAnyValue(writer, record.body ?? {}));
  writeAttributes(writer, 6, record.attributes);
  if (record.traceId !== undefined) writer.bytes(9, Buffer.from(record.traceId, 'hex'));
  if (record.spanId !== undefined) writer.bytes(10, Buffer.from(record.spanId, 'hex'));
  nanos(writer, 11, record.observedTimeUnixNano);
  if (record.eventName !== undefined) writer.text(12, record.eventName);
}

function writeAttributes(writer: ProtoWriter, field: number, attributes: readonly JsonKeyValue[] = []): void {
  for (const { key, value } of attributes) {
    message(writer, field, () => {
      writer.text(1, key);
      if (value !== undefined) message(writer, 2, () => writeAnyValue(writer, value));
    });
  }
}

function writeAnyValue(writer: ProtoWriter, value: JsonAnyValue): void {
  if (value.stringValue !== undefined) writer.text(1, value.stringValue);
  else if (value.boolValue !== undefined) writer.uint32(2, value.boolValue ? 1 : 0);
  else if (value.intValue !== undefined) writer.int64(3, BigInt(value.intValue));
  else if (value.doubleValue !== undefined) writer.double(4, value.doubleValue);
  else if (value.arrayValue !== undefined) {
    message(writer, 5, () => {
      for (const item of value.arrayValue?.values ?? []) message(writer, 1, () => writeAnyValue(writer, item));
    });
  } else if (value.kvlistValue !== undefined) {
    message(writer, 6, () => writeAttributes(writer, 1, value.kvlistValue?.values));
  } else if (value.bytesValue !== undefined) writer.bytes(7, Buffer.from(value.bytesValue, 'base64'));
}

function nanos(writer: ProtoWriter, field: number, text: string | undefined): void {
  const value = BigInt(text ?? '0');
  writer.fixed64(field, Number(value & 0xffff_ffffn), Number(value >> 32n));
}

function message(writer: ProtoWriter, field: number, write: () => void): void {
  writer.openMessage(field);
  write();
  writer.closeMessage();
}

/** A plain value as an AnyValue, for spans that a test writes down. */
export function anyValue(value: unknown): JsonAnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'bigint') return { intValue: value.toString() };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'object' && value !== null) return { kvlistValue: { values: keyValues(Object.entries(value)) } };
  return {};
}

export function keyValues(entries: readonly (readonly [string, unknown])[]): readonly JsonKeyValue[] {
  return entries.map(([key, value]) => ({ key, value: anyValue(value) }));
}

export interface SpanSpec {
  readonly id: string;
  readonly parent?: string;
  readonly name?: string;
  /** Milliseconds after the beginning of the trace. */
  readonly from?: number;
  readonly to?: number;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly events?: readonly { readonly name: string; readonly attributes?: Readonly<Record<string, unknown>> }[];
  readonly status?: 'ok' | { readonly error: string };
  readonly dropped?: number;
  /** A different trace from that of all other spans. */
  readonly trace?: string;
  readonly remoteParent?: true;
  /** Traces that the span is linked to. */
  readonly links?: readonly string[];
  readonly scope?: string;
  readonly resource?: Readonly<Record<string, unknown>>;
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const EPOCH_MS = 1_700_000_000_000;

/** Short ids are padded: 'a1' is 00000000000000a1. */
export function spanId(id: string): string {
  return id.padStart(16, '0');
}

export function placed(spec: SpanSpec): PlacedSpan {
  const span: JsonSpan = {
    traceId: spec.trace ?? TRACE_ID,
    spanId: spanId(spec.id),
    ...(spec.parent === undefined ? {} : { parentSpanId: spanId(spec.parent) }),
    name: spec.name ?? spec.id,
    startTimeUnixNano: `${EPOCH_MS + (spec.from ?? 0)}000000`,
    endTimeUnixNano: `${EPOCH_MS + (spec.to ?? (spec.from ?? 0) + 1)}000000`,
    attributes: keyValues(Object.entries(spec.attributes ?? {})),
    droppedAttributesCount: spec.dropped ?? 0,
    events: (spec.events ?? []).map((event) => ({
      name: event.name,
      timeUnixNano: `${EPOCH_MS + (spec.from ?? 0)}000000`,
      attributes: keyValues(Object.entries(event.attributes ?? {})),
    })),
    ...(spec.remoteParent === true ? { flags: 0x301 } : {}),
    links: (spec.links ?? []).map((traceId) => ({ traceId, spanId: spanId('1') })),
    status:
      spec.status === undefined ? {} : spec.status === 'ok' ? { code: 1 } : { code: 2, message: spec.status.error },
  };
  return {
    resource: { attributes: keyValues(Object.entries(spec.resource ?? {})) },
    scope: { name: spec.scope ?? 'test' },
    span,
  };
}

export function traceOf(...specs: readonly SpanSpec[]): TraceSource {
  const groups = new Map<string, Pick<PlacedSpan, 'resource' | 'scope'>>();
  const spans = specs.map((spec) => {
    const { resource, scope, span } = placed(spec);
    const key = JSON.stringify([resource, scope]);
    const group = groups.get(key) ?? { resource, scope };
    groups.set(key, group);
    return { ...group, span };
  });
  return { traces: encodeSpans(spans), logs: undefined };
}

/** Log records of the same trace as {@link traceOf}. */
export function logsOf(
  ...records: readonly {
    readonly span: string;
    readonly name: string;
    readonly at?: number;
    readonly body?: unknown;
    readonly attributes?: Readonly<Record<string, unknown>>;
  }[]
): Uint8Array {
  return encodeRecords(
    records.map(({ span, name, at, body, attributes }) => ({
      resource: {},
      scope: { name: 'test' },
      record: {
        traceId: TRACE_ID,
        spanId: spanId(span),
        timeUnixNano: `${EPOCH_MS + (at ?? 0)}000000`,
        eventName: name,
        ...(body === undefined ? {} : { body: anyValue(body) }),
        attributes: keyValues(Object.entries(attributes ?? {})),
      },
    })),
  );
}

export interface FixtureTrace extends TraceSource {
  readonly traceId: string;
  readonly spans: readonly PlacedSpan[];
}

/** The traces of a recorded run, in the order in which they first appear. */
export function readFixture(path: string): readonly FixtureTrace[] {
  return tracesIn(jsonLines(`${path}.json`), jsonLines(`${path}.logs.json`));
}

export function tracesIn(
  traceRequests: readonly JsonRequest[],
  logRequests: readonly JsonRequest[],
): readonly FixtureTrace[] {
  const spans = new Map<string, PlacedSpan[]>();
  for (const request of traceRequests) {
    for (const { resource = {}, scopeSpans = [] } of request.resourceSpans ?? []) {
      for (const { scope = {}, spans: list = [] } of scopeSpans) {
        for (const span of list) append(spans, span.traceId, { resource, scope, span });
      }
    }
  }
  const records = new Map<string, PlacedRecord[]>();
  for (const request of logRequests) {
    for (const { resource = {}, scopeLogs = [] } of request.resourceLogs ?? []) {
      for (const { scope = {}, logRecords = [] } of scopeLogs) {
        for (const record of logRecords) append(records, record.traceId ?? '', { resource, scope, record });
      }
    }
  }
  return [...spans].map(([traceId, list]) => {
    const found = records.get(traceId);
    return {
      traceId,
      spans: list,
      traces: encodeSpans(list),
      logs: found === undefined ? undefined : encodeRecords(found),
    };
  });
}

export interface JsonRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: Resource;
    readonly scopeSpans?: readonly { readonly scope?: Scope; readonly spans?: readonly JsonSpan[] }[];
  }[];
  readonly resourceLogs?: readonly {
    readonly resource?: Resource;
    readonly scopeLogs?: readonly { readonly scope?: Scope; readonly logRecords?: readonly JsonLogRecord[] }[];
  }[];
}

function jsonLines(path: string): readonly JsonRequest[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return []; // Most runs have no logs.
  }
  // The cast is the fixture's format; a file that is not in it fails the tests that read it.
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonRequest);
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
