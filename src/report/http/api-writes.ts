/**
 * The part of the API that changes something: `PUT` and `POST` with a JSON body, on the routes that the pipeline registers. A handler is
 * only called with a body that is whole, JSON, and of the shape that its route asks for.
 *
 * Who may write: with a token, whoever sends it. Without one, only programs on this machine, and none that a web page can make a browser be:
 *
 *   1. The connection comes from the loopback address, and through no proxy that says so (Forwarded, X-Forwarded-For).
 *   2. `Host` is a loopback name. A page whose own name was pointed at this machine says that name.
 *   3. `Origin`, which browsers send, is absent or this very address.
 *   4. The content type is JSON. A browser asks first (OPTIONS) before it sends that to another origin, and gets no permission here.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { ApiEvent } from '../../model/events/api-events.ts';
import { type Answer, jsonAnswer } from './api-answer.ts';

type WriteMethod = 'PUT' | 'POST';

/** By the names in the route's path. */
type PathParameters = ReadonlyMap<string, string>;

export interface WriteAnswer {
  readonly status: number;
  readonly value: unknown;
}

export interface WriteRoute {
  readonly method: WriteMethod;
  /** `/api/v1/truth/{conversation}`: a name in braces is one part of the path, which arrives decoded. */
  readonly path: string;
  /** For the page that lists what there is. */
  readonly summary: string;
  readonly bodyBytesMax: number;
  handle(body: unknown, parameters: PathParameters): Promise<WriteAnswer>;
}

export interface ApiWritesOptions {
  readonly routes: readonly WriteRoute[];
  /** Undefined: this machine only. Asked for each request. */
  readonly token: () => string | undefined;
  readonly onWrite: (event: ApiEvent) => void;
}

const BODY_BYTES_MAX = 1024 * 1024;
const PROBLEMS_MAX = 50;

/** A route whose body is checked: what is wrong with it is answered, all of it. */
export function writeRoute<T>(route: {
  readonly method: WriteMethod;
  readonly path: string;
  readonly summary: string;
  readonly bodyBytesMax?: number;
  readonly body: z.ZodType<T>;
  readonly handle: (body: T, parameters: PathParameters) => Promise<WriteAnswer>;
}): WriteRoute {
  const { method, path, summary, bodyBytesMax = BODY_BYTES_MAX } = route;
  return {
    method,
    path,
    summary,
    bodyBytesMax,
    handle: async (body, parameters) => {
      const parsed = route.body.safeParse(body);
      if (parsed.success) return route.handle(parsed.data, parameters);
      const problems = parsed.error.issues
        .slice(0, PROBLEMS_MAX)
        .map((issue) => `${issue.path.map(String).join('.') || 'body'}: ${issue.message}`);
      return { status: 400, value: { error: 'the body has mistakes', problems } };
    },
  };
}

export class ApiWrites {
  readonly #options: ApiWritesOptions;
  readonly #routes: readonly { readonly route: WriteRoute; readonly parts: readonly string[] }[];

  constructor(options: ApiWritesOptions) {
    this.#options = options;
    this.#routes = options.routes.map((route) => ({ route, parts: route.path.split('/') }));
  }

  /** Whether something can be written there, by whatever method. */
  isPath(pathname: string): boolean {
    return this.#routes.some(({ parts }) => isAlong(parts, pathname.split('/')));
  }

  /** How the page that lists what there is shows them. */
  index(): string {
    return this.#options.routes.map(({ method, path, summary }) => `${method} ${path}  ${summary}\n`).join('');
  }

  async answer(request: IncomingMessage, pathname: string): Promise<Answer> {
    const given = pathname.split('/');
    const there = this.#routes.filter(({ parts }) => isAlong(parts, given));
    if (there.length === 0) {
      const error = `nothing can be written at ${pathname.slice(0, 200)}; GET / lists what there is`;
      return jsonAnswer(404, { error });
    }
    const found = there.find(({ route }) => route.method === request.method);
    if (found === undefined) {
      const allow = there.map(({ route }) => route.method).join(', ');
      return jsonAnswer(405, { error: `${request.method} is not supported here: ${allow} is` }, { allow });
    }
    const { route, parts } = found;
    const answer = await this.#write(request, route, parametersOf(parts, given));
    this.#options.onWrite({ type: 'api-written', route: route.path, status: answer.status });
    return answer;
  }

