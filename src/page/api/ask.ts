/** Asks the API. An answer is a value, or the reason why there is none, in words for a person. */
import { noteServiceTime } from './service-clock.ts';
import { keptToken } from './token.ts';

export type Reply<T> =
  | { readonly is: 'here'; readonly value: T }
  /** `signIn` is where people sign in; undefined where only tokens are known. */
  | { readonly is: 'signed-out'; readonly why: string; readonly signIn: string | undefined }
  | { readonly is: 'forbidden'; readonly why: string }
  | { readonly is: 'missing'; readonly why: string }
  /** Mistakes in what was asked. */
  | { readonly is: 'refused'; readonly why: string }
  /** The service or its store is not there now, or is busy with other questions: it may help to ask again. */
  | { readonly is: 'away'; readonly why: string; readonly isBusy?: boolean; readonly isStore?: boolean };
export type NoReply = Exclude<Reply<unknown>, { readonly is: 'here' }>;

interface Question {
  readonly query?: URLSearchParams;
  readonly signal?: AbortSignal;
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Sent as JSON; an empty object unless given. */
  readonly body?: unknown;
}

/** Rejects only if the signal aborts it. */
export async function ask<T>(path: string, question: Question = {}): Promise<Reply<T>> {
  return replyTo(path, question, async (response) => {
    const answer: unknown = await response.json().catch(() => undefined);
    // The cast holds: the service and its page are of one release, and the service's tests hold its answers against the type.
    return answer as T | undefined;
  });
}

/** An answer that is a text, such as a file for a repository. */
export async function askText(path: string): Promise<Reply<string>> {
  return replyTo(path, {}, (response) => response.text());
}

async function replyTo<T>(
  path: string,
  { query, signal, method = 'GET', body = {} }: Question,
  read: (response: Response) => Promise<T | undefined>,
): Promise<Reply<T>> {
  const search = query?.toString() ?? '';
  const token = keptToken();
  const writes = method !== 'GET';
  const headers = {
    accept: 'application/json',
    ...(writes ? { 'content-type': 'application/json' } : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const init = { method, headers, ...(writes ? { body: JSON.stringify(body) } : {}), ...(signal ? { signal } : {}) };
  try {
    const response = await fetch(search === '' ? path : `${path}?${search}`, init);
    noteServiceTime(response.headers.get('date'));
    const value = response.ok ? await read(response) : undefined;
    if (value !== undefined) return { is: 'here', value };
    return failureOf(response, response.ok ? undefined : await response.json().catch(() => undefined));
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { is: 'away', why: 'The service does not answer. It may have stopped, or the network may be down.' };
  }
}

function failureOf({ status, headers }: Response, body: unknown): NoReply {
  const why = problemIn(body) ?? `The service answered with status ${status}.`;
  switch (status) {
    case 401:
      return { is: 'signed-out', why, signIn: textOf(body, 'sign_in') };
    case 403:
      return { is: 'forbidden', why };
    case 404:
      return { is: 'missing', why };
    case 400:
      return { is: 'refused', why };
    default: {
      const wait = headers.get('retry-after');
      const said = wait === null ? why : `${why} (ask again after ${wait} s)`;
      return { is: 'away', why: said, isBusy: status === 429, isStore: status === 503 };
    }
  }
}

function problemIn(body: unknown): string | undefined {
  const error = textOf(body, 'error');
  if (error === undefined || typeof body !== 'object' || body === null || !('problems' in body)) return error;
  return Array.isArray(body.problems) ? `${error}: ${body.problems.map(String).join('; ')}` : error;
}

function textOf(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : undefined;
}
