/** The comments of GitHub and GitLab as their APIs have them, on a server of this machine. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Forge {
  readonly url: string;
  /** Bodies by the id of their comment. */
  readonly comments: Map<number, string>;
  /** `POST /path` of each question, with its token. */
  readonly asked: string[];
}

const PER_PAGE = 100;

export async function startForge(answer?: { readonly status: number; readonly location?: string }): Promise<Forge> {
  const comments = new Map<number, string>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const token = request.headers.authorization ?? request.headers['private-token'] ?? '';
    asked.push(`${request.method} ${request.url} ${token}`);
    if (answer !== undefined) {
      response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location }).end('{}');
      return;
    }
    handle(request, comments).then(
      (value) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // The cast holds for a server that listens on a port.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, comments, asked };
}

async function handle(request: IncomingMessage, comments: Map<number, string>): Promise<unknown> {
  const url = new URL(request.url ?? '', 'http://forge');
  if (request.method === 'GET') {
    const from = (Number(url.searchParams.get('page')) - 1) * PER_PAGE;
    return [...comments].slice(from, from + PER_PAGE).map(([id, body]) => ({ id, body }));
  }
  // The cast holds for what is asked of it here.
  const { body } = JSON.parse(await text(request)) as { readonly body: string };
  const id = request.method === 'POST' ? comments.size + 1 : Number(url.pathname.split('/').at(-1));
  comments.set(id, body);
  return { id, html_url: `https://forge.example/c/${id}` };
}
