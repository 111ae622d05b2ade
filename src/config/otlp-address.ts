/** How an OTLP receiver is named, and the headers of requests to it. */
import { z } from 'zod';
import { secret } from './secrets.ts';
import { type Declared, type Setting, setting } from './setting.ts';
import { isWebAddress } from '../model/web-address.ts';

const addressExpected = 'an address that begins with http:// or https://, such as http://collector:4318';
const headersExpected = 'name=value, several of them with commas between: authorization=Bearer abc,x-team=agents';

const addressSchema = z
  .string(addressExpected)
  .refine((text) => text === '' || isWebAddress(text), addressExpected)
  .transform((text) => (text === '' ? undefined : text));

/** Empty is none. */
export function address(declared: Declared, help: string) {
  return setting(declared, help, addressSchema);
}

/** As SDKs take it: the base of a receiver, to which the path of the signal is added, unless it is there already. */
export function signalUrl(endpoint: string, signal: 'traces' | 'metrics' | 'logs'): string {
  const url = new URL(endpoint);
  const path = `/v1/${signal}`;
  if (!url.pathname.endsWith(path)) url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  return url.href;
}

/** A header often holds a secret, so headers are found as secrets are. */
export function headers(declared: Declared & { readonly variable: string }): Setting<Readonly<Record<string, string>>> {
  const written = secret(declared, 'Headers of each request: authorization=Bearer abc,x-team=agents.');
  return {
    ...written,
    read: (sources) => {
      const found = new Headers();
      for (const pair of (written.read(sources) ?? '').split(',').filter((one) => one.trim() !== '')) {
        const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? [];
        try {
          found.append(name, value.trim());
        } catch {
          // The value is a secret, and is not repeated.
          sources.mistake(declared.key, 'one of them is not a header', headersExpected);
        }
      }
      return Object.fromEntries(found);
    },
  };
}
