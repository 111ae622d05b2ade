/** Guards for tests: with tokens that are given, and what they noted. */
import type { AuditLine } from '../../src/access/audit-log.ts';
import { type AccessMode, Guard, type GuardParts } from '../../src/access/guard.ts';
import { hashOf } from '../../src/access/token.ts';
import type { KeptToken, RequestHead } from '../../src/model/access.ts';
import type { Role } from '../../src/model/caller.ts';
import type { AccessEvent } from '../../src/model/events/access-events.ts';

export interface GuardWanted {
  readonly mode?: AccessMode;
  readonly tokens?: Readonly<Record<string, Role>>;
  readonly expiresAt?: number;
  readonly writeToken?: string | undefined;
  readonly allowedHosts?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly sessions?: GuardParts['sessions'];
}

/** The noted lines have how they were noted: each by itself, summed, or as a refusal. */
export function guardFor({
  mode = 'loopback',
  tokens = {},
  expiresAt,
  writeToken,
  allowedHosts = [],
  trustedProxies = [],
  sessions,
}: GuardWanted) {
  const kept = Object.entries(tokens).map(
    ([token, role]): KeptToken => ({
      id: `id-of-${role}`,
      name: role,
      role,
      sha256: hashOf(token),
      createdAt: 0,
      expiresAt,
    }),
  );
  const events: AccessEvent[] = [];
  const lines: (AuditLine & { readonly noted: string })[] = [];
  const clock = { now: 1_000_000 };
  const note = (noted: string) => (line: AuditLine) => void lines.push({ ...line, noted });
  const guard = new Guard({
    mode,
    tokens: { find: (token) => kept.find(({ sha256 }) => sha256 === hashOf(token)) },
    sessions,
    http: () => ({ writeToken, allowedHosts, trustedProxies }),
    audit: { write: note('line'), sum: note('sum'), refuse: note('refusal') },
    onEvent: (event) => events.push(event),
    now: () => clock.now,
  });
  return { guard, events, lines, clock };
}

export function head(given: Partial<RequestHead> = {}): RequestHead {
  const { headers, ...others } = given;
  return {
    port: 'http',
    method: 'GET',
    address: '127.0.0.1',
    httpVersion: '1.1',
    hosts: 1,
    headers: { host: 'localhost:4319', ...headers },
    ...others,
  };
}

export function bearing(token: string, given: Partial<RequestHead> = {}): RequestHead {
  return head({ ...given, headers: { ...given.headers, authorization: `Bearer ${token}` } });
}
