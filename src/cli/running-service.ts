/** The service that is running, as commands speak with it: where it is, and what it says when it refuses. */
import { Option } from 'commander';
import { z } from 'zod';
import { service } from '../api/facets.ts';
import { loadSettings, type Settings } from '../config/settings.ts';
import { tryParseJson } from '../model/json.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { type Flags, failOn } from './load.ts';
import { settingOption } from './setting-option.ts';
import { safe } from './terminal.ts';
import { isWebAddress } from '../model/web-address.ts';

export type ServiceFlags = { readonly url?: string; readonly token?: string; readonly json?: boolean } & Flags;

const TIMEOUT_MS = 10_000;
const NOT_FOUND = 404;

/** To such a command the port is not one to listen on. */
export function askedPort(): Option {
  return settingOption('http_port', 'Port of the service to ask.');
}

/** On a command line it is seen by others on the machine; the variable is not. */
export function tokenOption(): Option {
  return new Option('--token <token>', 'token for a service that asks for one').env('ASSAY_TOKEN');
}

/** A service and how it is asked. */
export interface AskedService {
  readonly url: string;
  readonly token: string | undefined;
}

interface NamedService extends AskedService {
  /** Address to which agents send their spans. */
  readonly otlp: string;
  /** `token`, else that of `http.write_token`. */
  readonly writeToken: string | undefined;
  readonly settings: Settings;
}

export function serviceOf(flags: ServiceFlags): NamedService {
  const { settings, mistakes } = loadSettings({
    flags: { config: flags.config, httpPort: flags.httpPort },
    env: process.env,
    cwd: process.cwd(),
  });
  failOn(mistakes);
  const { url, token } = askedService(flags, settings);
  const writeToken = token ?? settings.http.writeToken;
  return { url, token, otlp: otlpOf(url, settings), writeToken, settings };
}

/** For commands that only read, which need no secret of the configuration. */
export function askedService(
  { url, token }: ServiceFlags,
  { httpPort, tls }: Pick<Settings, 'httpPort' | 'tls'>,
): AskedService {
  const scheme = tls === undefined ? 'http' : 'https';
  if (url !== undefined && !isWebAddress(url))
    throw new CommandFailure(
      `--url: ${safe(url, 100)} is not an address of a service: give one such as http://127.0.0.1:4319`,
      EXIT.usage,
    );
  return { url: url ?? `${scheme}://127.0.0.1:${httpPort}`, token: token === '' ? undefined : token };
}

/** OTLP address of the service at an HTTP address. */
export function otlpOf(url: string, { otlpHttpPort }: Pick<Settings, 'otlpHttpPort'>): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${hostname}:${otlpHttpPort}`;
}

/** The OTLP address of a running service, which need not be the one of the configuration at hand. */
export async function otlpFrom(url: string, token: string | undefined): Promise<string> {
  const answer = await askText(new URL('/api/v1/service', url), { ...reading(token), accept: NOT_FOUND });
  const { data: known } = service.pick({ receiving: true }).loose().safeParse(tryParseJson(answer));
  const otlpHttpPort = known?.receiving.otlp_http_port;
  if (otlpHttpPort !== undefined) return otlpOf(url, { otlpHttpPort });
  throw new CommandFailure(
    known !== undefined
      ? `${url} receives no OTLP over HTTP: set otlp_http_port`
      : `${url} answers, and is not the address of the page and the API: give that one, such as http://127.0.0.1:4319`,
    EXIT.input,
  );
}

/** How something is read. */
export function reading(token: string | undefined): RequestInit {
  return token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
}

/** How something is written. */
export function writing(method: 'PUT' | 'POST', body: unknown, token: string | undefined): RequestInit {
  return {
    method,
    headers: { 'content-type': 'application/json', ...reading(token).headers },
    body: JSON.stringify(body),
  };
}

const refusalSchema = z.object({ error: z.string().default(''), problems: z.array(z.string()).default([]) });

interface Asking extends RequestInit {
  /** A status besides those of success whose answer is wanted as well. */
  readonly accept?: number;
  /** For what takes longer than an answer usually does. */
  readonly waitMs?: number;
  /** Lines that the command adds to a refusal. */
  readonly more?: (refusal: unknown) => readonly string[];
}

export async function ask(url: URL, asking: Asking = {}): Promise<unknown> {
  const answer: unknown = JSON.parse(await askText(url, asking));
  return answer;
}

/** Whether anything answers there. A port on this machine refuses at once where nothing listens. */
export async function isThere(url: string): Promise<boolean> {
  try {
    return (await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}

const UNREACHED: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'the connection was closed'],
  ['ENOTFOUND', 'there is no such host'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
]);

/** `fetch` says only that it failed; its cause says why. */
function whyUnreached(error: unknown, waitMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `nothing came within ${waitMs / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return ('code' in cause ? UNREACHED.get(String(cause.code)) : undefined) ?? cause.message;
}

export async function askText(url: URL, { waitMs = TIMEOUT_MS, ...asking }: Asking = {}): Promise<string> {
  const response = await askResponse(url, { ...asking, signal: AbortSignal.timeout(waitMs), waitMs });
  return response.text();
}

/** An answer that succeeded, whose body is still to be read. The signal ends that as well. */
export async function askResponse(
  url: URL,
  { accept, waitMs = TIMEOUT_MS, more = () => [], ...init }: Asking,
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    throw new CommandFailure(
      `no answer from ${url.href}: start \`assay serve\`, or give --url (${whyUnreached(error, waitMs)})`,
      EXIT.input,
    );
  }
  if (response.ok || response.status === accept) return response;
  const refusal: unknown = await response.json().catch(() => undefined);
  const { error, problems } = refusalSchema.safeParse(refusal).data ?? { error: '', problems: [] };
  const lines = [
    `${safe(url.href, 200)} answered ${response.status}${error === '' ? '' : `: ${error}`}`,
    ...problems,
    ...(response.status === 401 ? ['give the token by --token or ASSAY_TOKEN'] : []),
    ...more(refusal),
  ];
  throw new CommandFailure(lines.map((line) => safe(line, 500)).join('\n  '), EXIT.input);
}
