/**
 * Classifies the error of a call, whatever the client threw: its name, what helps, and whether the call may have cost
 * something.
 *
 *   mend     somebody has to do something: a key, a bill, a certificate, the name of a model. The judge stops, and looks again now and then.
 *   pause    the provider wants to be left alone for a while; so the judge is.
 *   retry    the same call may do the next time.
 *   nothing  it will not.
 *
 * The classification is total: an error from anywhere is one of these. It looks at statuses and codes, which both
 * clients have alike, and at no class of theirs. A provider that answers with an error does not charge for it; a call
 * of which nothing more was heard may have been worked on.
 */
import type { JudgeFailure } from '../model/judging.ts';
import { maskedSecrets } from '../model/masked-secrets.ts';

export interface CallTrouble {
  readonly failure: JudgeFailure;
  /** A line for people, with the provider's text, cut. */
  readonly reason: string;
  readonly remedy: 'mend' | 'pause' | 'retry' | 'nothing';
  /** Delay that the provider asked for; 0 if it did not. */
  readonly retryAfterMs: number;
  readonly mayCost: boolean;
}

type Kind = Pick<CallTrouble, 'failure' | 'remedy' | 'mayCost'>;

const SAID_LENGTH_MAX = 200;
const RETRY_AFTER_MAX_MS = 3_600_000;
const CAUSES_MAX = 5;

/** Certificates that are not trusted any more, or are another's. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ALTNAME|ERR_SSL|ERR_TLS|EPROTO/;
/** Nothing was sent. */
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;
const QUOTA = /insufficient_quota|billing|credit balance|quota_exceeded|exceeded your current quota/i;
const CONTENT = /content_policy|content_filter/i;

/** Some providers repeat the key that they don't know; `secret` is never in the reason, not in part and not encoded. */
export function troubleOf(error: unknown, secret: string | undefined): CallTrouble {
  const status = numberIn(error, 'status');
  const said = saidBy(error, secret);
  const kind = status === undefined ? withoutAnswer(error) : ofStatus(status, said);
  const what = status === undefined ? (codeOf(error) ?? nameOf(error)) : `it answered ${status}`;
  return {
    ...kind,
    reason: said === '' || said === what ? what : `${what}: ${said}`,
    retryAfterMs: retryAfterMs(error),
  };
}

export const TIMED_OUT: CallTrouble = {
  failure: 'timeout',
  reason: 'it did not answer in time',
  remedy: 'retry',
  retryAfterMs: 0,
  mayCost: true,
};

function ofStatus(status: number, said: string): Kind {
  if (status === 401 || status === 403) return { failure: 'authentication', remedy: 'mend', mayCost: false };
  if (status === 402 || ((status === 400 || status === 429) && QUOTA.test(said)))
    return { failure: 'quota', remedy: 'mend', mayCost: false };
  if (status === 429) return { failure: 'rate-limited', remedy: 'pause', mayCost: false };
  if (status === 503 || status === 529) return { failure: 'server-error', remedy: 'retry', mayCost: false };
  if (status === 408 || status === 504) return { failure: 'timeout', remedy: 'retry', mayCost: true };
  if (status >= 500 || status === 409) return { failure: 'server-error', remedy: 'retry', mayCost: false };
  if (status === 400 && CONTENT.test(said)) return { failure: 'refused', remedy: 'nothing', mayCost: false };
  // No such model, or no such address, whatever is asked. Nor is a key sent to where it redirects.
  if (status === 404 || (status >= 300 && status < 400))
    return { failure: 'bad-request', remedy: 'mend', mayCost: false };
  if (status >= 400) return { failure: 'bad-request', remedy: 'nothing', mayCost: false };
  return { failure: 'server-error', remedy: 'retry', mayCost: true };
}

function withoutAnswer(error: unknown): Kind {
  const codes = causesOf(error).flatMap((cause) => textIn(cause, 'code') ?? []);
  if (codes.some((code) => CERTIFICATE.test(code))) return { failure: 'unreachable', remedy: 'mend', mayCost: false };
  if (codes.some((code) => NOT_CONNECTED.test(code)))
    return { failure: 'unreachable', remedy: 'retry', mayCost: false };
  const names = causesOf(error).map(nameOf);
  if (names.some((name) => /timeout/i.test(name))) return { failure: 'timeout', remedy: 'retry', mayCost: true };
  // A body that is no JSON, under a status that says that all is well.
  if (names.includes('SyntaxError')) return { failure: 'server-error', remedy: 'retry', mayCost: true };
  return { failure: 'unreachable', remedy: 'retry', mayCost: true };
}

/** The codes and messages of the provider's answer, or of what went wrong on the way, in one line. */
function saidBy(error: unknown, secret: string | undefined): string {
  const body = memberOf(error, 'error');
  const parts = [body, memberOf(body, 'error')].flatMap((at) =>
    ['type', 'code', 'message'].flatMap((key) => textIn(at, key) ?? []),
  );
  const own =
    parts.length > 0
      ? parts
      : causesOf(error)
          .flatMap((cause) => textIn(cause, 'message') ?? [])
          .slice(-1);
  const text = [...new Set(own)].join(' ');
  const told = maskedSecrets(text, [secret]);
  return told.replace(/\s+/g, ' ').slice(0, SAID_LENGTH_MAX).toWellFormed().trim();
}

function retryAfterMs(error: unknown): number {
  const headers = memberOf(error, 'headers');
  if (!(headers instanceof Headers)) return 0;
  const precise = Number(headers.get('retry-after-ms') ?? 'none');
  const asked = headers.get('retry-after') ?? '';
  const ms = Number.isFinite(precise)
    ? precise
    : /^\d+(\.\d+)?$/.test(asked)
      ? Number(asked) * 1000
      : Date.parse(asked) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS) : 0;
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at !== undefined && causes.length < CAUSES_MAX; at = memberOf(at, 'cause')) causes.push(at);
  return causes;
}

function codeOf(error: unknown): string | undefined {
  return causesOf(error)
    .flatMap((cause) => textIn(cause, 'code') ?? [])
    .at(-1);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}

function numberIn(value: unknown, key: string): number | undefined {
  const member = memberOf(value, key);
  return typeof member === 'number' ? member : undefined;
}

function textIn(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' && member !== '' ? member : undefined;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
