/** A real HTTP server that plays a provider, working or failing: OpenAI's chat completions and Anthropic's messages. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  /** From 0, in the order of arrival. */
  readonly number: number;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // The body as received, for tests to inspect.
  readonly body: Readonly<Record<string, unknown>>;
  /** The text shown to the model. */
  readonly material: string;
}

export type Reaction =
  /** The model's answer. */
  | { readonly say: string; readonly usage?: readonly [input: number, output: number]; readonly finish?: string }
  | { readonly refuse: true }
  | { readonly status: number; readonly error?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** This body, of any form, with status 200. */
  | { readonly raw: string }
  /** A part of a good answer, after which the connection is cut. */
  | { readonly cut: true }
  /** Never any answer. */
  | { readonly hang: 'before' | 'within' };

export interface Provider {
  readonly url: string;
  readonly asked: Asked[];
  /** Requests that were answered completely. */
  readonly answered: Asked[];
  react: (asked: Asked) => Reaction | Promise<Reaction>;
  stop(): Promise<void>;
}

export const YES = JSON.stringify({ kind: { quotes: [], reason: 'It says please.', answer: true } });
export const NO = JSON.stringify({ kind: { quotes: [], reason: 'It is rude.', answer: false } });

export interface ProviderOptions {
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

export async function startProvider(react: Provider['react'], options: ProviderOptions = {}): Promise<Provider> {
  const asked: Asked[] = [];
  const answered: Asked[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      const body = await bodyOf(request);
      const one = {
        number: asked.length,
        path: request.url ?? '',
        headers: request.headers,
        body,
        material: shown(body),
      };
      asked.push(one);
      response.on('finish', () => answered.push(one));
      play(await provider.react(one), one, response);
    })();
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  // The cast holds for a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls === undefined ? 'http' : 'https';
  const provider: Provider = { url: `${scheme}://127.0.0.1:${port}`, asked, answered, react, stop };
  onTestFinished(stop);
  return provider;
}

function play(reaction: Reaction, asked: Asked, response: ServerResponse): void {
  const send = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
  if ('say' in reaction) send(200, completion(asked, reaction.say, reaction.usage ?? [100, 20], reaction.finish));
  else if ('refuse' in reaction) send(200, refusal(asked));
  else if ('status' in reaction)
    send(reaction.status, { error: reaction.error ?? { message: 'no' } }, reaction.headers);
  else if ('raw' in reaction) send(200, reaction.raw);
  else if ('cut' in reaction) {
    const whole = JSON.stringify(completion(asked, YES, [100, 20]));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(whole.length) });
    response.write(whole.slice(0, 40), () => response.destroy());
  } else if (reaction.hang === 'within') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{');
  }
}

function completion({ path }: Asked, text: string, [input, output]: readonly [number, number], finish?: string) {
  if (path.endsWith('/messages')) {
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'played-1',
      content: [{ type: 'text', text }],
      stop_reason: finish ?? 'end_turn',
      usage: { input_tokens: input, output_tokens: output },
    };
  }
  return {
    id: 'chat_1',
    object: 'chat.completion',
    created: 1,
    model: 'played-1',
    choices: [
      { index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: finish ?? 'stop' },
    ],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}

function refusal(asked: Asked): unknown {
  const whole = completion(asked, '', [100, 5], asked.path.endsWith('/messages') ? 'refusal' : 'stop');
  if (!('choices' in whole)) return whole;
  const message = { role: 'assistant', content: null, refusal: 'I would rather not.' };
  return { ...whole, choices: [{ index: 0, message, finish_reason: 'stop' }] };
}

function shown(body: Readonly<Record<string, unknown>>): string {
  // The cast holds for both APIs.
  const messages = (body.messages ?? []) as readonly { readonly role: string; readonly content: string }[];
  return messages.find(({ role }) => role === 'user')?.content ?? '';
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const parts: Buffer[] = [];
  // The cast holds for a stream without an encoding.
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString() || '{}') as Readonly<Record<string, unknown>>;
}
