/**
 * Tokens for SASL OAUTHBEARER: from a file that somebody else keeps fresh (a Kubernetes projected token), or from an
 * OAuth server by client credentials. A fetched token is used until shortly before it expires.
 */
import { readFile } from 'node:fs/promises';
import { KafkaError } from '../kafka-client.ts';
import type { OauthTokenSource } from '../kafka-connection.ts';

interface OauthToken {
  readonly value: string;
  readonly extensions?: Readonly<Record<string, string>>;
}

const FETCH_TIMEOUT_MS = 10_000;
const RENEW_BEFORE_MS = 60_000;

export function tokenProvider(source: OauthTokenSource): () => Promise<OauthToken> {
  if ('file' in source) return () => tokenFromFile(source.file);
  let last: { readonly token: OauthToken; readonly renewAt: number } | undefined;
  return async () => {
    if (last === undefined || Date.now() >= last.renewAt) last = await fetchToken(source);
    return last.token;
  };
}

async function tokenFromFile(file: string): Promise<OauthToken> {
  let value: string;
  try {
    value = (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new KafkaError(`the Kafka token file ${file} cannot be read`, { retriable: true, cause });
  }
  if (value === '') throw new KafkaError(`the Kafka token file ${file} is empty`, { retriable: true });
  return { value };
}

async function fetchToken(source: Exclude<OauthTokenSource, { readonly file: string }>) {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (source.scope !== undefined) body.set('scope', source.scope);
  const credentials = [source.clientId, source.clientSecret].map(encodeURIComponent).join(':');
  let answer: Response;
  try {
    answer = await fetch(source.tokenUrl, {
      method: 'POST',
      body,
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    });
  } catch (cause) {
    throw new KafkaError(`no token from ${source.tokenUrl}: it does not answer`, { retriable: true, cause });
  }
  // A body with an error has the reason in words of the server's choice; its status is enough to look for.
  if (!answer.ok)
    throw new KafkaError(`no token from ${source.tokenUrl}: it answers ${answer.status}`, { retriable: true });
  const said: unknown = await answer.json().catch(() => undefined);
  if (typeof said !== 'object' || said === null || !('access_token' in said) || typeof said.access_token !== 'string')
    throw new KafkaError(`no token from ${source.tokenUrl}: its answer has no access_token`, { retriable: true });
  const seconds = 'expires_in' in said && typeof said.expires_in === 'number' ? said.expires_in : 60;
  const lifetimeMs = seconds * 1000;
  return {
    token: { value: said.access_token, ...(source.extensions && { extensions: source.extensions }) },
    renewAt: Date.now() + Math.max(lifetimeMs / 2, lifetimeMs - RENEW_BEFORE_MS),
  };
}
