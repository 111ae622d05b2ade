/** The OpenTelemetry SDK, set up as in production, plus one line for Assay: the processor that stamps conversation ids. */
import { context, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
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
  const sdk = startNodeSdk({
    logLevel: 'error',
    resourceAttributes: {
      'service.name': 'scheduling-agent',
      'service.version': options.version,
      'deployment.environment.name': options.environment,
    },
    spanProcessors: [
      new ConversationSpanProcessor(),
      // Large enough for bursts: an SDK drops spans that do not fit, and the demonstration would miss conversations.
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: 500, maxQueueSize: 65_536 }),
    ],
    metricReaders: [],
    logRecordProcessors: [],
  });
  return {
    stop: async () => {
      await sdk.shutdown();
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
