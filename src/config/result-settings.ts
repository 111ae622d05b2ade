/** Where what evaluations say goes as OpenTelemetry events, and what is sent with it. */
import { addressSchema, readHeaders, signalUrl } from './otlp-address.ts';
import { durationMs } from './quantities.ts';
import type { SecretPlaces } from './secrets.ts';
import type { Sources } from './sources.ts';

export interface ResultSettings {
  /** Of the OTLP/HTTP receiver for logs. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface ResultConfig {
  readonly endpoint?: string;
  readonly headers_file?: string;
  readonly headers_env?: string;
  readonly timeout?: string | number;
}

const SECOND = 1000;

/** Undefined where nothing is to be sent. */
export function readResults(sources: Sources, places: SecretPlaces): ResultSettings | undefined {
  const place = { key: 'results.endpoint', variable: 'ASSAY_RESULTS_ENDPOINT' };
  const { value: endpoint } = sources.read<string>(place, addressSchema, '');
  const headers = readHeaders(sources, places, 'results.headers', 'ASSAY_RESULTS_HEADERS');
  const timeoutMs = sources.read(
    { key: 'results.timeout' },
    durationMs({ min: 100, max: 60 * SECOND }),
    10 * SECOND,
  ).value;
  return endpoint === '' ? undefined : { url: signalUrl(endpoint, 'logs'), headers, timeoutMs };
}
