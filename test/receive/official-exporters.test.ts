import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { startOtlpGrpc } from '../../src/receive/otlp-grpc.ts';
import { type Receiver, startOtlpHttp } from '../../src/receive/otlp-http.ts';
import { EventLog, FakeSink, receiverOptions } from './receiving.ts';

let sink: FakeSink;
let log: EventLog;
let http: Receiver;
let grpc: Receiver;

beforeEach(async () => {
  sink = new FakeSink();
  log = new EventLog();
  http = await startOtlpHttp(receiverOptions(sink, log));
  grpc = await startOtlpGrpc(receiverOptions(sink, log));
});
afterEach(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_COMPRESSION;
  await Promise.all([http.stop(), grpc.stop()]);
});

const exporters: readonly (readonly [name: string, make: () => SpanExporter])[] = [
  ['HTTP and JSON', () => new JsonExporter({ url: `http://127.0.0.1:${http.port}/v1/traces` })],
  ['HTTP and protobuf', () => new ProtobufExporter({ url: `http://127.0.0.1:${http.port}/v1/traces` })],
  ['gRPC', () => new GrpcExporter({ url: `http://127.0.0.1:${grpc.port}` })],
];

/** An agent's span and a tool's within it, as the SDK records them. */
function recordedSpans(): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] });
  const tracer = provider.getTracer('agent', '1.2.3');
  const agent = tracer.startSpan('invoke_agent scheduler', { kind: SpanKind.INTERNAL });
  agent.setAttributes({
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.request.temperature': 0.5,
    tags: ['a', 'ü'],
    ok: true,
  });
  const tool = tracer.startSpan('execute_tool book', { kind: SpanKind.CLIENT }, trace.setSpan(context.active(), agent));
  tool.recordException(new Error('calendar is down'));
  tool.setStatus({ code: SpanStatusCode.ERROR, message: 'calendar is down' });
  tool.end();
  agent.end();
  return memory.getFinishedSpans();
}

function send(
  exporter: SpanExporter,
  spans: ReadableSpan[],
): Promise<{ readonly code: number; readonly error?: Error }> {
  return new Promise((resolve) => {
    exporter.export(spans, resolve);
  });
}

describe.each(exporters)('the official exporter over %s', (_name, make) => {
  it.each(['none', 'gzip'])('gets its spans through as they were recorded, compression %s', async (compression) => {
    process.env.OTEL_EXPORTER_OTLP_COMPRESSION = compression;
    const exporter = make();
    const spans = recordedSpans();
    const result = await send(exporter, spans);
    await exporter.shutdown();

    expect(result).toEqual({ code: 0 });
    expect(sink.batches).toHaveLength(1);
    const index = indexTraces(sink.batches[0]?.bytes ?? new Uint8Array());
    expect(index.spanCount).toBe(spans.length);
    for (const [row, span] of spans.entries()) {
      const view = index.view(row);
      const { traceId, spanId } = span.spanContext();
      expect([view.traceId, view.spanId, view.parentSpanId]).toEqual([traceId, spanId, span.parentSpanContext?.spanId]);
      expect([view.name, view.otelKind]).toEqual([span.name, span.kind + 1]);
      expect(view.startedAtMs).toBeCloseTo(span.startTime[0] * 1000 + span.startTime[1] / 1e6, 3);
      expect(view.scope).toEqual({ name: 'agent', version: '1.2.3' });
      expect(view.resource.text('telemetry.sdk.language')).toBe('nodejs');
    }
    const tool = index.view(0);
    expect([tool.statusCode, tool.statusMessage]).toEqual(['error', 'calendar is down']);
    expect(tool.events.map((event) => [event.name, event.attributes.text('exception.message')])).toEqual([
      ['exception', 'calendar is down'],
    ]);
    const agent = index.view(1).attributes;
    expect(agent.keys().map((key) => agent.get(key))).toEqual([12, 0.5, ['a', 'ü'], true]);
  });
});

// The exporter over gRPC does not retry, whatever the answer (otlp-grpc-exporter-base 0.301); those over HTTP do.
describe.each(exporters.filter(([name]) => name !== 'gRPC'))('the official exporter over %s', (_name, make) => {
  it('sends again what was refused for a moment, and so loses nothing', async () => {
    sink.admission = { admitted: false, reason: 'full', retryAfterSeconds: 1 };
    const exporter = make();
    const refused = log.next('request-refused').then(() => {
      sink.admission = { admitted: true };
    });
    const result = await send(exporter, recordedSpans());
    await refused;
    await exporter.shutdown();

    expect(result).toEqual({ code: 0 });
    expect(log.refusals()).toHaveLength(1);
    expect(log.events.filter(({ type }) => type === 'batch-received')).toHaveLength(1);
  });
});

it('tells the official exporter over gRPC that it may send again', async () => {
  sink.admission = { admitted: false, reason: 'full', retryAfterSeconds: 1 };
  const exporter = new GrpcExporter({ url: `http://127.0.0.1:${grpc.port}` });
  const result = await send(exporter, recordedSpans());
  await exporter.shutdown();
  expect(result).toMatchObject({ code: 1, error: { code: 14, details: 'full' } });
});
