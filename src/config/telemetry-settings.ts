/** Where Assay's own traces and metrics go. */
import { address, headers } from './otlp-address.ts';
import { section, type SettingsOf } from './section.ts';

/** Either is enough to switch telemetry on. An endpoint alone is not: agents beside it are told theirs the same way. */
const ASKED_BY = ['OTEL_TRACES_EXPORTER', 'OTEL_METRICS_EXPORTER'];

/** The usual interval of OpenTelemetry, which backends expect. */
const METRICS_EVERY_MS = 60_000;

/** Undefined where it is off. */
export const TELEMETRY = section('start', "Assay's own traces and metrics, over OTLP (operating.md).", {
  // Undefined: as OpenTelemetry's variables say.
  endpoint: address(
    { key: 'telemetry.endpoint', variable: 'ASSAY_TELEMETRY_ENDPOINT', example: 'http://collector:4318' },
    `Base address of an OTLP/HTTP receiver. Without one, ${ASKED_BY.join(' or ')} switches telemetry on, and OTEL_EXPORTER_OTLP_ENDPOINT says where.`,
  ),
  headers: headers({ key: 'telemetry.headers_file', variable: 'ASSAY_TELEMETRY_HEADERS' }),
}).build((telemetry, { places: { env } }) => {
  const isAsked = telemetry.endpoint !== undefined || ASKED_BY.some((name) => env[name] === 'otlp');
  return isAsked && env.OTEL_SDK_DISABLED !== 'true' ? { ...telemetry, metricsEveryMs: METRICS_EVERY_MS } : undefined;
});
export type TelemetrySettings = NonNullable<SettingsOf<typeof TELEMETRY>>;
