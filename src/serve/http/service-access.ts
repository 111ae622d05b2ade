/**
 * Access of the running service: its tokens, the guard that all ports ask, and the audit log. It refuses to start where
 * nobody could be let in, or everybody would be.
 */
import { AuditLog } from '../../access/audit-log.ts';
import { type AccessMode, Guard } from '../../access/guard.ts';
import { isLoopbackListener } from '../../access/origin.ts';
import { SessionFile } from '../../access/session-file.ts';
import { Sessions } from '../../access/sessions.ts';
import { TokenFile } from '../../access/token-file.ts';
import { fileSource, storeSource, TokenList, type TokenSource } from '../../access/token-list.ts';
import type { Settings } from '../../config/settings.ts';
import type { AccessGuard, KeptToken, SessionStore, TokenStore } from '../../model/access.ts';
import type { AnyEvent } from '../../model/events/any-event.ts';
import type { People } from '../api/people-api.ts';
import { accessFilesIn } from '../store-place/data-directory.ts';
import type { RunningConfig } from '../running/running-config.ts';

export interface ServiceAccess {
  readonly guard: AccessGuard;
  /** Undefined where nobody can sign in. */
  readonly people: People | undefined;
  readonly audit: Pick<AuditLog, 'write'>;
  stop(): Promise<void>;
}

/** The service would be open to everybody, without a setting that allows it. */
export class NoTokens extends Error {}

/** A token that was created or revoked is known to be after so long. */
const FILE_EVERY_MS = 1_000;
const STORE_EVERY_MS = 3_000;
const REPEATED_EVERY_MS = 3_600_000;

export async function openAccess(
  settings: Settings,
  { config, events }: { readonly config: RunningConfig; readonly events: { report(event: AnyEvent): void } },
): Promise<ServiceAccess> {
  const mode = accessModeOf(settings);
  const onEvent = (event: AnyEvent) => events.report(event);
  const { auditFile } = accessFilesIn(settings.dataDir);
  const audit = new AuditLog({ file: auditFile, maxBytes: settings.access.auditBytes, onEvent });
  const { tokens: kept, sessions: store, close } = await accessStoreOf(settings);
  const http = () => config.settings.http;
  const sessions = sessionsOf(settings, { store, allowedHosts: () => http().allowedHosts, onEvent });
  const tokens = new TokenList(sourcesOf(settings, kept), {
    event: onEvent,
    change: ({ added, removed }) => {
      for (const token of added) audit.write({ what: 'token-added', who: nameOf(token), role: token.role });
      for (const token of removed) audit.write({ what: 'token-revoked', who: nameOf(token), role: token.role });
    },
  });
  const repeated = mode === 'open' ? repeatOpen(settings.host, onEvent) : undefined;
  const stop = async () => {
    clearInterval(repeated);
    tokens.stop();
    sessions?.stop();
    await audit.stop();
    await close();
  };
  try {
    await tokens.start();
    await sessions?.start();
    refuseWithoutTokens(settings, mode, tokens);
  } catch (error) {
    await stop();
    throw error;
  }
  const guard = new Guard({ mode, tokens, sessions, http, audit, onEvent, now: Date.now });
  return { guard, people: await peopleOf(settings, { sessions, audit, guard, onEvent }), audit, stop };
}

/** `open` only where somebody said so. */
export function accessModeOf({ host, access }: Pick<Settings, 'host' | 'access'>): AccessMode {
  if (access.insecureNoAuth) return 'open';
  return access.required || access.oidc !== undefined || !isLoopbackListener(host) ? 'required' : 'loopback';
}

