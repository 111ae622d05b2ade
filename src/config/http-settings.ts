/** Settings of the API: names by which it may be called, and the token of writers. */
import { z } from 'zod';
import { isAddressOrNetwork } from '../listen/client-address.ts';
import { secret } from './secrets.ts';
import { section } from './section.ts';
import { separated, setting } from './setting.ts';

const expected = 'at least 16 letters, digits and other visible ASCII characters, such as `openssl rand -hex 32` gives';
const hostsExpected = 'names of hosts, with a port or without one, as a list or separated by commas';
const HOST = /^(?:[\w.-]{1,253}|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;
const hostList = z
  .union([z.array(z.string()), separated], hostsExpected)
  .refine((hosts) => hosts.every((host) => HOST.test(host)), hostsExpected)
  .readonly();

const proxiesExpected = 'addresses or networks such as 10.0.0.0/8, as a list or separated by commas';
const proxyList = z
  .union([z.array(z.string()), separated], proxiesExpected)
  .refine((proxies) => proxies.every(isAddressOrNetwork), proxiesExpected)
  .readonly();

export const HTTP = section('reload', 'The API.', {
  writeToken: secret(
    { key: 'http.write_token_file', variable: 'ASSAY_HTTP_WRITE_TOKEN', rare: true },
    'Token of clients that may write, besides those of `assay token` (security.md).',
  ),
  allowedHosts: setting(
    {
      key: 'http.allowed_hosts',
      variable: 'ASSAY_HTTP_ALLOWED_HOSTS',
      default: [],
      example: ['assay.example.com'],
      rare: true,
    },
    'Names besides loopback ones by which callers without a token may call it.',
    hostList,
  ),
  trustedProxies: setting(
    {
      key: 'http.trusted_proxies',
      variable: 'ASSAY_HTTP_TRUSTED_PROXIES',
      default: [],
      example: ['10.0.0.7'],
      rare: true,
    },
    'Proxies whose X-Forwarded-For or Forwarded names the client, for limits by address and the audit log.',
    proxyList,
  ),
}).build(({ writeToken, ...values }, sources) => {
  if (writeToken === undefined || /^[\x21-\x7e]{16,}$/.test(writeToken)) return { ...values, writeToken };
  // The value is a secret, and is not repeated.
  sources.mistake('http.write_token_file', 'the token cannot be used', expected);
  return { ...values, writeToken: undefined };
});
