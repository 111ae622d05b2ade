/** The environment of commands and modules: that of Assay, and where their spans go. */
import type { GivenRun } from './agent.ts';

/** Variables that an exporter would prefer to the ones set here. */
const OVERRIDING = /^OTEL_EXPORTER_OTLP_(?:TRACES|LOGS)_|^OTEL_EXPORTER_OTLP_(?:COMPRESSION|CERTIFICATE|HEADERS)$/;
/** A run ends when its spans are there; the SDKs' default would wait five seconds for a batch to fill. */
const SCHEDULE_DELAY_MS = '200';

type Variables = { readonly [name: string]: string | undefined };

export function agentEnvironment(given: GivenRun, own: Variables): Variables {
  const kept = Object.entries(own).filter(([name]) => !OVERRIDING.test(name));
  return {
    ...Object.fromEntries(kept),
    OTEL_EXPORTER_OTLP_ENDPOINT: given.otlpEndpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_BSP_SCHEDULE_DELAY: SCHEDULE_DELAY_MS,
    OTEL_BLRP_SCHEDULE_DELAY: SCHEDULE_DELAY_MS,
    ...runEnvironment(given),
  };
}

/** Variables that differ for each run. */
export function runEnvironment(given: GivenRun): { readonly [name: string]: string } {
  return {
    TRACEPARENT: given.traceparents[0] ?? '',
    ASSAY_CONVERSATION_ID: given.conversationId,
    ASSAY_CASE: given.case,
  };
}