/** Store of tokens and sessions: the one that instances share, else files in the data folder. */
export async function accessStoreOf({
  sharedStore,
  dataDir,
  instance,
}: Pick<Settings, 'sharedStore' | 'dataDir' | 'instance'>): Promise<{
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  close(): Promise<void>;
}> {
  if (sharedStore === undefined) {
    const { folder, tokensFile } = accessFilesIn(dataDir);
    return { tokens: new TokenFile(tokensFile), sessions: new SessionFile(folder), close: async () => {} };
  }
  // Loaded when it is needed, as everything that one machine does without.
  const { PostgresAccess } = await import('../../store/postgres/access.ts');
  const { url, password, tls } = sharedStore;
  const shared = new PostgresAccess({ url, password, tls }, `assay access ${instance}`);
  return { tokens: shared, sessions: shared, close: () => shared.close() };
}

function sessionsOf(
  { access: { oidc, sessionKey, sessionLifetimeMs } }: Settings,
  parts: {
    readonly store: SessionStore;
    readonly allowedHosts: () => readonly string[];
    readonly onEvent: (event: AnyEvent) => void;
  },
): Sessions | undefined {
  if (oidc === undefined) return undefined;
  const { store, allowedHosts, onEvent } = parts;
  return new Sessions({
    redirectUrl: new URL(oidc.redirectUrl),
    lifetimeMs: sessionLifetimeMs,
    secret: sessionKey,
    store,
    allowedHosts,
    onProblem: (problem) => onEvent({ type: 'sessions-unreadable', problem }),
    now: Date.now,
  });
}

async function peopleOf(
  { access: { oidc } }: Settings,
  parts: {
    readonly sessions: Sessions | undefined;
    readonly audit: AuditLog;
    readonly guard: AccessGuard;
    readonly onEvent: (event: AnyEvent) => void;
  },
): Promise<People | undefined> {
  const { sessions, audit, guard, onEvent } = parts;
  if (oidc === undefined || sessions === undefined) return undefined;
  const provider = { ...oidc, issuer: new URL(oidc.issuer), redirectUrl: new URL(oidc.redirectUrl) };
  // Loaded when it is needed: its libraries take 2 MB.
  const { SignIn } = await import('../../access/sign-in.ts');
  const signIn = new SignIn({
    provider,
    sessions,
    audit,
    clientOf: (sent) => guard.clientOf(sent),
    onEvent,
    now: Date.now,
  });
  const onSignedOut: People['onSignedOut'] = (head, name) =>
    audit.write({ what: 'signed-out', who: `person ${name}`, from: guard.clientOf(head).address });
  return { signIn, sessions, onSignedOut };
}

function sourcesOf({ dataDir, sharedStore, access }: Settings, kept: TokenStore): readonly TokenSource[] {
  const { tokensFile } = accessFilesIn(dataDir);
  const own =
    sharedStore === undefined
      ? fileSource(tokensFile, tokensFile, kept, FILE_EVERY_MS)
      : storeSource('the shared store', kept, STORE_EVERY_MS);
  const { tokensFile: mounted } = access;
  if (mounted === undefined) return [own];
  return [own, fileSource(mounted, mounted, new TokenFile(mounted), FILE_EVERY_MS)];
}

/** A store that is away may have some: then everybody is refused until it is known. */
function refuseWithoutTokens({ host, access }: Settings, mode: AccessMode, tokens: TokenList): void {
  if (mode !== 'required' || access.oidc !== undefined || tokens.size > 0 || tokens.mayHaveMore) return;
  const why = isLoopbackListener(host) ? 'access.required is true' : `${host} can be reached from other machines`;
  throw new NoTokens(
    `${why}, and there is no token: create one for each client (\`assay token create --role ingest --name agents\`, ` +
      '--role read for Prometheus and people), name a file of tokens (access.tokens_file), listen on 127.0.0.1, or say --insecure-no-auth',
  );
}

function repeatOpen(host: string, onEvent: (event: AnyEvent) => void): NodeJS.Timeout {
  onEvent({ type: 'access-open', host });
  return setInterval(() => onEvent({ type: 'access-open', host }), REPEATED_EVERY_MS).unref();
}

function nameOf({ name, id }: KeptToken): string {
  return `token ${name} (${id})`;
}
