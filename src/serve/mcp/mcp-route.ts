/**
 * `POST /mcp`: the MCP server of the running service, as Streamable HTTP without sessions: each request has a server of its
 * own, in a thread beside this one (`mcp-thread.ts`). A tool asks the routes of the API in this process, in the name of
 * whoever sent the request. So roles, limits, the audit log and the words of refusals are those of the API, and a client
 * of MCP can do nothing else.
 */
import { IncomingMessage } from 'node:http';
import { type ApiQuestion, queryText } from '../../mcp/asked-api.ts';
import type { ReadingEvent } from '../../model/events/reading-events.ts';
import type { Answer } from '../../report/http/answer.ts';
import type { Client, Route } from '../../report/http/route.ts';
import { AskedThread } from '../threads/asked-thread.ts';
import { answerClient, type Refusals } from '../threads/answer-client.ts';
import { BODY_BYTES_MAX, DEADLINE_MS, MCP_LIMITS, WAIT_MAX_MS, WAITING_MAX } from './mcp-limits.ts';
import type { GivenByApi, McpReply, McpStart, SentMcpRequest, WantedOfApi } from './mcp-protocol.ts';

const MCP_PATH = '/mcp';

interface McpParts extends McpStart {
  /** The API, as the port answers it. */
  readonly api: (request: IncomingMessage, client: Client) => Promise<Answer>;
  readonly onEvent: (event: ReadingEvent) => void;
}

interface McpRequest {
  readonly body: Uint8Array;
  readonly request: IncomingMessage;
  readonly client: Client;
}

export class McpSide {
  readonly #onEvent: McpParts['onEvent'];
  readonly #thread: AskedThread<McpRequest, SentMcpRequest, string, McpReply, WantedOfApi, GivenByApi>;

  constructor({ version, api, onEvent }: McpParts) {
    this.#onEvent = onEvent;
    this.#thread = new AskedThread({
      runs: { module: 'mcp-thread', from: import.meta.url },
      startData: () => ({ version }) satisfies McpStart,
      current: () => version,
      sent: ({ body, request }) => ({ body, headers: protocolHeaders(request) }),
      give: (wanted, { request, client }) => askInside(api, { request, client, question: wanted }),
      givesAway: (given) => ('body' in given ? [given.body.buffer] : []),
      limits: MCP_LIMITS,
    });
  }

  answer(asked: McpRequest): Promise<Answer> {
    const { from, gone: signal } = asked.client;
    return answerClient(this.#thread.ask({ question: asked, from, signal }), {
      route: MCP_PATH,
      refusals: REFUSED,
      onEvent: this.#onEvent,
    });
  }

  /** May be called twice. */
  stop(): Promise<void> {
    return this.#thread.stop();
  }
}

export const MCP_ROUTES: readonly Route<Pick<McpSide, 'answer'>>[] = [
  {
    method: 'POST',
    path: MCP_PATH,
    may: 'ask',
    takes: 'read',
    summary: 'Model Context Protocol for coding agents, as Streamable HTTP: docs/reference/mcp.md',
    handle: {
      bodyBytesMax: BODY_BYTES_MAX,
      isRaw: true,
      // The cast holds because the route takes its body raw.
      write: (side, body, _parameters, { request, client }) =>
        side.answer({ body: body as Uint8Array, request, client }),
    },
  },
];

const REFUSED: Refusals = {
  queue_full: `${WAITING_MAX} requests of MCP wait already: ask again`,
  displaced: 'other addresses use MCP as well, and this one has the most requests waiting: ask again',
  waited_too_long: `the request waited ${WAIT_MAX_MS / 1000} s for its turn`,
  took_too_long: `the request took longer than ${DEADLINE_MS / 1000} s and was given up`,
  thread_ended: 'the thread that speaks MCP has failed, another one starts when asked again',
};

function protocolHeaders({ headers }: IncomingMessage): SentMcpRequest['headers'] {
  return Object.entries(headers)
    .filter(([name]) => /^(?:accept|content-type|mcp-.*)$/.test(name))
    .map(([name, value]) => [name, String(value)]);
}

interface AskedInside {
  readonly request: IncomingMessage;
  readonly client: Client;
  readonly question: ApiQuestion;
}

async function askInside(api: McpParts['api'], { request: outer, client, question }: AskedInside): Promise<GivenByApi> {
  try {
    // The request that it belongs to has its own place and holds its own bytes.
    const held = { tryGrow: () => true, answered: () => undefined, release: () => undefined };
    const { status, body, stream, onGone } = await api(innerRequest(outer, question), { ...client, held });
    if (stream !== undefined) {
      onGone?.();
      return { failed: `${question.path} has no end` };
    }
    return { status, body: typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/** A request of the same sender, by the same connection and with the same headers, except those about its body. */
function innerRequest(outer: IncomingMessage, { method, path, query, body }: ApiQuestion): IncomingMessage {
  const inner = new IncomingMessage(outer.socket);
  inner.method = method;
  inner.url = `${path}${queryText(query)}`;
  inner.httpVersion = outer.httpVersion;
  inner.rawHeaders = outer.rawHeaders;
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = outer.headers;
  inner.headers = { ...headers, accept: 'application/json', 'content-type': 'application/json' };
  // The body has arrived whole, so its end is not the end of the connection.
  inner.complete = true;
  if (body !== undefined) inner.push(JSON.stringify(body));
  inner.push(null);
  return inner;
}
