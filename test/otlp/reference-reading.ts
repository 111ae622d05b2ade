/**
 * One request, read twice: by the conventional decoder and by ours. Both results have the same plain form, so that a
 * difference between the two is a difference in meaning.
 */
import { isDeepStrictEqual } from 'node:util';
import protobuf from 'protobufjs';
import { BatchTable, encodeTable } from '../../src/otlp/batch-table.ts';
import { indexLogs } from '../../src/otlp/logs-reader.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import type { AttributeValue } from '../../src/model/attribute-value.ts';
import type { Attributes, Scope } from '../../src/otlp/views.ts';
import { WireError, type WireProblem } from '../../src/otlp/wire.ts';
import { otlp } from './otlp.proto.ts';

export type Signal = 'traces' | 'logs';

export type Comparison =
  | { readonly result: 'accepted'; readonly rows: number }
  | { readonly result: 'refused' }
  /** Refused by choice although the reference accepts it. */
  | { readonly result: 'refused-by-choice'; readonly problem: WireProblem }
  | { readonly result: 'disagreement'; readonly what: string }
  | { readonly result: 'crash'; readonly what: string };

/** Cases that Assay refuses although the reference would read on: groups, endless varints, unlimited nesting. */
const STRICTER: ReadonlySet<WireProblem> = new Set(['group', 'overlong', 'too-deep']);

export function compareWithReference(signal: Signal, bytes: Uint8Array): Comparison {
  const ours = attempt(() => readOurs(signal, bytes));
  if ('error' in ours && !(ours.error instanceof WireError)) {
    return { result: 'crash', what: ours.error instanceof Error ? (ours.error.stack ?? '') : String(ours.error) };
  }
  const reference = attempt(() => readReference(signal, bytes));
  if ('error' in ours && ours.error instanceof WireError) {
    if ('error' in reference) return { result: 'refused' };
    if (STRICTER.has(ours.error.problem)) return { result: 'refused-by-choice', problem: ours.error.problem };
    return { result: 'disagreement', what: `only ours refuses: ${ours.error.message}` };
  }
  if ('error' in reference) return { result: 'disagreement', what: `only the reference refuses: ${reference.error}` };
  if ('error' in ours) return { result: 'crash', what: String(ours.error) };
  if (isDeepStrictEqual(ours.value, reference.value)) return { result: 'accepted', rows: ours.value.rows.length };
  return { result: 'disagreement', what: `ours ${show(ours.value)}\nreference ${show(reference.value)}` };
}

interface Reading {
  readonly rows: readonly unknown[];
  readonly rejected: number;
}

function attempt(read: () => Reading): { readonly value: Reading } | { readonly error: unknown } {
  try {
    return { value: read() };
  } catch (error) {
    return { error };
  }
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item)).slice(0, 4000);
}

/* ---- ours ---- */

export function readOurs(signal: Signal, bytes: Uint8Array): Reading {
  return signal === 'traces' ? readOurTraces(bytes) : readOurLogs(bytes);
}

function readOurTraces(bytes: Uint8Array): Reading {
  const index = indexTraces(bytes);
  const table = BatchTable.read(encodeTable(index));
  const rows = [];
  for (let row = 0; row < index.spanCount; row++) {
    const view = index.view(row);
    const span = {
      traceId: view.traceId,
      spanId: view.spanId,
      parentSpanId: view.parentSpanId,
      name: view.name,
      kind: view.otelKind,
      startedAtMs: view.startedAtMs,
      endedAtMs: view.endedAtMs,
      status: view.statusCode,
      message: view.statusMessage,
      flags: view.flags,
      dropped: view.droppedAttributes,
      attributes: ourAttributes(view.attributes),
      events: view.events.map((event) => ({
        name: event.name,
        timeMs: event.timeMs,
        attributes: ourAttributes(event.attributes),
      })),
      links: view.links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
      scope: ourScope(view.scope),
      resource: ourAttributes(view.resource),
    };
    rows.push({ ...span, table: ourTableRow(table, row, index.bytes, 'Span') });
  }
  return { rows, rejected: index.rejected };
}

