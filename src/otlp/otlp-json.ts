/**
 * Writes spans and log records as OTLP/JSON: those of Assay itself, and those that a test captured in its own process.
 * `json-transcoder.ts` makes protobuf of it.
 *
 * Uses no package of OpenTelemetry, because each of them accepts only some versions of `@opentelemetry/api`, and the
 * application that Assay is installed in has chosen one.
 */
interface KeyValue {
  readonly key: string;
  readonly value: object;
}

export type WrittenAttributes = Readonly<Record<string, unknown>>;

export interface WrittenScope {
  readonly name: string;
  readonly version?: string | undefined;
}

/** A span's own fields, as in `Span` of the protocol. */
export interface WrittenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly flags?: number;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events?: readonly object[];
  readonly links?: readonly object[];
  readonly status: { readonly code: number; readonly message?: string };
  readonly droppedAttributesCount?: number;
  readonly droppedEventsCount?: number;
  readonly droppedLinksCount?: number;
}

/** A log record's own fields, as in `LogRecord` of the protocol. */
export interface WrittenLogRecord {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number;
  readonly eventName: string;
  readonly attributes: readonly KeyValue[];
  readonly traceId?: string;
  readonly spanId?: string;
  readonly flags?: number;
}

interface WrittenGroup<R> {
  readonly resource: WrittenAttributes;
  readonly scope: WrittenScope;
  readonly records: readonly R[];
}

/** Numbers of the protocol's enums. */
export const SPAN_KIND = { internal: 1, client: 3 } as const;
export const STATUS_CODE = { unset: 0, ok: 1, error: 2 } as const;
export const SEVERITY = { info: 9, warn: 13 } as const;
/** The span was sampled. */
export const SAMPLED = 1;

export function tracesJson(groups: readonly WrittenGroup<WrittenSpan>[]): string {
  return JSON.stringify({
    resourceSpans: groups.map(({ resource, scope, records }) => ({
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope, spans: records }],
    })),
  });
}

export function logsJson(groups: readonly WrittenGroup<WrittenLogRecord>[]): string {
  return JSON.stringify({
    resourceLogs: groups.map(({ resource, scope, records }) => ({
      resource: { attributes: keyValues(resource) },
      scopeLogs: [{ scope, logRecords: records }],
    })),
  });
}

/** Undefined values are left out. */
export function keyValues(attributes: WrittenAttributes): readonly KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key: key.toWellFormed(), value: anyValue(value) }],
  );
}

/** Milliseconds since 1970, which may have a fraction, as nanoseconds. */
export function nanosOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

/** JSON has no word for these. */
export function jsonDouble(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** Half of a surrogate pair is no character, and no receiver accepts it. */
function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: jsonDouble(value) };
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'object' && value !== null) return { kvlistValue: { values: keyValues({ ...value }) } };
  return {};
}