  async #write(request: IncomingMessage, route: WriteRoute, parameters: PathParameters | undefined): Promise<Answer> {
    const refusal = refuse(request, this.#options.token()) ?? refuseContent(request, route);
    if (refusal !== undefined) return refusal;
    if (parameters === undefined) return jsonAnswer(400, { error: 'the path is not valid percent-encoding' });
    const bytes = await readBody(request, route.bodyBytesMax);
    if (bytes === undefined) return tooLarge(route);
    const parsed = parseJson(bytes);
    if ('problem' in parsed) return jsonAnswer(400, { error: `the body is not JSON: ${parsed.problem}` });
    try {
      const { status, value } = await route.handle(parsed.value, parameters);
      return jsonAnswer(status, value);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return jsonAnswer(500, { error: `it could not be written, or it is not known whether it was: ${problem}` });
    }
  }
}

function refuse(request: IncomingMessage, token: string | undefined): Answer | undefined {
  const { headers } = request;
  if (token !== undefined) {
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (given !== undefined && isSameSecret(given, token)) return undefined;
    const problem = given === undefined ? 'it has none' : 'it has another one';
    const error = `writing takes the token of http.write_token: Authorization: Bearer <token>; ${problem}`;
    return jsonAnswer(401, { error }, { 'www-authenticate': 'Bearer realm="assay"' });
  }
  const isProxied = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  if (!isLoopbackAddress(request.socket.remoteAddress) || isProxied) {
    return jsonAnswer(403, {
      error:
        'without a token only this machine may write: set http.write_token_file or ASSAY_HTTP_WRITE_TOKEN, and send it',
    });
  }
  if (!isLoopbackName(headers.host)) {
    return jsonAnswer(403, { error: 'without a token, Host must be localhost or a loopback address' });
  }
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}`) {
    return jsonAnswer(403, { error: `without a token, pages of ${origin.slice(0, 200)} may not write` });
  }
  return undefined;
}

function refuseContent({ headers }: IncomingMessage, route: WriteRoute): Answer | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const isUtf8 = parameters.every((one) => !one.startsWith('charset=') || /^charset="?utf-?8"?$/.test(one));
  if (type !== 'application/json' || !isUtf8) {
    const error = `the body must be JSON in UTF-8: content-type: application/json${type === '' ? '' : `, not ${type.slice(0, 100)}`}`;
    return jsonAnswer(415, { error });
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    return jsonAnswer(415, {
      error: `the body must come as it is, without content-encoding: ${encoding.slice(0, 100)}`,
    });
  }
  return Number(headers['content-length'] ?? 0) > route.bodyBytesMax ? tooLarge(route) : undefined;
}

function tooLarge({ bodyBytesMax }: WriteRoute): Answer {
  return jsonAnswer(413, { error: `the body is larger than the ${bodyBytesMax} bytes that it may have here` });
}

/** Undefined where it is larger than it may be; rejects where the client goes away. */
function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= bytesMax) chunks.push(chunk);
    else {
      chunks.length = 0;
      resolve(undefined);
    }
  });
  request.on('end', () => resolve(Buffer.concat(chunks)));
  request.on('error', reject);
  request.on('close', () => reject(new Error('the client went away')));
  return promise;
}

type ParsedJson = { readonly value: unknown } | { readonly problem: string };

function parseJson(bytes: Buffer): ParsedJson {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function isAlong(parts: readonly string[], given: readonly string[]): boolean {
  return (
    parts.length === given.length &&
    parts.every((part, at) => (nameOf(part) === undefined ? part === given[at] : given[at] !== ''))
  );
}

/** Undefined where one of them is not valid percent-encoding. */
function parametersOf(parts: readonly string[], given: readonly string[]): PathParameters | undefined {
  const parameters = new Map<string, string>();
  try {
    for (const [at, part] of parts.entries()) {
      const name = nameOf(part);
      if (name !== undefined) parameters.set(name, decodeURIComponent(given[at] ?? ''));
    }
  } catch {
    // What decodeURIComponent throws says nothing more.
    return undefined;
  }
  return parameters;
}

function nameOf(part: string): string | undefined {
  return /^\{(\w+)\}$/.exec(part)?.[1];
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}

function isLoopbackName(host: string | undefined): boolean {
  return host !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host);
}

/** In the same time whatever is given. */
function isSameSecret(given: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(right));
}
