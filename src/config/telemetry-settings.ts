/** Where Assay's own traces and metrics go. */
import { addressSchema, readHeaders } from './otlp-address.ts';
import { durationMs } from './quantities.ts';
import type { SecretPlaces } from './secrets.ts';
import type { Sources } from './sources.ts';
import { yesOrNo } from './yes-or-no.ts';

export interface TelemetrySettings {
  /** The base of an OTLP/HTTP receiver; undefined: as OpenTelemetry's variables say. */
  readonly endpoint: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly metricsEveryMs: number;
}

const SECOND = 1000;
/** They say by themselves that somebody wants telemetry of this process. An endpoint alone does not: agents beside it are told theirs the same way. */
const ASKED_BY = ['OTEL_TRACES_EXPORTER', 'OTEL_METRICS_EXPORTER'];

/** Undefined where it is off. */
export function readTelemetry(sources: Sources, places: SecretPlaces): TelemetrySettings | undefined {
  const endpointName = { key: 'telemetry.endpoint', variable: 'ASSAY_TELEMETRY_ENDPOINT' };
  const { value: endpoint } = sources.read<string>(endpointName, addressSchema, '');
  const headers = readHeaders(sources, places, 'telemetry.headers', 'ASSAY_TELEMETRY_HEADERS');
  const asked = endpoint !== '' || ASKED_BY.some((name) => places.env[name] === 'otlp');
  const active = sources.read({ key: 'telemetry.active', variable: 'ASSAY_TELEMETRY' }, yesOrNo, asked).value;
  const every = durationMs({ min: SECOND, max: 3600 * SECOND });
  const metricsEveryMs = sources.read({ key: 'telemetry.metrics_every' }, every, 60 * SECOND).value;
  if (!active || places.env.OTEL_SDK_DISABLED === 'true') return undefined;
  return { endpoint: endpoint === '' ? undefined : endpoint, headers, metricsEveryMs };
}
