/** The OpenTelemetry SDK, set up as in production, plus one line for Assay: the processor that stamps conversation ids. */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ConversationSpanProcessor } from '../../src/instrument/instrument.ts';

export interface Telemetry {
  /** Flushes and shuts the SDK down, so that another version of the agent may start in this process. */
  stop(): Promise<void>;
}

export function startTelemetry(options: {
  readonly endpoint: string;
  readonly version: string;
  readonly environment: string;
}): Telemetry {
  const exporter = new OTLPTraceExporter({ url: new URL('/v1/traces', options.endpoint).href });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'scheduling-agent',
      'service.version': options.version,
      'deployment.environment.name': options.environment,
    }),
    spanProcessors: [
      new ConversationSpanProcessor(),
      // Large enough for bursts: an SDK drops spans that do not fit, and the demonstration would miss conversations.
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: 500, maxQueueSize: 65_536 }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    stop: async () => {
      await provider.shutdown();
      trace.disable();
      context.disable();
    },
  };
}