function readOurLogs(bytes: Uint8Array): Reading {
  const index = indexLogs(bytes);
  const table = BatchTable.read(encodeTable(index));
  const rows = [];
  for (let row = 0; row < index.recordCount; row++) {
    const view = index.view(row);
    const record = {
      traceId: view.traceId,
      spanId: view.spanId,
      timeMs: view.timeMs,
      eventName: view.eventName,
      severity: view.severity,
      body: view.body === undefined ? undefined : ourValue(view.body),
      attributes: ourAttributes(view.attributes),
      scope: ourScope(view.scope),
      resource: ourAttributes(view.resource),
    };
    rows.push({ ...record, table: ourTableRow(table, row, index.bytes, 'LogRecord') });
  }
  return { rows, rejected: 0 };
}

/** The table must lead to the same bytes: the values that the reference reads there are part of the comparison. */
function ourTableRow(table: BatchTable, row: number, bytes: Uint8Array, type: 'Span' | 'LogRecord'): unknown {
  const group = table.group(row);
  const message = decode(type, bytes.subarray(table.start(row), table.end(row)));
  const resource = decode('Resource', bytes.subarray(table.resourceStart(group), table.resourceEnd(group)));
  const scope = decode('Scope', bytes.subarray(table.scopeStart(group), table.scopeEnd(group)));
  return {
    traceId: table.traceId(row),
    spanId: table.spanId(row),
    parentSpanId: table.parentSpanId(row),
    parentIsRemote: table.parentIsRemote(row),
    isOwn: table.isOwn(row),
    attributes: attributesOf(message),
    resource: attributesOf(resource),
    scope: scopeOf(scope),
  };
}

function ourScope(scope: Scope): unknown {
  return { name: scope.name, version: scope.version };
}

function ourAttributes(attributes: Attributes): unknown {
  const found = new Map<string, unknown>();
  for (const key of attributes.keys()) {
    const value = attributes.get(key);
    if (value === undefined || !attributes.has(key)) throw new Error(`the listed key ${key} is not found`);
    const text = attributes.text(key);
    if (text !== (typeof value === 'string' ? value : undefined)) throw new Error(`text(${key}) is ${text}`);
    found.set(key, ourValue(value));
  }
  if (attributes.count !== found.size)
    throw new Error(`count is ${attributes.count}, but there are ${found.size} keys`);
  if (attributes.get('a key that nobody sends') !== undefined) throw new Error('found a key that was not sent');
  return found;
}

function ourValue(value: AttributeValue): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') };
  if (Array.isArray(value)) return value.map(ourValue);
  if (typeof value === 'object' && value !== null) {
    const entries = new Map<string, unknown>();
    for (const [key, item] of Object.entries(value)) entries.set(key, ourValue(item));
    return entries;
  }
  return value;
}

/* ---- the reference ---- */

/** The result of protobufjs: untyped, and read only through the functions below. */
export interface Message {
  readonly [field: string]: unknown;
}

export function decode(
  type: 'Span' | 'LogRecord' | 'Resource' | 'Scope' | 'TracesData' | 'LogsData',
  bytes: Uint8Array,
): Message {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = protobuf.Reader.create(buffer);
  // Assay checks UTF-8 when text is read, not before, so the reference must not check it either.
  Object.assign(reader, { stringVerify: reader.string });
  // The cast holds for every decoded message.
  return otlp[type].decode(reader) as unknown as Message;
}

function readReference(signal: Signal, bytes: Uint8Array): Reading {
  const rows = [];
  let rejected = 0;
  const request = decode(signal === 'traces' ? 'TracesData' : 'LogsData', bytes);
  for (const group of list(request, signal === 'traces' ? 'resourceSpans' : 'resourceLogs')) {
    for (const scopeGroup of list(group, signal === 'traces' ? 'scopeSpans' : 'scopeLogs')) {
      for (const record of list(scopeGroup, signal === 'traces' ? 'spans' : 'logRecords')) {
        const place = { scope: scopeOf(scopeGroup.scope), resource: attributesOf(group.resource) };
        const row = signal === 'traces' ? spanOf(record, place) : logRecordOf(record, place);
        if (row === undefined) rejected += 1;
        else rows.push(row);
      }
    }
  }
  return { rows, rejected };
}

interface Place {
  readonly scope: { readonly name: string; readonly version: string };
  readonly resource: unknown;
}

