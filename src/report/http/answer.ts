/** Answers of the HTTP side. */
import type { z } from 'zod';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

export function jsonAnswer(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return {
    status,
    type: JSON_TYPE,
    body: `${JSON.stringify(value)}\n`,
    ...(headers === undefined ? {} : { headers }),
  };
}

export function textAnswer(status: number, body: string): Answer {
  return { status, type: TEXT_TYPE, body };
}

/** Why there is no answer now. */
export interface Unavailable {
  readonly unavailable: string;
  /** Not there where waiting does not help. */
  readonly retryAfterSeconds?: number;
}

export function unavailableAnswer({ unavailable, retryAfterSeconds }: Unavailable): Answer {
  const headers = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) };
  return jsonAnswer(503, { error: unavailable }, headers);
}

const PROBLEMS_MAX = 50;

/** Mistakes in the query or the body of a request, all of it. */
export function mistakesAnswer(what: 'query' | 'body', { issues }: z.ZodError): Answer {
  const problems = issues
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => `${path.map(String).join('.') || what}: ${message}`);
  return jsonAnswer(400, { error: `the ${what} has mistakes`, problems });
}
