/** Answers of the HTTP side. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { visibleJson } from '../../model/visible-text.ts';
import type { z } from 'zod';
import { problemText } from './problem-text.ts';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: OutgoingHttpHeaders;
  /** Body of many texts in place of `body`, which are written as the client takes them. */
  readonly pieces?: Pieces;
  /** Writes the body itself, over time, and ends it. The head has been sent. */
  readonly stream?: (response: ServerResponse) => void;
  /** Called in place of `stream` if the client has gone. */
  readonly onGone?: () => void;
}

export interface Pieces {
  readonly texts: Iterable<string>;
  /** The client was sent all of it. Not called if it has gone before. */
  readonly onSent?: () => void;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

export function jsonAnswer(status: number, value: unknown, headers?: OutgoingHttpHeaders): Answer {
  return {
    status,
    type: JSON_TYPE,
    body: `${visibleJson(value)}\n`,
    ...(headers === undefined ? {} : { headers }),
  };
}

export function textAnswer(status: number, body: string): Answer {
  return { status, type: TEXT_TYPE, body };
}

export function redirectAnswer(location: string, headers: OutgoingHttpHeaders = {}): Answer {
  return { status: 302, type: TEXT_TYPE, body: '', headers: { ...headers, location } };
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
export function mistakesAnswer(what: 'query' | 'body', { issues }: z.ZodError, given: unknown): Answer {
  const problems = issues.slice(0, PROBLEMS_MAX).map((issue) => problemText(issue, { what, given }));
  return jsonAnswer(400, { error: `the ${what} has mistakes`, problems });
}
