/** The service that is running, as commands speak with it: where it is, and what it says when it refuses. */
import type { Option } from 'commander';
import { z } from 'zod';
import { loadSettings } from '../config/settings.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { type Flags, failOn } from './load.ts';
import { settingOption } from './setting-option.ts';
import { safe } from './terminal.ts';

export type ServiceFlags = { readonly url?: string; readonly json?: boolean } & Flags;

const TIMEOUT_MS = 10_000;

/** To such a command the port is not one to listen on. */
export function askedPort(): Option {
  return settingOption('http_port', 'Port of the service to ask.');
}

interface NamedService {
  readonly url: string;
  /** Where agents send their spans. */
  readonly otlp: string;
  readonly writeToken: string | undefined;
}

export function serviceOf(flags: ServiceFlags): NamedService {
  const { settings, mistakes } = loadSettings({
    flags: { config: flags.config, httpPort: flags.httpPort },
    env: process.env,
    cwd: process.cwd(),
  });
  failOn(mistakes);
  const url = flags.url ?? `http://127.0.0.1:${settings.httpPort}`;
  const { hostname } = new URL(url);
  return { url, otlp: `http://${hostname}:${settings.otlpHttpPort}`, writeToken: settings.http.writeToken };
}

/** How something is written. */
export function writing(method: 'PUT' | 'POST', body: unknown, token: string | undefined): RequestInit {
  return {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  };
}

const refusalSchema = z.object({ error: z.string().default(''), problems: z.array(z.string()).default([]) });

interface Asking extends RequestInit {
  /** A status besides those of success whose answer is wanted as well. */
  readonly accept?: number;
  /** Lines that the command adds to a refusal. */
  readonly more?: (refusal: unknown) => readonly string[];
}

export async function ask(url: URL, asking: Asking = {}): Promise<unknown> {
  const answer: unknown = JSON.parse(await askText(url, asking));
  return answer;
}

export async function askText(url: URL, { accept, more = () => [], ...init }: Asking = {}): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new CommandFailure(
      `no answer from ${url.href}: start \`assay serve\`, or give --url (${String(error)})`,
      EXIT.input,
    );
  }
  if (response.ok || response.status === accept) return response.text();
  const refusal: unknown = await response.json().catch(() => undefined);
  const { error, problems } = refusalSchema.safeParse(refusal).data ?? { error: '', problems: [] };
  const lines = [
    `${url.href} answered ${response.status}${error === '' ? '' : `: ${error}`}`,
    ...problems,
    ...more(refusal),
  ];
  throw new CommandFailure(lines.map((line) => safe(line, 500)).join('\n  '), EXIT.input);
}
