/**
 * Sessions of people who signed in. The browser's cookie has the whole session, sealed, so that every instance with the
 * same key knows it. The store only has the key and the ended sessions. A session ends at its age, when the person
 * signs out, or when an operator ends it, which other instances know within a few seconds.
 *
 * A browser sends its cookie with what pages of others make it send, too. So a session counts only for requests that
 * name us by a name of ours and come from no other page; those that write must say from which page they come.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EndedSessions, RequestHead, SessionStore } from '../model/access.ts';
import type { Caller, Role } from '../model/caller.ts';
import { nameOfPerson, ROLES } from '../model/caller.ts';
import { clearCookie, type CookieKind, cookieKind, readCookie, setCookie } from './cookies.ts';
import { isAllowedHost, isFollowedLink } from './origin.ts';
import { seal, sealingKey, unseal } from './sealed.ts';

export interface Person {
  /** Id of the person, as the identity provider has it. */
  readonly subject: string;
  /** For people to read. */
  readonly name: string;
  readonly roles: readonly Role[];
}

interface SessionOptions {
  /** Address to which the provider sends people back after signing in: its origin is ours. */
  readonly redirectUrl: URL;
  readonly lifetimeMs: number;
  /** Undefined: the store's. */
  readonly secret: string | undefined;
  readonly store: SessionStore;
  readonly allowedHosts: () => readonly string[];
  readonly onProblem: (problem: string) => void;
  readonly now: () => number;
}

const REFRESH_MS = 3_000;

const sessionSchema = z.object({
  id: z.string(),
  subject: z.string(),
  name: z.string(),
  roles: z.array(z.enum(ROLES)),
  from: z.number(),
  until: z.number(),
});
type Session = z.infer<typeof sessionSchema>;

type Found = Caller | { readonly refused: 'host' | 'foreign_page' };

export class Sessions {
  readonly #options: SessionOptions;
  readonly #cookie: CookieKind;
  #key: Buffer | undefined;
  #ended: EndedSessions = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#cookie = cookieKind('assay', { isSecure: options.redirectUrl.protocol === 'https:' });
  }

  async start(): Promise<void> {
    await this.#refresh();
    let isReading = false;
    this.#timer = setInterval(() => {
      if (isReading) return;
      isReading = true;
      void this.#refresh().finally(() => {
        isReading = false;
      });
    }, REFRESH_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Undefined while the key is not known, because the store is away. */
  get key(): Buffer | undefined {
    return this.#key;
  }

  get isSecure(): boolean {
    return this.#cookie.isSecure;
  }

  /** The cookie of a new session. */
  begin(person: Person, key: Buffer): string {
    const { lifetimeMs, now } = this.#options;
    const from = now();
    const session: Session = { ...person, roles: [...person.roles], id: randomUUID(), from, until: from + lifetimeMs };
    return setCookie(this.#cookie, seal(key, 'session', session), lifetimeMs / 1000);
  }

  callerOf(head: RequestHead): Found | undefined {
    const session = this.#sessionOf(head);
    if (session === undefined) return undefined;
    const refused = this.#refusedFor(head);
    if (refused !== undefined) return { refused };
    return { by: 'session', name: nameOfPerson(session), roles: session.roles };
  }

  /** Ends the session of the request. The cookie that takes its place, or why not. */
  async end(
    head: RequestHead,
  ): Promise<{ readonly cookie: string; readonly name: string | undefined } | { readonly refused: string }> {
    const session = this.#sessionOf(head);
    const refused = session === undefined ? undefined : this.#refusedFor(head);
    if (refused !== undefined) return { refused };
    if (session !== undefined) {
      const { store, lifetimeMs, now } = this.#options;
      const at = now();
      const what = `session:${session.id}`;
      this.#ended = new Map([...this.#ended, [what, at]]);
      await store.end(what, { at, forgetBefore: at - lifetimeMs });
    }
    return { cookie: clearCookie(this.#cookie), name: session?.name };
  }

  #sessionOf({ headers }: RequestHead): Session | undefined {
    const sealed = readCookie(this.#cookie, headers.cookie);
    if (sealed === undefined || this.#key === undefined) return undefined;
    const session = sessionSchema.safeParse(unseal(this.#key, 'session', sealed)).data;
    if (session === undefined || session.until <= this.#options.now()) return undefined;
    const ends = ['all', `person:${session.subject}`, `session:${session.id}`];
    return ends.some((what) => (this.#ended.get(what) ?? -1) >= session.from) ? undefined : session;
  }

  #refusedFor(head: RequestHead): 'host' | 'foreign_page' | undefined {
    const { redirectUrl, allowedHosts } = this.#options;
    const hosts = [redirectUrl.host, ...allowedHosts()];
    const { host, origin, 'sec-fetch-site': site } = head.headers;
    if (!isAllowedHost(host, hosts)) return 'host';
    if (origin !== undefined && !this.#isOwnOrigin(origin, host)) return 'foreign_page';
    if (head.method !== 'GET' && head.method !== 'HEAD') {
      return site === 'same-origin' || (site === undefined && origin !== undefined) ? undefined : 'foreign_page';
    }
    return site === undefined || site === 'same-origin' || site === 'none' || isFollowedLink(head)
      ? undefined
      : 'foreign_page';
  }

  /**
   * Accepts the page that people signed in from, or one by the name and the port that the request names, with the scheme
   * of the former. Pages sent in the clear may be anybody's, and so may another port of this machine.
   */
  #isOwnOrigin(origin: string, host: string | undefined): boolean {
    const { redirectUrl } = this.#options;
    return [redirectUrl.origin, URL.parse(`${redirectUrl.protocol}//${host}`)?.origin].includes(origin);
  }

  /** Never rejects. */
  async #refresh(): Promise<void> {
    const { store, secret, onProblem } = this.#options;
    try {
      this.#key ??= sealingKey(secret ?? (await store.secret()));
      const ended = await store.ended();
      // Sessions that were ended here may not be in the store yet.
      const oldest = this.#options.now() - this.#options.lifetimeMs;
      this.#ended = new Map([...this.#ended, ...ended].filter(([, at]) => at >= oldest));
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  }
}
