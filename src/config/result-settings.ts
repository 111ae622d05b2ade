/** Where what evaluations say goes as OpenTelemetry events, and what is sent with it. */
import { z } from 'zod';
import { durationMs } from './quantities.ts';
import { readSecret, type SecretPlaces } from './secrets.ts';
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
const addressExpected = 'an address that begins with http:// or https://, such as http://collector:4318';
const headersExpected = 'name=value, several of them with commas between: authorization=Bearer abc,x-team=agents';

/** Undefined where nothing is to be sent. */
export function readResults(sources: Sources, places: SecretPlaces): ResultSettings | undefined {
  const place = { key: 'results.endpoint', variable: 'ASSAY_RESULTS_ENDPOINT' };
  const { value: endpoint } = sources.read<string>(place, address, '');
  const headers = readHeaders(sources, places);
  const timeoutMs = sources.read(
    { key: 'results.timeout' },
    durationMs({ min: 100, max: 60 * SECOND }),
    10 * SECOND,
  ).value;
  return endpoint === '' ? undefined : { url: logsUrl(endpoint), headers, timeoutMs };
}

/** As SDKs take it: the base of a receiver, to which the path of the signal is added, unless it is there already. */
function logsUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/v1/logs')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/logs`;
  return url.href;
}

function readHeaders(sources: Sources, places: SecretPlaces): Readonly<Record<string, string>> {
  const text = readSecret(sources, places, 'results.headers', 'ASSAY_RESULTS_HEADERS') ?? '';
  const headers = new Headers();
  for (const pair of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? [];
    try {
      headers.append(name, value.trim());
    } catch {
      // The value is a secret, and is not repeated.
      sources.mistake({ key: 'results.headers' }, 'file', 'one of them is not a header', headersExpected);
    }
  }
  return Object.fromEntries(headers);
}

const address = z
  .string(addressExpected)
  .refine((text) => text === '' || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)), addressExpected);
