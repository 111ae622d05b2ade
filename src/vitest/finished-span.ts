/**
 * Writes the finished spans of an OpenTelemetry SDK as OTLP. The SDK is the application's, in any of its versions:
 *
 *   1.x        `parentSpanId`, `instrumentationLibrary`
 *   from 2.0   `parentSpanContext`, `instrumentationScope`
 */
import { keyValues, type WrittenScope, type WrittenSpan } from '../otlp/otlp-json.ts';

/** Seconds and nanoseconds since 1970. */
type Time = readonly [seconds: number, nanos: number];
type Attributes = Readonly<Record<string, unknown>>;

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
  readonly traceState?: { serialize(): string };
}

export interface FinishedSpan {
  readonly name: string;
  readonly kind: number;
  spanContext(): SpanContext;
  readonly parentSpanContext?: SpanContext;
  readonly parentSpanId?: string;
  readonly startTime: Time;
  readonly endTime: Time;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: Attributes;
  readonly events: readonly {
    readonly name: string;
    readonly time: Time;
    readonly attributes?: Attributes;
    readonly droppedAttributesCount?: number;
  }[];
  readonly links: readonly {
    readonly context: SpanContext;
    readonly attributes?: Attributes;
    readonly droppedAttributesCount?: number;
  }[];
  readonly resource: { readonly attributes: Attributes };
  readonly instrumentationScope?: WrittenScope;
  readonly instrumentationLibrary?: WrittenScope;
  readonly droppedAttributesCount?: number;
  readonly droppedEventsCount?: number;
  readonly droppedLinksCount?: number;
}

/** Spans by resource and scope, in the order in which each is first met. */
export function spanGroups(spans: readonly FinishedSpan[]) {
  const groups = new Map<FinishedSpan['resource'], Map<string, { scope: WrittenScope; records: WrittenSpan[] }>>();
  for (const span of spans) {
    const { name = '', version } = span.instrumentationScope ?? span.instrumentationLibrary ?? {};
    const scopes = groups.get(span.resource) ?? new Map();
    groups.set(span.resource, scopes);
    const key = JSON.stringify([name, version]);
    const group = scopes.get(key) ?? { scope: { name, version }, records: [] };
    scopes.set(key, group);
    group.records.push(writtenSpan(span));
  }
  return [...groups].flatMap(([{ attributes: resource }, scopes]) =>
    [...scopes.values()].map((group) => ({ resource, ...group })),
  );
}

function writtenSpan(span: FinishedSpan): WrittenSpan {
  const context = span.spanContext();
  const parentSpanId = span.parentSpanContext?.spanId ?? span.parentSpanId;
  const traceState = context.traceState?.serialize();
  const { code, message } = span.status;
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(traceState !== undefined && { traceState }),
    flags: flagsOf(context, span.parentSpanContext?.isRemote),
    name: span.name.toWellFormed(),
    // The protocol's numbers begin with one that is unspecified.
    kind: span.kind + 1,
    startTimeUnixNano: nanosOf(span.startTime),
    endTimeUnixNano: nanosOf(span.endTime),
    attributes: keyValues(span.attributes),
    events: span.events.map(({ name, time, attributes = {}, droppedAttributesCount = 0 }) => ({
      name: name.toWellFormed(),
      timeUnixNano: nanosOf(time),
      attributes: keyValues(attributes),
      droppedAttributesCount,
    })),
    links: span.links.map(({ context: to, attributes = {}, droppedAttributesCount = 0 }) => ({
      traceId: to.traceId,
      spanId: to.spanId,
      flags: flagsOf(to, to.isRemote),
      attributes: keyValues(attributes),
      droppedAttributesCount,
    })),
    status: { code, ...(message !== undefined && { message: message.toWellFormed() }) },
    droppedAttributesCount: span.droppedAttributesCount ?? 0,
    droppedEventsCount: span.droppedEventsCount ?? 0,
    droppedLinksCount: span.droppedLinksCount ?? 0,
  };
}

const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

function flagsOf({ traceFlags }: SpanContext, isRemote: boolean | undefined): number {
  return (traceFlags & 0xff) | HAS_IS_REMOTE | (isRemote === true ? IS_REMOTE : 0);
}

function nanosOf([seconds, nanos]: Time): string {
  return String(BigInt(Math.trunc(seconds)) * 1_000_000_000n + BigInt(Math.round(nanos)));
}
