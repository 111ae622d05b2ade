/**
 * The official exporters of OpenTelemetry JS, several at once, against a real process: everything reported as accepted
 * must be stored, and scored as in an offline run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SpanKind } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { loadSettings } from '../../src/config/settings.ts';
import { encodeTable } from '../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import type { RecordedBatch } from '../../src/engine/recorded/recorded-batch.ts';
import { toEvaluationJson } from '../../src/model/evaluation-json.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { freeListenPorts, startAssay } from './process.ts';
import { parseMetrics } from './scraped-totals.ts';
import { exportRequest, type TrafficConversation, type TrafficSpan, traffic } from './traffic.ts';

export interface ExportersReport {
  readonly conversations: number;
  readonly spans_exported: number;
  readonly spans_stored: number;
  readonly failed_exports: number;
  readonly evaluations: number;
  readonly evaluation_mismatches: number;
  readonly seconds: number;
}

const SUITES = ['default', 'error-recovery'];
const BUILTIN = path.resolve(import.meta.dirname, '../../suites');
const SEED = 11;
const TRAFFIC = { seed: SEED, withoutId: 0.1, endMarks: 'all' as const };

export async function exportersTest(options: {
  readonly conversations: number;
  readonly onProgress?: (line: string) => void;
}): Promise<ExportersReport> {
  const say = options.onProgress ?? (() => {});
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-exporters-'));
  const configFile = `${dataDir}.yaml`;
  writeFileSync(configFile, `suites: [${SUITES.join(', ')}]\n`);
  const ports = await freeListenPorts();
  const env = { ASSAY_TURN_SETTLE: '1s' };
  const assay = await startAssay({ dataDir, ports, env, arguments: ['--config', configFile] });
  const startedAt = performance.now();
  const source = traffic({ ...TRAFFIC, conversations: options.conversations });
  const counts = { conversations: 0, spans: 0, failed: 0 };

  async function exportAll(exporter: SpanExporter): Promise<void> {
    for (let next = source.next(); next.done !== true; next = source.next()) {
      counts.conversations += 1;
      for (const turn of next.value.turns) {
        const failure = await exportSpans(
          exporter,
          turn.map((span) => toReadableSpan(span, next.value as TrafficConversation)),
        );
        if (failure === undefined) counts.spans += turn.length;
        else {
          counts.failed += 1;
          say(`an export failed: ${failure}`);
        }
      }
      if (counts.conversations % 1000 === 0) say(`${counts.conversations} conversations exported`);
    }
    await exporter.shutdown();
  }

  try {
    const json = () => new JsonExporter({ url: `${assay.otlpHttp}/v1/traces` });
    const protobuf = () => new ProtobufExporter({ url: `${assay.otlpHttp}/v1/traces` });
    const grpc = () => new GrpcExporter({ url: assay.otlpGrpc });
    await Promise.all([json(), json(), json(), protobuf(), protobuf(), protobuf(), grpc(), grpc()].map(exportAll));
    say('waiting until everything is scored');
    for (let quiet = 0; quiet < 6; ) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const metrics = parseMetrics(await (await fetch(`${assay.http}/metrics`)).text());
      const pending = (metrics.get('assay_open_turns') ?? 0) + (metrics.get('assay_scoring_queue_length') ?? 0);
      quiet = pending === 0 ? quiet + 1 : 0;
    }
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    await assay.stop();
    const reader = StoreReader.open(path.join(dataDir, 'assay.db'));
    let stored = 0;
    for (const { content } of reader.allContent()) stored += indexTraces(content.traces).spanCount;
    const found = new Set(
      [...reader.allEvaluations()].map((evaluation) => JSON.stringify(toEvaluationJson(evaluation))),
    );
    reader.close();
    const expected = await offline(options.conversations);
    return {
      conversations: counts.conversations,
      spans_exported: counts.spans,
      spans_stored: stored,
      failed_exports: counts.failed,
      evaluations: found.size,
      evaluation_mismatches: expected.symmetricDifference(found).size,
      seconds,
    };
  } finally {
    await assay.kill();
    rmSync(dataDir, { recursive: true, force: true });
    rmSync(configFile, { force: true });
  }
}

/** The evaluations of the same spans without a network, a journal or a clock between. */
async function offline(conversations: number): Promise<ReadonlySet<string>> {
  const { settings } = loadSettings({ flags: {}, env: {}, cwd: tmpdir() });
  const { suites } = await loadSuites(SUITES, { baseDir: tmpdir(), builtinDir: BUILTIN });
  function* batches(): Generator<RecordedBatch> {
    for (const conversation of traffic({ ...TRAFFIC, conversations })) {
      for (const turn of conversation.turns) {
        const bytes = transcodeTraces(Buffer.from(exportRequest(turn, conversation.agentVersion)));
        const index = indexTraces(bytes);
        yield { signal: 'traces', bytes, table: encodeTable(index), rows: index.spanCount, rejected: 0, logTime: 0 };
      }
    }
  }
  const { evaluations } = await scoreRecorded({ batches: batches(), suites, settings });
  return new Set(evaluations.map((evaluation) => JSON.stringify(toEvaluationJson(evaluation))));
}

function exportSpans(exporter: SpanExporter, spans: ReadableSpan[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    exporter.export(spans, ({ code, error }) => resolve(code === 0 ? undefined : String(error)));
  });
}

type AttributeValue = ReadableSpan['attributes'][string];

/** The span as an SDK would hand it to its exporter. */
function toReadableSpan(span: TrafficSpan, conversation: TrafficConversation): ReadableSpan {
  const context = (spanId: string) => ({ traceId: span.traceId, spanId, traceFlags: 1 });
  const attributes = Object.fromEntries(span.attributes.map(({ key, value }) => [key, toAttribute(value)]));
  const readable = {
    name: span.name,
    kind: span.kind === 3 ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => context(span.spanId),
    parentSpanContext: span.parentSpanId === undefined ? undefined : context(span.parentSpanId),
    startTime: toHrTime(span.startTimeUnixNano),
    endTime: toHrTime(span.endTimeUnixNano),
    status: span.status,
    attributes,
    links: [],
    events: [],
    duration: [0, 0],
    ended: true,
    resource: {
      attributes: {
        'service.name': 'simulated-agent',
        'service.version': conversation.agentVersion,
        'deployment.environment.name': 'simulation',
      },
      getRawAttributes: () => [],
    },
    instrumentationScope: { name: 'simulation', version: '1' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
  // The cast holds for the fields that the serializers read.
  return readable as unknown as ReadableSpan;
}

function toAttribute(value: unknown): AttributeValue {
  // The cast holds for the values that `traffic` makes.
  const any = value as {
    stringValue?: string;
    intValue?: string;
    boolValue?: boolean;
    arrayValue?: { values: { stringValue: string }[] };
  };
  if (any.stringValue !== undefined) return any.stringValue;
  if (any.intValue !== undefined) return Number(any.intValue);
  if (any.boolValue !== undefined) return any.boolValue;
  return any.arrayValue?.values.map(({ stringValue }) => stringValue);
}

function toHrTime(nanoseconds: string): [number, number] {
  const time = BigInt(nanoseconds);
  return [Number(time / 1_000_000_000n), Number(time % 1_000_000_000n)];
}
