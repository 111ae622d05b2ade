/**
 * Signing in by OpenID Connect: the authorization code flow with PKCE.
 *
 *   /auth/login      makes state, nonce and verifier, seals them into a cookie of ten minutes, and sends the browser to
 *                    the identity provider
 *   /auth/callback   takes the cookie away, gets the tokens for the code, checks the ID token, and begins a session with
 *                    the roles that the configuration gives for the person's claim
 *
 * States of a sign-in, and what a callback does there:
 *   none         no cookie of ours, or one that is too old: 400. It costs nothing, and counts against nobody
 *   begun        with the wrong state: 400, and the cookie stays, because another page may have sent the browser here.
 *                With the right one: used, before the provider is asked
 *   used         400. The provider does not take a code twice either, so the oldest used states may be forgotten
 *
 * So a failure costs whoever fails a sign-in of his own. Failures of a client that a trusted proxy names are limited as
 * well; those of other addresses are not, because everybody may be behind one.
 *
 * The provider is asked for its addresses when the first person signs in, and again after a day. While it is away,
 * signing in is answered with 503; tokens and sessions are not touched by that.
 */
import * as oidc from 'openid-client';
import { z } from 'zod';
import type { AccessGuard, Client, RequestHead } from '../model/access.ts';
import { nameOfPerson, type Role } from '../model/caller.ts';
import type { AccessEvent, SignInResult } from '../model/events/access-events.ts';
import { Attempts } from './attempts.ts';
import type { AuditLog } from './audit-log.ts';
import { clearCookie, type CookieKind, cookieKind, readCookie, setCookie } from './cookies.ts';
import { ownPath } from './own-path.ts';
import { seal, unseal } from './sealed.ts';
import type { Person, Sessions } from './sessions.ts';

interface Provider {
  readonly issuer: URL;
  readonly clientId: string;
  /** Undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
  readonly redirectUrl: URL;
  readonly scopes: readonly string[];
  /** Claim of the ID token, else of the user information; `realm_access.roles` is a claim within a claim. */
  readonly rolesClaim: string;
  /** Roles by value of the claim; `*` is for everybody who can sign in. */
  readonly roles: Readonly<Record<string, Role>>;
}

interface SignInParts {
  readonly provider: Provider;
  readonly sessions: Sessions;
  readonly audit: Pick<AuditLog, 'write' | 'refuse'>;
  readonly clientOf: AccessGuard['clientOf'];
  readonly onEvent: (event: AccessEvent) => void;
  readonly now: () => number;
}

interface Redirect {
  readonly to: string;
  readonly cookies: readonly string[];
}

interface RefusedSignIn {
  readonly status: 400 | 403 | 429 | 503;
  readonly problem: string;
  readonly retryAfterSeconds?: number;
  readonly cookies: readonly string[];
}

type SignedIn = Redirect | RefusedSignIn;

const PENDING_MS = 600_000;
const DISCOVERED_MS = 86_400_000;
const RETRY_MS = 5_000;
const TIMEOUT_SECONDS = 10;
const USED_MAX = 10_000;
/** Codes for which the provider is asked at once: a limit for it and for memory. */
const EXCHANGES_MAX = 64;
const TEXT_MAX = 200;

const pendingSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  until: z.number(),
});
type Pending = z.infer<typeof pendingSchema>;

