/** How much is stored and for how long, and where the store is that many instances share. */
import { z } from 'zod';
import { formatDuration } from './quantities.ts';
import { certificates, secret } from './secrets.ts';
import { expectAtLeast, section, type SettingsOf } from './section.ts';
import { duration, setting, size } from './setting.ts';

export const STORE = section('reload', 'Conversations and their evaluations.', {
  maxBytes: size(
    { key: 'store.max_bytes', default: '20GiB', min: '1MiB', max: '1024TiB' },
    'Size of the conversations; beyond it the oldest successful ones go, then the oldest failed ones. Counters are apart: about 25 kB for each label set.',
  ),
  keepMs: duration({ key: 'store.keep', default: '30d', min: '0ms', max: '3650d' }, 'Age of the oldest conversation.'),
  keepFailedMs: duration(
    { key: 'store.keep_failed', default: '90d', min: '0ms', max: '3650d' },
    'Age of the oldest conversation that did not end successfully.',
  ),
}).build((store, sources) => {
  const keep = ['store.keep', store.keepMs] as const;
  expectAtLeast(sources, ['store.keep_failed', store.keepFailedMs], keep, formatDuration);
  return store;
});

const urlExpected = 'a URL such as postgres://assay@db.example:5432/assay';
const storeUrl = z.string(urlExpected).refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return /^postgres(ql)?:$/.test(protocol) && hostname !== '' && pathname.length > 1;
}, urlExpected);

/** A command whose transaction is silent for longer is taken for dead. Instances have `kafka.session_timeout` for this. */
const LEASE_MS = 30_000;

/** Undefined where the store is a file of this machine. */
export const SHARED_STORE = section('start', 'The store that all instances share.', {
  url: setting(
    { key: 'store.url', variable: 'ASSAY_STORE_URL', example: 'postgres://assay@db:5432/assay' },
    'PostgreSQL, with TLS where the URL has ?sslmode=require or a certificate is given.',
    storeUrl,
  ),
  password: secret({ key: 'store.password_file', variable: 'ASSAY_STORE_PASSWORD' }, 'Password.'),
  ...certificates('store'),
}).build(({ url: written, password, ca, cert, key }, sources) => {
  if (written === undefined) return undefined;
  const url = new URL(written);
  const inUrl = url.password === '' ? undefined : decodeURIComponent(url.password);
  if (inUrl !== undefined && sources.originOf('store.url') === 'file') {
    const expected = 'the URL without it, and store.password_file or ASSAY_STORE_PASSWORD';
    sources.mistake('store.url', 'the URL holds a password, and configuration files end up in repositories', expected);
  }
  url.password = '';
  const wantsTls = /^(require|verify-ca|verify-full)$/.test(url.searchParams.get('sslmode') ?? '');
  url.searchParams.delete('sslmode');
  const hasTls = wantsTls || ca !== undefined || cert !== undefined;
  // Without a password in the URL.
  return { url: url.href, password: password ?? inUrl, tls: hasTls ? { ca, cert, key } : undefined, leaseMs: LEASE_MS };
});
export type SharedStoreSettings = NonNullable<SettingsOf<typeof SHARED_STORE>>;
