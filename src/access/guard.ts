/**
 * Answers for every request who sends it, and whether it may do what it is about to do.
 *
 *   a token        known, not expired, and of a role that includes what is asked for: it may, from wherever it comes
 *   a session      of a person who signed in, from our own page (`sessions.ts`)
 *   neither        `loopback`: programs on this machine may do everything; they come through no proxy, call us by a
 *                  loopback name, and no page of another site sent them. `required`: nobody. `open`: everybody may read
 *                  and send; who may write is as on loopback
 *
 * An unknown token is ignored where none is needed: exporters send the headers of other backends, too.
 */
import { Clients } from '../listen/client-address.ts';
import type { Access, AccessGuard, AccessRefusal, Action, Client, KeptToken, RequestHead } from '../model/access.ts';
import type { Caller, Role } from '../model/caller.ts';
import { mayAct, ROLES } from '../model/caller.ts';
import type { AccessEvent } from '../model/events/access-events.ts';
import { Attempts } from './attempts.ts';
import type { AuditLog } from './audit-log.ts';
import { comesFromForeignPage, isAllowedHost, isLoopbackAddress, showsProxy } from './origin.ts';
import { hashOf, isSameHash } from './token.ts';

export type AccessMode = 'loopback' | 'required' | 'open';

export interface GuardParts {
  readonly mode: AccessMode;
  readonly tokens: { find(token: string): KeptToken | undefined };
  /** Undefined where nobody can sign in. */
  readonly sessions: SessionGuard | undefined;
  /** Read for each request, because a reload may change it. */
  readonly http: () => {
    readonly writeToken: string | undefined;
    readonly allowedHosts: readonly string[];
    readonly trustedProxies: readonly string[];
  };
  readonly audit: Pick<AuditLog, 'write' | 'sum' | 'refuse'>;
  readonly onEvent: (event: AccessEvent) => void;
  readonly now: () => number;
}

interface SessionGuard {
  /** The person whose session the request's cookie is, or why it is not let in; undefined where it has no session. */
  callerOf(head: RequestHead): Caller | { readonly refused: 'host' | 'foreign_page' } | undefined;
}

type Refusal = Extract<Access, { allowed: false }>;

const BEARER = /^Bearer +(\S+)$/i;

