/**
 * A row of the table of routes: method and path, what it is for, the role it takes, whether it reads or writes, and what
 * answers. `S` is what the handlers need of the service.
 */
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Caller, Role } from '../../model/caller.ts';
import type { HeldRequest } from './held-bytes.ts';
import { type Answer, jsonAnswer, mistakesAnswer, type Unavailable, unavailableAnswer } from './answer.ts';

export type Route<S> = {
  /**
   * `/v1/truth/{conversation}`: a name in braces is one part of the path, which arrives decoded. `{conversation...}` at the end
   * is all that is left of it.
   */
  readonly path: string;
  /** Line for the page that lists the routes. */
  readonly summary: string;
  /** Role of those who may. `nothing` is for probes, and for signing in. */
  readonly takes: Role | 'nothing';
  /** Another role that may, although it does not include the first. */
  readonly orTakes?: Role | undefined;
  /** Schemas for the description of the API; absent if only words describe it. */
  readonly shapes?: RouteShapes | undefined;
} & (
  | { readonly method: 'GET'; readonly may: 'read'; readonly handle: Reading<S> }
  | { readonly method: 'PUT' | 'POST' | 'DELETE'; readonly may: 'write'; readonly handle: Writing<S> }
  /** Changes nothing; the question is too long for a query. */
  | { readonly method: 'POST'; readonly may: 'ask'; readonly handle: Writing<S> }
);

/** Shapes of what is asked and answered. */
export interface RouteShapes {
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Shape of an answer with status 200, or of each of its lines; undefined where it is not JSON. */
  readonly answer: z.ZodType | undefined;
  /** Media type where it is not JSON. */
  readonly type?: string;
}

export function read<S>(
  path: string,
  summary: string,
  handle: Reading<S>,
  { takes }: Pick<Route<S>, 'takes'> = { takes: 'read' },
): Route<S> {
  return { method: 'GET', path, may: 'read', takes, summary, handle };
}

/** A read that needs nothing else of the request, so that another thread can answer it. */
export interface RemoteRead<S> extends Pick<Route<S>, 'path' | 'summary' | 'takes' | 'shapes'> {
  readonly method: 'GET';
  readonly may: 'read';
  readonly handle: (side: S, question: Question) => Answer | Promise<Answer>;
}

export function readStored<S>(path: string, summary: string, handle: RemoteRead<S>['handle']): RemoteRead<S> {
  return { method: 'GET', path, may: 'read', takes: 'read', summary, handle };
}

export function write<S>(
  method: 'PUT' | 'POST' | 'DELETE',
  path: string,
  summary: string,
  takes: Pick<Route<S>, 'takes' | 'orTakes'>,
  handle: Writing<S>,
): Route<S> {
  return { method, path, may: 'write', ...takes, summary, handle };
}

export function ask<S>(path: string, summary: string, shapes: RouteShapes, handle: Writing<S>): Route<S> {
  return { method: 'POST', path, may: 'ask', takes: 'read', summary, shapes, handle };
}

/** Values by the names in the route's path. */
type PathParameters = ReadonlyMap<string, string>;

/** Parts of a request that every read has. */
export interface Question {
  readonly query: URLSearchParams;
  readonly parameters: PathParameters;
}

/** The client of a request. */
export interface Client {
  /** Address of the client, or its /64 network of IPv6, by which limits are shared. */
  readonly from: string;
  /** Aborted when it has gone, or has its answer. */
  readonly gone: AbortSignal;
  readonly held: HeldRequest;
}

export interface Asked extends Question {
  readonly request: IncomingMessage;
  readonly client: Client;
  /** Undefined where the route takes nothing. */
  readonly caller: Caller | undefined;
}

type Reading<S> = (side: S, asked: Asked) => Answer | Promise<Answer>;

/** The request behind a write, and who sent it. */
export type Written = Pick<Asked, 'request' | 'caller' | 'client'>;

