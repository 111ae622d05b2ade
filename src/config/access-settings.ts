/** Settings of access: when a token is asked for, where tokens are, and how people sign in. */
import path from 'node:path';
import { z } from 'zod';
import { ROLES } from '../model/caller.ts';
import { secret } from './secrets.ts';
import { section } from './section.ts';
import { duration, setting, size, text, type ValuesOf, yesOrNo } from './setting.ts';
import type { Sources } from './sources.ts';
import { isWebAddress } from '../model/web-address.ts';

const SECRET_LENGTH_MIN = 32;
const CALLBACK = '/auth/callback';
const issuerExpected = 'an address that begins with https://, or with http:// on this machine';
const redirectExpected = `the address of this Assay for browsers, with ${CALLBACK}: https://assay.example.com${CALLBACK}`;
const rolesExpected = `a mapping of values of the claim to ${ROLES.join(', ')}`;
const scopesExpected = 'a list of scopes that has openid';

const OIDC = {
  issuer: setting(
    { key: 'access.oidc.issuer', example: 'https://id.example.com/realms/staff' },
    'Identity provider by which people sign in; nobody does unless given.',
    z.string(issuerExpected).refine(isSafeUrl, issuerExpected),
  ),
  clientId: text({ key: 'access.oidc.client_id', example: 'assay' }, 'Name of Assay at the identity provider.'),
  clientSecret: secret(
    { key: 'access.oidc.client_secret_file', variable: 'ASSAY_OIDC_CLIENT_SECRET' },
    'Secret of Assay there; none for a public client.',
  ),
  redirectUrl: setting(
    { key: 'access.oidc.redirect_url', example: `https://assay.example.com${CALLBACK}` },
    'Address to which the identity provider sends people back; it must be known there.',
    z
      .string(redirectExpected)
      .refine(
        (url) => isWebAddress(url) && new URL(url).pathname === CALLBACK && new URL(url).search === '',
        redirectExpected,
      ),
  ),
  scopes: setting(
    { key: 'access.oidc.scopes', default: ['openid', 'profile', 'email'], rare: true },
    'Scopes that are asked for.',
    z.array(z.string(scopesExpected), scopesExpected).refine((scopes) => scopes.includes('openid'), scopesExpected),
  ),
  rolesClaim: text(
    { key: 'access.oidc.roles_claim', default: 'roles', rare: true },
    "Claim that has people's roles or groups; dots lead into it, as in realm_access.roles.",
  ),
  roles: setting(
    { key: 'access.oidc.roles', example: { 'assay-admins': 'admin', staff: 'read' } },
    "Assay's roles by values of that claim; '*' is everybody who can sign in.",
    z.record(z.string(), z.enum(ROLES, `one of ${ROLES.join(', ')}`), rolesExpected),
  ),
};

export const ACCESS = section('start', 'Tokens and sign-in (security.md).', {
  required: yesOrNo(
    { key: 'access.required', variable: 'ASSAY_ACCESS_REQUIRED', default: false, rare: true },
    'Whether a token is asked for on a loopback address as well; always set it behind a proxy.',
  ),
  insecureNoAuth: yesOrNo(
    {
      key: 'access.insecure_no_auth',
      variable: 'ASSAY_INSECURE_NO_AUTH',
      flag: '--insecure-no-auth',
      default: false,
      rare: true,
    },
    'Whether everybody who reaches the address may read and send without a token.',
  ),
  tokensFile: text(
    {
      key: 'access.tokens_file',
      variable: 'ASSAY_ACCESS_TOKENS_FILE',
      example: '/run/secrets/tokens.json',
      rare: true,
    },
    'File of tokens besides those of the store, as `assay token create --file` writes it; read again when it changes.',
  ),
  auditBytes: size(
    { key: 'access.audit_bytes', default: '64MiB', min: '1MiB', max: '100GiB', rare: true },
    'Size of the audit log; beyond it the oldest lines go.',
  ),
  sessionLifetimeMs: duration(
    { key: 'access.session_lifetime', default: '12h', min: '1m', max: '30d', rare: true },
    'Age at which people have to sign in again.',
  ),
  sessionKey: secret(
    { key: 'access.session_key_file', variable: 'ASSAY_SESSION_KEY', rare: true },
    'Secret that seals sessions, the same for all instances; created in the store or the data folder unless given.',
  ),
  oidc: OIDC,
}).build(({ sessionKey, oidc, ...values }, sources) => {
  const people = oidcOf(oidc, sources);
  if (values.insecureNoAuth && (values.required || people !== undefined)) {
    const other = people === undefined ? 'access.required' : 'access.oidc';
    sources.mistake('access.insecure_no_auth', `everybody may come, and ${other} asks who it is`, 'one of the two');
  }
  if (sessionKey !== undefined && sessionKey.length < SECRET_LENGTH_MIN) {
    sources.mistake('access.session_key_file', 'the key is short', `at least ${SECRET_LENGTH_MIN} characters`);
  }
  const { baseDir, cwd } = sources.places;
  const base = sources.originOf('access.tokens_file') === 'file' ? baseDir : cwd;
  const tokensFile = values.tokensFile === undefined ? undefined : path.resolve(base, values.tokensFile);
  return { ...values, tokensFile, sessionKey, oidc: people };
});

/** Undefined where nobody signs in. */
function oidcOf({ issuer, clientId, redirectUrl, roles, ...others }: ValuesOf<typeof OIDC>, sources: Sources) {
  if (issuer === undefined) return undefined;
  const missing = Object.entries({ client_id: clientId, redirect_url: redirectUrl }).find(
    ([, value]) => value === undefined,
  );
  if (clientId === undefined || redirectUrl === undefined) {
    sources.mistake(`access.oidc.${missing?.[0]}`, 'an issuer is named, and this is missing', 'both, or no issuer');
    return undefined;
  }
  if (roles === undefined || Object.keys(roles).length === 0) {
    sources.mistake('access.oidc.roles', 'nobody who signs in would have a role', rolesExpected);
    return undefined;
  }
  return { ...others, issuer, clientId, redirectUrl, roles };
}

function isSafeUrl(url: string): boolean {
  if (!isWebAddress(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
