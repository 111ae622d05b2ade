/**
 * The messages of OTLP, field by field, as opentelemetry-proto has them. The check of protobuf (`common-reader.ts`), the transcoder of JSON
 * and the redactor of requests follow from this table. Readers that keep something name the tags of their fields: number << 3 | wire type.
 */

/** By the key in JSON: number and type. A star stands for a repeated field; an `id` is bytes that JSON writes in hexadecimal. */
const TABLE = {
  TracesData: { resourceSpans: [1, 'ResourceSpans*'] },
  LogsData: { resourceLogs: [1, 'ResourceLogs*'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans*'], schemaUrl: [3, 'string'] },
  ResourceLogs: { resource: [1, 'Resource'], scopeLogs: [2, 'ScopeLogs*'], schemaUrl: [3, 'string'] },
  ScopeSpans: { scope: [1, 'InstrumentationScope'], spans: [2, 'Span*'], schemaUrl: [3, 'string'] },
  ScopeLogs: { scope: [1, 'InstrumentationScope'], logRecords: [2, 'LogRecord*'], schemaUrl: [3, 'string'] },
  Resource: { attributes: [1, 'KeyValue*'], droppedAttributesCount: [2, 'uint32'] },
  InstrumentationScope: {
    name: [1, 'string'],
    version: [2, 'string'],
    attributes: [3, 'KeyValue*'],
    droppedAttributesCount: [4, 'uint32'],
  },
  Span: {
    traceId: [1, 'id'],
    spanId: [2, 'id'],
    traceState: [3, 'string'],
    parentSpanId: [4, 'id'],
    name: [5, 'string'],
    kind: [6, 'SpanKind'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue*'],
    droppedAttributesCount: [10, 'uint32'],
    events: [11, 'Event*'],
    droppedEventsCount: [12, 'uint32'],
    links: [13, 'Link*'],
    droppedLinksCount: [14, 'uint32'],
    status: [15, 'Status'],
    flags: [16, 'fixed32'],
  },
  Event: {
    timeUnixNano: [1, 'fixed64'],
    name: [2, 'string'],
    attributes: [3, 'KeyValue*'],
    droppedAttributesCount: [4, 'uint32'],
  },
  Link: {
    traceId: [1, 'id'],
    spanId: [2, 'id'],
    traceState: [3, 'string'],
    attributes: [4, 'KeyValue*'],
    droppedAttributesCount: [5, 'uint32'],
    flags: [6, 'fixed32'],
  },
  Status: { message: [2, 'string'], code: [3, 'StatusCode'] },
  LogRecord: {
    timeUnixNano: [1, 'fixed64'],
    severityNumber: [2, 'SeverityNumber'],
    severityText: [3, 'string'],
    body: [5, 'AnyValue'],
    attributes: [6, 'KeyValue*'],
    droppedAttributesCount: [7, 'uint32'],
    flags: [8, 'fixed32'],
    traceId: [9, 'id'],
    spanId: [10, 'id'],
    observedTimeUnixNano: [11, 'fixed64'],
    eventName: [12, 'string'],
  },
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  AnyValue: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
    kvlistValue: [6, 'KeyValueList'],
    bytesValue: [7, 'bytes'],
  },
  ArrayValue: { values: [1, 'AnyValue*'] },
  KeyValueList: { values: [1, 'KeyValue*'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly [number: number, type: string]>>>>;

type Table = typeof TABLE;
type MessageName = keyof Table;
type TypeName = { [Name in MessageName]: Table[Name][keyof Table[Name]] }[MessageName][1];
/** A type that is no message. */
export type Scalar = Exclude<TypeName, MessageName | `${MessageName}*`>;

export interface Field {
  readonly number: number;
  readonly type: Scalar | Message;
  readonly isRepeated: boolean;
}

export interface Message {
  /** By both spellings of their keys: in camel case, and in snake case. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Fields of wire type 2 by their tag, which is one byte. */
  readonly byTag: readonly (Scalar | Message | undefined)[];
}

const TAGS = 128;
const LENGTH_DELIMITED: ReadonlySet<Scalar> = new Set(['string', 'id', 'bytes']);

export const MESSAGES = linked();

function linked(): Readonly<Record<MessageName, Message>> {
  const empty = () => ({
    fields: new Map<string, Field>(),
    byTag: new Array<Field['type'] | undefined>(TAGS).fill(undefined),
  });
  // Entries of the same names that went in.
  const messages = Object.fromEntries(Object.keys(TABLE).map((name) => [name, empty()])) as Record<
    MessageName,
    ReturnType<typeof empty>
  >;
  for (const [name, fields] of Object.entries(TABLE)) {
    const { fields: into, byTag } = messages[name as MessageName];
    for (const [key, [number, typeName]] of Object.entries<readonly [number, TypeName]>(fields)) {
      const isRepeated = typeName.endsWith('*');
      // A name without its star that is no message is a scalar.
      const known = messages[typeName.replace('*', '') as MessageName] as Message | undefined;
      const type = known ?? (typeName as Scalar);
      const field = { number, type, isRepeated };
      into.set(key, field);
      into.set(
        key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        field,
      );
      if (typeof type === 'object' || LENGTH_DELIMITED.has(type)) byTag[(number << 3) | 2] = type;
    }
  }
  return messages;
}
