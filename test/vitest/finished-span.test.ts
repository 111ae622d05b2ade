/** Spans that a test captured, as OpenTelemetry's own serializer writes them: the referee. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { tracesJson } from '../../src/otlp/otlp-json.ts';
import { type FinishedSpan, spanGroups } from '../../src/vitest/finished-span.ts';
import { otlp } from '../otlp/otlp.proto.ts';

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'agent', 'host.cpus': 2 }),
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
});
const remote = { traceId: 'a1'.repeat(16), spanId: 'b2'.repeat(8), traceFlags: TraceFlags.SAMPLED, isRemote: true };

function madeSpans() {
  exporter.reset();
  const tracer = provider.getTracer('first', '1.2.3');
  const root = tracer.startSpan(
    'invoke_agent ☂',
    { kind: SpanKind.SERVER, links: [{ context: { ...remote, isRemote: false }, attributes: { why: 'retry' } }] },
    trace.setSpanContext(ROOT_CONTEXT, remote),
  );
  const child = provider
    .getTracer('second')
    .startSpan('execute_tool', { startTime: [1_700_000_000, 123_456_789] }, trace.setSpan(ROOT_CONTEXT, root));
  child.setAttributes({ text: 'ä', whole: 42, negative: -7, huge: 2 ** 60, part: 0.25, yes: true, no: false });
  child.setAttributes({ texts: ['a', 'b'], numbers: [1, 2.5], empty: [] });
  child.addEvent('exception', { 'exception.message': 'no' }, [1_700_000_000, 999_999_999]);
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'timed out' });
  child.end([1_700_000_001, 5]);
  root.end();
  return exporter.getFinishedSpans();
}

/** Each span with its resource and scope, however they are grouped. */
function read(request: Uint8Array) {
  const { resourceSpans = [] } = otlp.TracesData.decode(request).toJSON();
  return resourceSpans.flatMap(({ resource, scopeSpans }: { resource: unknown; scopeSpans: Scoped[] }) =>
    scopeSpans.flatMap(({ scope, spans }) => spans.map((span) => withoutZeros({ resource, scope, span }))),
  );
}

interface Scoped {
  readonly scope: unknown;
  readonly spans: readonly unknown[];
}

const written = (spans: readonly FinishedSpan[]) => read(transcodeTraces(Buffer.from(tracesJson(spanGroups(spans)))));

test('the spans of an SDK are written as its own exporter writes them', () => {
  const spans = madeSpans();
  // Beyond what a double holds exactly, a number is written as the double that it is.
  const asDouble = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replace(`{"intValue":"${2n ** 60n}"}`, `{"doubleValue":${2 ** 60}}`));

  const expected = read(ProtobufTraceSerializer.serializeRequest([...spans]) ?? new Uint8Array());

  expect(written(spans)).toEqual(asDouble(expected));
  expect(spans).toHaveLength(2);
});

test('a span of SDK 1.x has the fields that were renamed since', () => {
  const [child] = madeSpans();
  if (child === undefined) throw new Error('there is a child');
  const old: FinishedSpan = {
    name: child.name,
    kind: child.kind,
    spanContext: () => child.spanContext(),
    startTime: child.startTime,
    endTime: child.endTime,
    status: child.status,
    attributes: child.attributes,
    events: child.events,
    links: child.links,
    resource: child.resource,
    parentSpanId: child.parentSpanContext?.spanId ?? '',
    instrumentationLibrary: child.instrumentationScope,
  };

  expect(written([old])).toEqual(written([child]));
});

test('half of a surrogate pair, and a number that is none, are written so that they can be read', () => {
  const [child] = madeSpans();
  if (child === undefined) throw new Error('there is a child');
  const odd = { ...child, spanContext: () => child.spanContext(), attributes: { half: 'a\ud83d', not: Number.NaN } };

  expect(JSON.stringify(written([odd]))).toContain('"a\ufffd"');
});

/** Zero, false and the empty text say in protobuf what an absent field says. */
function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeros);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => !(/dropped|flags/.test(key) && one === 0))
      .map(([key, one]) => [key, withoutZeros(one)]),
  );
}