export class Guard implements AccessGuard {
  readonly #parts: GuardParts;
  readonly #attempts = new Attempts();
  readonly #clients: Clients;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.#clients = new Clients(() => parts.http().trustedProxies);
  }

  clientOf(sent: Pick<RequestHead, 'address' | 'headers'>): Client {
    return this.#clients.of(sent);
  }

  knows(authorization: string): boolean {
    const [, token = ''] = BEARER.exec(authorization) ?? [];
    return this.#parts.tokens.find(token) !== undefined || this.#isWriteToken(token);
  }

  decide(head: RequestHead, action: Action): Access {
    const access = this.#decide(head, action);
    this.#note(head, action, access);
    const maySignIn = !access.allowed && access.status === 401 && this.#parts.sessions !== undefined;
    return maySignIn && head.port === 'http' ? { ...access, maySignIn } : access;
  }

  #decide(head: RequestHead, action: Action): Access {
    if (head.hosts > 1) return refusal(400, 'ambiguous', 'there are two Host headers: send one');
    const [, token] = BEARER.exec(head.headers.authorization ?? '') ?? [];
    if (token !== undefined) {
      const access = this.#withToken(token, head, action);
      if (access !== undefined) return access;
    }
    const person = this.#parts.sessions?.callerOf(head);
    if (person !== undefined) return withSession(person, action);
    return this.#withoutToken(head, action);
  }

  /** Undefined if the token is unknown and none is needed. */
  #withToken(token: string, head: RequestHead, action: Action): Access | undefined {
    const { tokens, now } = this.#parts;
    // The right token is never kept out by wrong ones, whoever sends them from the same address.
    const known = tokens.find(token);
    if (known !== undefined && (known.expiresAt === undefined || known.expiresAt > now())) {
      return allowedBy({ by: 'token', name: `token ${known.name} (${known.id})`, roles: [known.role] }, action);
    }
    if (isWrite(action) && this.#isWriteToken(token)) return allowed('write_token', 'http.write_token');
    if (!this.#isTokenNeeded(action)) return undefined;
    const { group } = this.clientOf(head);
    const wait = this.#attempts.waitSeconds(group, now());
    this.#attempts.failed(group, now());
    if (wait !== undefined) {
      const message = 'too many unknown tokens came from this address: wait, and correct the token';
      return { ...refusal(429, 'attempts', message), retryAfterSeconds: wait };
    }
    return refusal(401, known === undefined ? 'unknown_token' : 'expired_token', needed(action.takes));
  }

  #isWriteToken(token: string): boolean {
    const { writeToken } = this.#parts.http();
    return writeToken !== undefined && isSameHash(hashOf(token), hashOf(writeToken));
  }

  #isTokenNeeded(action: Action): boolean {
    const { mode, http } = this.#parts;
    return mode === 'required' || (isWrite(action) && http().writeToken !== undefined);
  }

  #withoutToken(head: RequestHead, action: Action): Access {
    const { mode, http } = this.#parts;
    const { allowedHosts } = http();
    if (this.#isTokenNeeded(action)) return refusal(401, 'no_token', needed(action.takes));
    const isOpen = mode === 'open' && !isWrite(action);
    if (!isOpen && showsProxy(head)) {
      return refusal(403, 'proxy', `it came through a proxy: ${needed(action.takes)}`);
    }
    if (!isOpen && !isLoopbackAddress(head.address)) {
      return refusal(403, 'not_local', `from another machine ${needed(action.takes)}`);
    }
    // An instance that is open to everybody is reached by names that only the operator knows.
    const isHostKnown = isOpen && allowedHosts.length === 0;
    if (!isHostKnown && !isAllowedHost(head.headers.host, allowedHosts)) {
      return refusal(403, 'host', 'Host must be localhost, a loopback address, or a name of http.allowed_hosts');
    }
    if (comesFromForeignPage(head)) {
      return refusal(403, 'foreign_page', 'pages of other sites may not call this address');
    }
    return isOpen ? allowed('insecure', 'anybody') : allowed('loopback', 'loopback');
  }

  #note(head: RequestHead, { takes, route }: Action, access: Access): void {
    const { audit, onEvent } = this.#parts;
    const { port, method } = head;
    const { address: from } = this.clientOf(head);
    if (!access.allowed) {
      onEvent({ type: 'access-refused', port, reason: access.reason });
      audit.refuse({ what: 'refused', why: access.reason, from, port, method, route, role: takes });
      return;
    }
    const { by, name: who } = access.caller;
    onEvent({ type: 'access-allowed', port, role: takes, by });
    const line = { what: 'allowed', who, from, port, method, route, role: takes };
    if (takes === 'review' || takes === 'admin') audit.write(line);
    else audit.sum(line);
  }
}

function isWrite({ takes }: Action): boolean {
  return takes === 'review' || takes === 'admin';
}

function withSession(person: Caller | { readonly refused: 'host' | 'foreign_page' }, action: Action): Access {
  if (!('refused' in person)) return allowedBy(person, action);
  return person.refused === 'host'
    ? refusal(403, 'host', 'Host must be the name under which people sign in, or a name of http.allowed_hosts')
    : refusal(403, 'foreign_page', 'pages of other sites may not use this session');
}

function allowedBy(caller: Caller, { takes, orTakes }: Action): Access {
  if (mayAct(caller.roles, takes) || (orTakes !== undefined && mayAct(caller.roles, orTakes)))
    return { allowed: true, caller };
  const what = caller.by === 'session' ? 'you have' : 'this token has';
  return refusal(403, 'role', `${what} the role ${caller.roles.join(', ')}, and ${takes} is needed`);
}

function allowed(by: 'write_token' | 'loopback' | 'insecure', name: string): Access {
  const roles: readonly Role[] = by === 'insecure' ? ['ingest', 'read'] : ROLES;
  return { allowed: true, caller: { by, name, roles } };
}

function refusal(status: Refusal['status'], reason: AccessRefusal, message: string): Refusal {
  return { allowed: false, status, reason, message };
}

function needed(role: Role): string {
  return `a token with the role ${role} is needed: Authorization: Bearer <token>`;
}
