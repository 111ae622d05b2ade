/** Where Assay's own traces and metrics go. */
import { address, headers } from './otlp-address.ts';
import { section, type SettingsOf } from './section.ts';
import { duration, yesOrNo } from './setting.ts';

/** Either is enough to switch telemetry on. An endpoint alone is not: agents beside it are told theirs the same way. */
const ASKED_BY = ['OTEL_TRACES_EXPORTER', 'OTEL_METRICS_EXPORTER'];

/** Undefined where it is off. */
export const TELEMETRY = section('start', "Assay's own traces and metrics, over OTLP (operating.md).", {
  // Undefined: as OpenTelemetry's variables say.
  endpoint: address(
    { key: 'telemetry.endpoint', variable: 'ASSAY_TELEMETRY_ENDPOINT', example: 'http://collector:4318' },
    'Base address of an OTLP/HTTP receiver; else as OTEL_EXPORTER_OTLP_ENDPOINT says.',
  ),
  headers: headers({ key: 'telemetry.headers', variable: 'ASSAY_TELEMETRY_HEADERS' }),
  active: yesOrNo(
    { key: 'telemetry.active', variable: 'ASSAY_TELEMETRY', example: true },
    `Unless given, true where an endpoint is named or ${ASKED_BY.join(' or ')} is otlp.`,
  ),
  metricsEveryMs: duration(
    { key: 'telemetry.metrics_every', default: '60s', min: '1s', max: '1h' },
    'Export interval.',
  ),
}).build(({ active, ...telemetry }, { places: { env } }) => {
  const isAsked = telemetry.endpoint !== undefined || ASKED_BY.some((name) => env[name] === 'otlp');
  return (active ?? isAsked) && env.OTEL_SDK_DISABLED !== 'true' ? telemetry : undefined;
});
export type TelemetrySettings = NonNullable<SettingsOf<typeof TELEMETRY>>;
