/** A real OpenID provider on this machine, whose people sign in without a page. */
import { createServer, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';
import { whenDone } from '../for-file.ts';

export interface IdentityProvider {
  readonly issuer: string;
  readonly clientSecret: string;
  /** The person who signs in next, with these roles. */
  person: { readonly subject: string; readonly roles: readonly string[] };
  /** Answers nothing any more. */
  stop(): Promise<void>;
}

interface Wanted {
  readonly redirectUrl: string;
  /** Claims are in the ID token, and not only in the user information. */
  readonly inIdToken?: boolean;
}

const CLIENT_SECRET = 'the-secret-of-the-client-at-the-provider';

export async function startIdentityProvider({ redirectUrl, inIdToken = false }: Wanted): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // The cast holds: it listens on a port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let person: IdentityProvider['person'] = { subject: 'ana', roles: [] };
  const configuration: Configuration = {
    clients: [{ client_id: 'assay', client_secret: CLIENT_SECRET, redirect_uris: [redirectUrl] }],
    claims: { openid: ['sub'], profile: ['preferred_username', 'roles'] },
    conformIdTokenClaims: !inIdToken,
    cookies: { keys: ['a key of the test'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, subject) => {
      const { roles } = person;
      return {
        accountId: subject,
        claims: async () => ({ sub: subject, preferred_username: `${subject}@example.com`, roles }),
      };
    },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  };
  const provider = new Provider(issuer, configuration);
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response);
    void provider.interactionFinished(request, response, { login: { accountId: person.subject } });
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  whenDone(stop);
  return {
    issuer,
    clientSecret: CLIENT_SECRET,
    get person() {
      return person;
    },
    set person(next) {
      person = next;
    },
    stop,
  };
}

/** A browser that keeps cookies by origin, and can be told not to follow where it is sent. */
export class Browser {
  readonly cookies = new Map<string, Map<string, string>>();
  /** Authorities that it trusts over https. */
  readonly #ca: string | undefined;

  constructor({ ca }: { readonly ca?: string } = {}) {
    this.#ca = ca;
  }

  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send('GET', url, headers);
  }

  async send(method: string, url: string, headers: Record<string, string> = {}, body?: string): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = { ...(cookie === '' ? {} : { cookie }), ...headers };
    const response = await requested({ method, url, headers: all, body, ca: this.#ca });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0/i.test(set) || pair.endsWith('=')) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Follows where it is sent, until an address begins as `until` says; that address. */
  async follow(url: string, until: string): Promise<string> {
    for (let at = url, hops = 0; hops < 10; hops++) {
      const response = await this.get(at);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${at} answered ${response.status}: ${await response.text()}`);
      at = new URL(location, at).href;
      if (at.startsWith(until)) return at;
    }
    throw new Error(`${url} leads nowhere`);
  }
}

interface Wish {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly ca: string | undefined;
}

/** Not fetch, which says by itself from which page it comes. */
function requested({ method, url, headers, body, ca }: Wish): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  // An agent would keep the connection, and the service that stops with the test would wait for it.
  const request = send(url, { method, headers, ca, agent: false }, (answer) => {
    const parts: Buffer[] = [];
    answer.on('data', (part: Buffer) => parts.push(part));
    answer.on('end', () => {
      const given = new Headers();
      for (let at = 0; at < answer.rawHeaders.length; at += 2)
        given.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
      resolve(new Response(Buffer.concat(parts), { status: answer.statusCode ?? 0, headers: given }));
    });
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}