export class SignIn {
  readonly #parts: SignInParts;
  readonly #cookie: CookieKind;
  readonly #attempts = new Attempts();
  /** States that came back, until their cookie is too old anyway. */
  readonly #used = new Map<string, number>();
  #discovered: { readonly config: Promise<oidc.Configuration>; readonly until: number } | undefined;
  #retryAt = 0;
  #exchanges = 0;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.#cookie = cookieKind('assay-sign-in', { isSecure: parts.sessions.isSecure });
  }

  async begin(returnTo: string | undefined): Promise<SignedIn> {
    const { provider, sessions, now } = this.#parts;
    const { key } = sessions;
    const config = await this.#config();
    if (config === undefined || key === undefined) return this.#unavailable([]);
    const pending: Pending = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      returnTo: ownPath(returnTo),
      until: now() + PENDING_MS,
    };
    const to = oidc.buildAuthorizationUrl(config, {
      redirect_uri: provider.redirectUrl.href,
      scope: provider.scopes.join(' '),
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    return { to: to.href, cookies: [setCookie(this.#cookie, seal(key, 'sign-in', pending), PENDING_MS / 1000)] };
  }

  /** `query` is what the provider sent the browser back with. */
  async finish(query: URLSearchParams, head: RequestHead): Promise<SignedIn> {
    const { sessions, now, clientOf } = this.#parts;
    const cookies = [clearCookie(this.#cookie)];
    const { key } = sessions;
    if (key === undefined) return this.#unavailable(cookies);
    const client = clientOf(head);
    const from = client.address;
    const pending = pendingSchema.safeParse(
      unseal(key, 'sign-in', readCookie(this.#cookie, head.headers.cookie) ?? ''),
    ).data;
    if (pending === undefined || pending.until <= now()) {
      return this.#refused(from, 'begun elsewhere, or too long ago', cookies);
    }
    if (query.get('state') !== pending.state) return this.#refused(from, 'with the state of another sign-in', []);
    const wait = client.isNamed ? this.#attempts.waitSeconds(client.group, now()) : undefined;
    if (wait !== undefined) {
      const problem = 'too many sign-ins of this address failed: wait, and try again';
      return { status: 429, problem, retryAfterSeconds: wait, cookies: [] };
    }
    if (this.#exchanges >= EXCHANGES_MAX) return this.#unavailable([]);
    if (!this.#takeState(pending)) return this.#refused(from, 'used before', cookies);
    let person: Person;
    this.#exchanges += 1;
    try {
      const config = await this.#config();
      if (config === undefined) return this.#unavailable(cookies);
      person = await this.#personFrom(config, query, pending);
    } catch (error) {
      if (isAway(error)) return this.#unavailable(cookies);
      this.#failed(client);
      return this.#refused(from, error instanceof Error ? error.message : String(error), cookies);
    } finally {
      this.#exchanges -= 1;
    }
    const who = nameOfPerson(person);
    if (person.roles.length === 0) {
      this.#count('no_role');
      this.#parts.audit.write({ what: 'sign-in-refused', who, from, why: 'no_role' });
      return { status: 403, problem: 'you are known, and have no role here: ask for one', cookies };
    }
    this.#count('ok');
    this.#parts.audit.write({ what: 'signed-in', who, from, role: person.roles.join(' ') });
    return { to: pending.returnTo, cookies: [...cookies, sessions.begin(person, key)] };
  }

  /** Whether it comes back for the first time. */
  #takeState({ state, until }: Pending): boolean {
    if (this.#used.has(state)) return false;
    this.#used.set(state, until);
    const now = this.#parts.now();
    for (const [used, then] of this.#used) {
      if (then > now && this.#used.size <= USED_MAX) break;
      this.#used.delete(used);
    }
    return true;
  }

  #failed({ group, isNamed }: Client): void {
    if (isNamed) this.#attempts.failed(group, this.#parts.now());
  }

  async #personFrom(config: oidc.Configuration, query: URLSearchParams, pending: Pending): Promise<Person> {
    const { provider } = this.#parts;
    // Not the address by which we were called, which is what a proxy or the client made of it.
    const url = new URL(provider.redirectUrl);
    url.search = query.toString();
    const tokens = await oidc.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: pending.verifier,
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the identity provider sent no ID token');
    const values = claimIn(claims, provider.rolesClaim);
    const isElsewhere = values === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
    const info = isElsewhere ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
    const roles = rolesOf(values ?? claimIn(info, provider.rolesClaim), provider.roles);
    const said: { readonly [claim: string]: unknown } = { ...info, ...claims };
    const names = [said.preferred_username, said.email, said.name, claims.sub];
    const name = names.find((one) => typeof one === 'string' && one !== '');
    return { subject: claims.sub.slice(0, TEXT_MAX), name: String(name).slice(0, TEXT_MAX), roles };
  }

  /** Undefined while the provider is away. */
  async #config(): Promise<oidc.Configuration | undefined> {
    const now = this.#parts.now();
    if (this.#discovered === undefined || this.#discovered.until <= now) {
      if (now < this.#retryAt) return undefined;
      this.#discovered = { config: this.#discover(), until: now + DISCOVERED_MS };
    }
    try {
      return await this.#discovered.config;
    } catch (error) {
      this.#discovered = undefined;
      this.#retryAt = this.#parts.now() + RETRY_MS;
      this.#parts.onEvent({ type: 'identity-provider-away', problem: describe(error) });
      return undefined;
    }
  }

  #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.#parts.provider;
    const authentication = clientSecret === undefined ? oidc.None() : undefined;
    // Settings allow http on this machine only.
    const execute = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
    return oidc.discovery(issuer, clientId, clientSecret, authentication, { execute, timeout: TIMEOUT_SECONDS });
  }

  #unavailable(cookies: readonly string[]): RefusedSignIn {
    this.#count('unavailable');
    const problem =
      'nobody can sign in now, because the identity provider does not answer; tokens and sessions are as before';
    return { status: 503, problem, retryAfterSeconds: RETRY_MS / 1000, cookies };
  }

  #refused(from: string | undefined, why: string, cookies: readonly string[]): RefusedSignIn {
    this.#count('refused');
    this.#parts.audit.refuse({ what: 'sign-in-refused', from, why });
    return { status: 400, problem: 'this sign-in cannot be finished: begin again at /auth/login', cookies };
  }

  #count(result: SignInResult): void {
    this.#parts.onEvent({ type: 'sign-in', result });
  }
}

/** A name with dots is a claim of that name, or else a claim within claims. */
function claimIn(claims: object, name: string): unknown {
  const own = (value: unknown, member: string): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, member)
      ? Object.getOwnPropertyDescriptor(value, member)?.value
      : undefined;
  return own(claims, name) ?? name.split('.').reduce<unknown>(own, claims);
}

function rolesOf(claimed: unknown, roles: Readonly<Record<string, Role>>): readonly Role[] {
  const values = typeof claimed === 'string' ? claimed.split(/[\s,]+/) : Array.isArray(claimed) ? claimed : [];
  const given = ['*', ...values].flatMap((value) =>
    typeof value === 'string' && Object.hasOwn(roles, value) ? (roles[value] ?? []) : [],
  );
  return [...new Set(given)];
}

/** True if the failure is about the connection or the provider, not about the person. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500;
  const { cause } = error;
  const status = cause instanceof Response ? cause.status : 0;
  const isUnreached = error.name === 'TimeoutError' || error.name === 'AbortError' || error.message === 'fetch failed';
  return status >= 500 || isUnreached || (cause instanceof Error && isAway(cause));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== error.message
    ? `${error.message}: ${describe(cause)}`
    : error.message;
}
