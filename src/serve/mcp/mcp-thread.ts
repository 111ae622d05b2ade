/**
 * The thread that speaks MCP: it reads requests, runs tools and writes their results, so that none of this costs the
 * thread that receives spans. Tools ask the API, which the main thread answers for them.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ApiReply } from '../../mcp/asked-api.ts';
import { mcpServer } from '../../mcp/mcp-server.ts';
import type { Answer } from '../../report/http/answer.ts';
import { jsonIn } from '../../report/http/json-body.ts';
import type { FromAsked, ToAsked } from '../threads/asked-thread.ts';
import { yieldToOthers } from '../threads/yield-to-others.ts';
import type { GivenByApi, McpReply, McpStart, SentMcpRequest, WantedOfApi } from './mcp-protocol.ts';

/** The protocol has no batches since 2025-06-18. A batch would do the work of many requests in the place of one. */
const BATCH = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: 'batches are not supported: send one message in each request' },
});

class McpRequests {
  readonly #version: string;
  readonly #post: (message: FromAsked<McpReply, WantedOfApi>, transfer?: readonly ArrayBuffer[]) => void;
  /** Pending reads by the numbers of the request and of the read. */
  readonly #wanted = new Map<string, (given: GivenByApi) => void>();
  readonly #running = new Map<number, AbortController>();
  #lastWant = 0;

  constructor(
    version: string,
    post: (message: FromAsked<McpReply, WantedOfApi>, transfer?: readonly ArrayBuffer[]) => void,
  ) {
    this.#version = version;
    this.#post = post;
  }

  /** Never rejects. */
  async answer(id: number, sent: SentMcpRequest): Promise<void> {
    const gone = new AbortController();
    this.#running.set(id, gone);
    try {
      const { status, type, body } = await this.#answerTo(id, sent, gone.signal);
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
      this.#post({ type: 'replied', id, reply: { status, type, body: bytes } }, [bytes.buffer]);
    } catch (error) {
      this.#post({ type: 'failed', id, error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  given(id: number, want: number, given: GivenByApi): void {
    this.#wanted.get(`${id} ${want}`)?.(given);
  }

  /** Ends the waiting for answers of the API, which nobody gives for a client that has gone. */
  gone(id: number): void {
    this.#running.get(id)?.abort();
    for (const [key, settle] of this.#wanted) if (key.startsWith(`${id} `)) settle({ failed: 'the client went away' });
  }

  async #answerTo(id: number, { body, headers }: SentMcpRequest, signal: AbortSignal): Promise<Answer> {
    const read = jsonIn(body);
    if ('refused' in read) return read.refused;
    if (Array.isArray(read.value)) return { status: 400, type: 'application/json', body: BATCH };
    const side = { api: (question: WantedOfApi) => this.#ask(id, question), keepCase: undefined };
    // The server announces nothing, so no client needs a stream that stays open.
    const handler = createMcpHandler(() => mcpServer(side, this.#version), { maxSubscriptions: 0 });
    try {
      const request = new Request('http://assay/mcp', {
        method: 'POST',
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        signal,
      });
      const response = await handler.fetch(request, { parsedBody: read.value });
      return {
        status: response.status,
        type: response.headers.get('content-type') ?? 'application/json',
        body: await response.text(),
      };
    } finally {
      await handler.close();
    }
  }

  async #ask(id: number, wanted: WantedOfApi): Promise<ApiReply> {
    this.#lastWant += 1;
    const want = this.#lastWant;
    const key = `${id} ${want}`;
    const { promise, resolve } = Promise.withResolvers<GivenByApi>();
    this.#wanted.set(key, resolve);
    this.#post({ type: 'wants', id, want, wanted });
    const given = await promise;
    this.#wanted.delete(key);
    if ('failed' in given) throw new Error(given.failed);
    return { status: given.status, text: new TextDecoder().decode(given.body) };
  }
}

const port = parentPort;
if (port !== null) {
  // The casts hold because `asked-thread.ts` is the only one that starts this thread and posts to it.
  const { version } = workerData as McpStart;
  const post = (message: FromAsked<McpReply, WantedOfApi>, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  const requests = new McpRequests(version, post);
  port.on('message', (message: ToAsked<SentMcpRequest, GivenByApi>) => {
    if (message.type === 'ask') void requests.answer(message.id, message.sent);
    else if (message.type === 'given') requests.given(message.id, message.want, message.given);
    else if (message.type === 'gone') requests.gone(message.id);
    else port.close();
  });
  yieldToOthers('the thread that speaks MCP');
  post({ type: 'ready' });
}
