/**
 * Where the store is that many instances share. Without a URL the store is a file of this machine.
 */
import { z } from 'zod';
import { durationMs } from './quantities.ts';
import { readFileSetting, readSecret, type SecretPlaces } from './secrets.ts';
import type { Sources } from './sources.ts';

export interface SharedStoreSettings {
  /** Without a password. */
  readonly url: string;
  readonly password: string | undefined;
  readonly tls:
    | { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined }
    | undefined;
  /** For how long a transaction may be silent before the database ends it and its conversations are others'. */
  readonly leaseMs: number;
}

const SECOND = 1000;
const urlExpected = 'a URL such as postgres://assay@db.example:5432/assay';

export function readSharedStore(sources: Sources, places: SecretPlaces): SharedStoreSettings | undefined {
  const name = { key: 'store.url', variable: 'ASSAY_STORE_URL' };
  const { value: written, origin } = sources.read<string>(name, storeUrl, '');
  const secret = readSecret(sources, places, 'store.password', 'ASSAY_STORE_PASSWORD');
  const ca = readFileSetting(sources, places, 'store.ca_file');
  const cert = readFileSetting(sources, places, 'store.cert_file');
  const key = readFileSetting(sources, places, 'store.key_file');
  const lease = sources.read(
    { key: 'store.lease', variable: 'ASSAY_STORE_LEASE' },
    durationMs({ min: SECOND, max: 600 * SECOND }),
    30 * SECOND,
  ).value;
  if (written === '') return undefined;
  const url = new URL(written);
  const inUrl = url.password === '' ? undefined : decodeURIComponent(url.password);
  if (inUrl !== undefined && origin === 'file') {
    const expected = 'the URL without it, and store.password_file, store.password_env or ASSAY_STORE_PASSWORD';
    sources.mistake(name, origin, 'the URL holds a password, and configuration files end up in repositories', expected);
  }
  url.password = '';
  const wantsTls = /^(require|verify-ca|verify-full)$/.test(url.searchParams.get('sslmode') ?? '');
  url.searchParams.delete('sslmode');
  const hasTls = wantsTls || ca !== undefined || cert !== undefined;
  return {
    url: url.href,
    password: secret ?? inUrl,
    tls: hasTls ? { ca, cert, key } : undefined,
    leaseMs: lease,
  };
}

const storeUrl = z.string(urlExpected).refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return /^postgres(ql)?:$/.test(protocol) && hostname !== '' && pathname.length > 1;
}, urlExpected);
