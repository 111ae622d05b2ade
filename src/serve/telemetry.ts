/**
 * Assay's own traces and metrics, over OTLP/HTTP, by OpenTelemetry's SDK for Node. Off unless it is asked for; then nothing of the SDK is even loaded,
 * and the events have one receiver less.
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
  /** Those that there are by the time they are sent. */
  readonly sources: () => readonly MetricSource[];
}

export interface Telemetry {
  readonly note: EventSpans['note'];
  /** Sends what is left, for a while. */
  stop(): Promise<void>;
}

const STOP_MS = 5000;

/** Undefined where it is off. */
export async function startTelemetry(parts: TelemetryParts): Promise<Telemetry | undefined> {
  const { settings, instance, version, onEvent, sources } = parts;
  if (settings === undefined) return undefined;
  const [{ NodeSDK }, { OTLPTraceExporter }, { OTLPMetricExporter }, metrics, resources, api, spans, own] =
    await Promise.all([
      import('@opentelemetry/sdk-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/exporter-metrics-otlp-http'),
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/api'),
      import('../report/telemetry/event-spans.ts'),
      import('../report/telemetry/own-metrics.ts'),
    ]);
  const { endpoint, headers, metricsEveryMs } = settings;
  // Without an endpoint of ours the exporters ask OpenTelemetry's variables.
  const to = (signal: 'traces' | 'metrics') =>
    endpoint === undefined ? {} : { url: signalUrl(endpoint, signal), headers: { ...headers } };
  const telling = (message: string, ...more: readonly unknown[]) =>
    onEvent({ type: 'telemetry-problem', problem: [wordsOf(message), ...more.map(String)].join(' ') });
  const quiet = () => {};
  const sdk = new NodeSDK({
    resource: resources.defaultResource().merge(
      resources.resourceFromAttributes({
        'service.name': 'assay',
        'service.version': version,
        'service.instance.id': instance,
      }),
    ),
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES; not what command line and machine this is.
    resourceDetectors: [resources.envDetector],
    instrumentations: [],
    logRecordProcessors: [],
    traceExporter: new OTLPTraceExporter(to('traces')),
    metricReaders: [
      new metrics.PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(to('metrics')),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: Math.min(metricsEveryMs, 10_000),
        metricProducers: [new own.OwnMetrics(sources, version)],
      }),
    ],
  });
  sdk.start();
  // After the SDK, which may have set one of its own. An exporter that fails says so here, and nowhere else.
  api.diag.setLogger(
    { error: telling, warn: telling, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const events = new spans.EventSpans(api.trace.getTracer(OWN_SCOPE, version));
  return {
    note: (event) => events.note(event),
    stop: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, STOP_MS);
      const failed = (error: unknown) => telling('what was left could not be sent:', error);
      await Promise.race([sdk.shutdown().catch(failed), promise]);
      clearTimeout(timer);
      // The next service of this process has an SDK of its own.
      api.trace.disable();
      api.metrics.disable();
      api.context.disable();
      api.propagation.disable();
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
