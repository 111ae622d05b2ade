/**
 * Roles, and the question that every port asks before it does anything: who is this, and may they do it? `src/access` answers it; the
 * ports know only this.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, type Role, ROLES } from './caller.ts';
import type { LISTENERS } from './events/receive-events.ts';

export type AccessPort = (typeof LISTENERS)[number];

export const ACCESS_REFUSALS = [
  /** The request has no credentials. */
  'no_token',
  'unknown_token',
  'expired_token',
  /** Known, but not for this. */
  'role',
  /** Too many unknown tokens from one address. */
  'attempts',
  /** Came through a proxy, so that nobody knows from where. */
  'proxy',
  /** `Host` is neither a loopback name nor an allowed one. */
  'host',
  /** A page of another site sent it, through somebody's browser. */
  'foreign_page',
  /** Comes from another machine, and without a token only this one may. */
  'not_local',
  /** Two `Host` headers, of which each side may take another one. */
  'ambiguous',
] as const;
export type AccessRefusal = (typeof ACCESS_REFUSALS)[number];

/** Parts of a request that tell who sends it. */
export interface RequestHead {
  readonly port: AccessPort;
  readonly method: string;
  /** Address of the other end of the connection. */
  readonly address: string | undefined;
  /** `1.0` is spoken by proxies that name nobody. */
  readonly httpVersion: string;
  /** Headers; `:authority` of HTTP/2 is `host`. */
  readonly headers: IncomingHttpHeaders;
  /** Number of `Host` headers. */
  readonly hosts: number;
}

/** The sender of a request, as far as addresses say it (`listen/client-address.ts`). */
export interface Client {
  readonly address: string | undefined;
  /** Limits are shared by it: the address, or the /64 network of IPv6. */
  readonly group: string;
  /** A trusted proxy names it. Otherwise many clients may be behind the address. */
  readonly isNamed: boolean;
}

/** Action that a request is about to do. */
export interface Action {
  readonly takes: Role;
  readonly orTakes?: Role | undefined;
  /** Route as registered, with names of parameters in place of their values. */
  readonly route: string;
}

export interface RefusedAccess {
  readonly allowed: false;
  readonly status: 400 | 401 | 403 | 429;
  readonly reason: AccessRefusal;
  /** Message for the client; it reveals no more than the client must know. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** A person could sign in instead. */
  readonly maySignIn?: true;
}

export type Access = { readonly allowed: true; readonly caller: Caller } | RefusedAccess;

/** Answers at once, from what is in memory: it is asked for every request. */
export interface AccessGuard {
  decide(head: RequestHead, action: Action): Access;
  /** The client that sends it, for limits that clients share. It says nothing of what they may do. */
  clientOf(sent: Pick<RequestHead, 'address' | 'headers'>): Client;
  /** Whether it has the token of an `Authorization` header, whatever that may do. */
  knows(authorization: string): boolean;
}

/** A token as it is kept: what it is, and not the token itself. */
export interface KeptToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Hash of the whole token, in hex. */
  readonly sha256: string;
  readonly createdAt: number | undefined;
  /** Undefined: it does not expire. */
  readonly expiresAt: number | undefined;
}

/** Store of tokens: a file of this machine, or the store that instances share. */
export interface TokenStore {
  list(): Promise<readonly KeptToken[]>;
  /** `by` is the person who does it. False where there is one of that name. */
  add(token: KeptToken, by: string): Promise<boolean>;
  /** Revokes a token by its name or id. Undefined if there is none. */
  revoke(nameOrId: string, by: string): Promise<KeptToken | undefined>;
}

/**
 * Ended sessions and when they were ended: `session:<id>`, `person:<subject>` for all sessions of a person, `all`. Sessions that began
 * before that are over.
 */
export type EndedSessions = ReadonlyMap<string, number>;

/** Everything that instances share about people's sessions. Their contents are in the browsers. */
export interface SessionStore {
  /** Secret that seals sessions; created if there is none. */
  secret(): Promise<string>;
  ended(): Promise<EndedSessions>;
  /** Entries older than `forgetBefore` are removed, because no session is as old. */
  end(what: string, times: { readonly at: number; readonly forgetBefore: number }): Promise<void>;
}

/** Guard of a receiver that a command opens briefly, on this machine and a random port, for one agent. */
export const OPEN_TO_ALL: AccessGuard = {
  decide: () => ({ allowed: true, caller: { by: 'loopback', name: 'loopback', roles: ROLES } }),
  clientOf: ({ address }) => ({ address, group: address ?? '', isNamed: false }),
  knows: () => false,
};