function spanOf(span: Message, { scope, resource }: Place): unknown {
  const traceId = idOf(span.traceId, 16);
  const spanId = idOf(span.spanId, 8);
  if (traceId === undefined || spanId === undefined) return undefined;
  const parentSpanId = idOf(span.parentSpanId, 8);
  const status = message(span.status);
  const attributes = attributesOf(span);
  return {
    traceId,
    spanId,
    parentSpanId,
    name: span.name,
    kind: span.kind,
    startedAtMs: millis(span.startTimeUnixNano),
    endedAtMs: millis(span.endTimeUnixNano),
    status: status.code === 2 ? 'error' : status.code === 1 ? 'ok' : 'unset',
    message: status.message ?? '',
    flags: span.flags,
    dropped: span.droppedAttributesCount,
    attributes,
    events: list(span, 'events').map((event) => ({
      name: event.name,
      timeMs: millis(event.timeUnixNano),
      attributes: attributesOf(event),
    })),
    links: list(span, 'links').map((link) => ({ traceId: idOf(link.traceId, 16), spanId: idOf(link.spanId, 8) })),
    scope,
    resource,
    table: {
      traceId,
      spanId,
      parentSpanId,
      parentIsRemote: (Number(span.flags) & 0x300) === 0x300,
      isOwn: scope.name === 'assay',
      attributes,
      resource,
      scope,
    },
  };
}

function logRecordOf(record: Message, { scope, resource }: Place): unknown {
  const traceId = idOf(record.traceId, 16);
  const spanId = idOf(record.spanId, 8);
  const attributes = attributesOf(record);
  const named = attributes.get('event.name');
  const isOwn = scope.name === 'assay';
  const parent = { parentSpanId: undefined, parentIsRemote: false };
  return {
    traceId,
    spanId,
    timeMs: millis(record.timeUnixNano) || millis(record.observedTimeUnixNano),
    eventName: record.eventName === '' ? (typeof named === 'string' ? named : '') : record.eventName,
    severity: record.severityNumber,
    body: record.body === undefined || record.body === null ? undefined : contentOfValue(record.body),
    attributes,
    scope,
    resource,
    table: { traceId, spanId, ...parent, isOwn, attributes, resource, scope },
  };
}

export function list(from: Message, field: string): readonly Message[] {
  const items = from[field];
  return Array.isArray(items) ? items : [];
}

export function message(value: unknown): Message {
  // The cast holds: a decoded message field is a message or absent.
  return (value ?? {}) as Message;
}

function scopeOf(value: unknown): { readonly name: string; readonly version: string } {
  const scope = message(value);
  return { name: String(scope.name ?? ''), version: String(scope.version ?? '') };
}

function attributesOf(owner: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const attribute of list(message(owner), 'attributes')) {
    const key = String(attribute.key);
    if (!found.has(key)) found.set(key, contentOfValue(attribute.value));
  }
  return found;
}

function contentOfValue(value: unknown): unknown {
  const any = message(value);
  switch (any.value) {
    case 'stringValue':
      return any.stringValue;
    case 'boolValue':
      return any.boolValue;
    case 'intValue': {
      const integer = BigInt.asIntN(64, bitsOf(any.intValue));
      return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
    }
    case 'doubleValue':
      return any.doubleValue;
    case 'bytesValue':
      return { bytes: hex(any.bytesValue) };
    case 'arrayValue':
      return list(message(any.arrayValue), 'values').map(contentOfValue);
    case 'kvlistValue': {
      const entries = new Map<string, unknown>();
      for (const entry of list(message(any.kvlistValue), 'values')) {
        const key = String(entry.key);
        if (!entries.has(key)) entries.set(key, contentOfValue(entry.value));
      }
      return entries;
    }
    default:
      return null;
  }
}

function idOf(value: unknown, length: number): string | undefined {
  const text = hex(value);
  return text.length === 2 * length && /[^0]/.test(text) ? text : undefined;
}

export function hex(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
}

function millis(value: unknown): number {
  const bits = bitsOf(value);
  return (Number(bits >> 32n) * 0x1_0000_0000 + Number(bits & 0xffff_ffffn)) / 1e6;
}

export function bitsOf(value: unknown): bigint {
  if (typeof value === 'number') return BigInt.asUintN(64, BigInt(value));
  const long = message(value);
  return (BigInt(Number(long.high ?? 0) >>> 0) << 32n) | BigInt(Number(long.low ?? 0) >>> 0);
}
