/** How an OTLP receiver is named, and what is said to it with each request. */
import { z } from 'zod';
import { readSecret, type SecretPlaces } from './secrets.ts';
import type { Sources } from './sources.ts';

const addressExpected = 'an address that begins with http:// or https://, such as http://collector:4318';
const headersExpected = 'name=value, several of them with commas between: authorization=Bearer abc,x-team=agents';

/** Empty is none. */
export const addressSchema = z
  .string(addressExpected)
  .refine((text) => text === '' || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)), addressExpected);

/** As SDKs take it: the base of a receiver, to which the path of the signal is added, unless it is there already. */
export function signalUrl(endpoint: string, signal: 'traces' | 'metrics' | 'logs'): string {
  const url = new URL(endpoint);
  const path = `/v1/${signal}`;
  if (!url.pathname.endsWith(path)) url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  return url.href;
}

/** From `<key>_file`, `<key>_env` or the variable: a header often holds a secret. */
export function readHeaders(
  sources: Sources,
  places: SecretPlaces,
  key: string,
  variable: string,
): Readonly<Record<string, string>> {
  const text = readSecret(sources, places, key, variable) ?? '';
  const headers = new Headers();
  for (const pair of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? [];
    try {
      headers.append(name, value.trim());
    } catch {
      // The value is a secret, and is not repeated.
      sources.mistake({ key }, 'file', 'one of them is not a header', headersExpected);
    }
  }
  return Object.fromEntries(headers);
}
