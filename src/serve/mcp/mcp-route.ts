/**
 * `POST /mcp`: the MCP server of the running service, as Streamable HTTP without sessions: each request has a server of its
 * own. A tool asks the routes of the API in this process, in the name of whoever sent the request. So roles, limits, the
 * audit log and the words of refusals are those of the API, and a client of MCP can do nothing else.
 */
import { IncomingMessage } from 'node:http';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { type ApiQuestion, queryText } from '../../mcp/asked-api.ts';
import { mcpServer } from '../../mcp/mcp-server.ts';
import type { Answer } from '../../report/http/answer.ts';
import type { Route } from '../../report/http/route.ts';
import { untilGone } from '../api/until-gone.ts';

const MCP_PATH = '/mcp';
const BODY_BYTES_MAX = 1024 * 1024;

interface McpSide {
  readonly version: string;
  /** The API, as the port answers it. */
  readonly answer: (request: IncomingMessage) => Promise<Answer>;
}

export const MCP_ROUTES: readonly Route<McpSide>[] = [
  {
    method: 'POST',
    path: MCP_PATH,
    may: 'ask',
    takes: 'read',
    summary: 'Model Context Protocol for coding agents, as Streamable HTTP: docs/mcp.md',
    handle: {
      bodyBytesMax: BODY_BYTES_MAX,
      write: async ({ version, answer }, body, _parameters, { request }) => {
        const handler = handlerFor(version, (question) => askInside(answer, request, question));
        try {
          return await untilGone(request, async (signal) =>
            answerOf(await handler.fetch(webRequest(request, signal), { parsedBody: body })),
          );
        } finally {
          await handler.close();
        }
      },
    },
  },
];

function handlerFor(version: string, api: Parameters<typeof mcpServer>[0]['api']): McpHttpHandler {
  // Nothing is announced, so nobody needs a stream that stays open.
  return createMcpHandler(() => mcpServer({ api, keepCase: undefined }, version), {
    maxSubscriptions: 0,
  });
}

function webRequest({ headers }: IncomingMessage, signal: AbortSignal): Request {
  const kept = Object.entries(headers).filter(([name]) => /^(?:accept|content-type|mcp-.*)$/.test(name));
  return new Request(`http://assay${MCP_PATH}`, {
    method: 'POST',
    headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
    signal,
  });
}

async function answerOf(response: Response): Promise<Answer> {
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? 'application/json',
    body: await response.text(),
  };
}

async function askInside(
  answer: McpSide['answer'],
  outer: IncomingMessage,
  question: ApiQuestion,
): Promise<{ readonly status: number; readonly text: string }> {
  const { status, body, onTaken, stream } = await answer(innerRequest(outer, question));
  onTaken?.();
  if (stream !== undefined) throw new Error(`${question.path} has no end`);
  return { status, text: typeof body === 'string' ? body : Buffer.from(body).toString() };
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
  // It has come whole, so its end is not the end of the connection.
  inner.complete = true;
  if (body !== undefined) inner.push(JSON.stringify(body));
  inner.push(null);
  return inner;
}
