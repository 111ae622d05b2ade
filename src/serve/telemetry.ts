/**
 * Sends Assay's own traces and metrics over OTLP/HTTP. Off by default: the SDK is not loaded then, and events have one receiver fewer.
 *
 * Uses the tracing and metrics SDKs without `@opentelemetry/sdk-node`, whose twenty further packages Assay does not need. Nothing is registered
 * globally, so an SDK of the application in the same process is left alone.
 */
import type { TelemetrySettings } from '../config/telemetry-settings.ts';
import { signalUrl } from '../config/otlp-address.ts';
import type { TelemetryEvent } from '../model/events/telemetry-events.ts';
import { OWN_SCOPE } from '../model/marks.ts';
import type { MetricSource } from '../report/metrics/exposition.ts';
import type { EventSpans } from '../report/telemetry/event-spans.ts';

interface TelemetryParts {
  readonly settings: TelemetrySettings | undefined;
  readonly instance: string;
  readonly version: string;
  readonly onEvent: (event: TelemetryEvent) => void;
  /** Sources that exist by the time the metrics are sent. */
  readonly sources: () => readonly MetricSource[];
}

export interface Telemetry {
  readonly note: EventSpans['note'];
  /** Sends what is left, for a while. */
  stop(): Promise<void>;
}

const STOP_MS = 5000;
const SPANS_EVERY_MS = 5000;

/** Undefined where it is off. */
export async function startTelemetry(parts: TelemetryParts): Promise<Telemetry | undefined> {
  const { settings, instance, version, onEvent, sources } = parts;
  if (settings === undefined) return undefined;
  const [tracing, { OTLPTraceExporter }, { OTLPMetricExporter }, metrics, resources, api, spans, own] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/exporter-metrics-otlp-http'),
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/api'),
      import('../report/telemetry/event-spans.ts'),
      import('../report/telemetry/own-metrics.ts'),
    ]);
  const { endpoint, headers, metricsEveryMs } = settings;
  // Without a configured endpoint, the exporters read OpenTelemetry's environment variables.
  const to = (signal: 'traces' | 'metrics') =>
    endpoint === undefined ? {} : { url: signalUrl(endpoint, signal), headers: { ...headers } };
  const telling = (message: string, ...more: readonly unknown[]) =>
    onEvent({ type: 'telemetry-problem', problem: [wordsOf(message), ...more.map(String)].join(' ') });
  const quiet = () => {};
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES apply; the command line and the machine are not reported.
  const resource = resources
    .resourceFromAttributes({ 'service.name': 'assay', 'service.version': version, 'service.instance.id': instance })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const tracers = new tracing.TracerProvider({
    resource,
    spanProcessors: [
      new tracing.BatchSpanProcessor({
        exporter: new OTLPTraceExporter(to('traces')),
        scheduledDelayMillis: Math.min(metricsEveryMs, SPANS_EVERY_MS),
      }),
    ],
  });
  const meters = new metrics.MeterProvider({
    resource,
    readers: [
      new metrics.PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(to('metrics')),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: Math.min(metricsEveryMs, 10_000),
        metricProducers: [new own.OwnMetrics(sources, version)],
      }),
    ],
  });
  // An exporter reports a failure here, and nowhere else.
  api.diag.setLogger(
    { error: telling, warn: telling, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const events = new spans.EventSpans(tracers.getTracer(OWN_SCOPE, version));
  return {
    note: (event) => events.note(event),
    stop: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, STOP_MS);
      const failed = (error: unknown) => telling('what was left could not be sent:', error);
      const sent = Promise.all([tracers.shutdown().catch(failed), meters.shutdown().catch(failed)]);
      await Promise.race([sent, promise]);
      clearTimeout(timer);
      // Leaves no logger behind for the next service of this process.
      api.diag.disable();
    },
  };
}

/** The SDK tells an error as JSON, with its stack. */
function wordsOf(message: string): string {
  try {
    const told: unknown = JSON.parse(message);
    if (typeof told === 'object' && told !== null && 'message' in told) return String(told.message);
  } catch {
    // It is no JSON, and says it itself.
  }
  return message;
}