type Writing<S> = {
  /** A DELETE has no body. */
  readonly bodyBytesMax: number;
  /** The body is handed on as the bytes that came: another thread reads it. */
  readonly isRaw?: true;
  readonly write: (side: S, body: unknown, parameters: PathParameters, written: Written) => Promise<Answer>;
};

const BODY_BYTES_MAX = 1024 * 1024;

/** Routes with what they are answered from. While that is not there, each of them says why. */
export function answeredFrom<S extends object>(
  routes: readonly Route<S>[],
  side: () => S | Unavailable,
): readonly Route<undefined>[] {
  const unlessUnavailable = (answer: (now: S) => Answer | Promise<Answer>) => {
    const now = side();
    return 'unavailable' in now ? unavailableAnswer(now) : answer(now);
  };
  return routes.map((route) => {
    if (route.may === 'read') {
      const { handle } = route;
      return { ...route, handle: (_none, asked) => unlessUnavailable((now) => handle(now, asked)) };
    }
    const { write, ...rest } = route.handle;
    const answerWrite: Writing<undefined>['write'] = async (_none, body, parameters, written) =>
      unlessUnavailable((now) => write(now, body, parameters, written));
    return { ...route, handle: { ...rest, write: answerWrite } };
  });
}

/** Handles a query of the shape that the schema asks for; all that is wrong with another is answered. */
export function reading<S, T>(
  schema: z.ZodType<T>,
  handle: (side: S, query: T, parameters: PathParameters) => Answer | Promise<Answer>,
): RemoteRead<S>['handle'] {
  return (side, { query, parameters }) => {
    const given = Object.fromEntries(query);
    const parsed = schema.safeParse(given);
    return parsed.success ? handle(side, parsed.data, parameters) : mistakesAnswer('query', parsed.error, given);
  };
}

/** Handles a body of the shape that the schema asks for; all that is wrong with another is answered. */
export function writing<S, T>(
  schema: z.ZodType<T>,
  handle: (
    side: S,
    body: T,
    parameters: PathParameters,
    written: Written,
  ) => Promise<{ readonly status: number; readonly value: unknown } | Unavailable>,
  {
    bodyBytesMax = BODY_BYTES_MAX,
    readAs = (body) => body,
  }: {
    readonly bodyBytesMax?: number;
    /** The body as the schema reads it, where that is another form of it: mistakes show what stands there. */
    readonly readAs?: (body: unknown) => unknown;
  } = {},
): Writing<S> {
  return {
    bodyBytesMax,
    write: async (side, body, parameters, written) => {
      const parsed = schema.safeParse(body);
      if (!parsed.success) return mistakesAnswer('body', parsed.error, readAs(body));
      const result = await handle(side, parsed.data, parameters, written);
      return 'unavailable' in result ? unavailableAnswer(result) : jsonAnswer(result.status, result.value);
    },
  };
}

/** Handles a question of the shape that the schema asks for, from whoever sent it. */
export function asking<S, T>(
  schema: z.ZodType<T>,
  handle: (side: S, question: T, written: Written) => Promise<Answer>,
): Writing<S> {
  return {
    bodyBytesMax: BODY_BYTES_MAX,
    write: async (side, body, _parameters, written) => {
      const parsed = schema.safeParse(body);
      return parsed.success ? handle(side, parsed.data, written) : mistakesAnswer('body', parsed.error, body);
    },
  };
}

/** The path's parameters as they came, still encoded; undefined where the path is not one of the route's. */
export function matchPath({ path }: { readonly path: string }, pathname: string): PathParameters | undefined {
  const pattern = path.replace(
    /\{(\w+)(\.\.\.)?\}/g,
    (_whole, name, rest) => `(?<${name}>${rest === undefined ? '[^/]+' : '.*'})`,
  );
  const found = new RegExp(`^${pattern}$`, 's').exec(pathname);
  return found === null ? undefined : new Map(Object.entries(found.groups ?? {}));
}

/** Undefined where one of them is not valid percent-encoding. */
export function decoded(parameters: PathParameters): PathParameters | undefined {
  try {
    return new Map([...parameters].map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    // The error of decodeURIComponent adds no information.
    return undefined;
  }
}
