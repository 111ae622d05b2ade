/** The HTTP side that people, programs and Prometheus look at. A table of routes defines what it serves. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, jsonAnswer } from './answer.ts';
import { answerRequest, type Routed } from './router.ts';

export interface HttpServer {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startHttpServer(
  options: Routed & { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    answerRequest(options, request)
      .catch(
        (error: unknown): Answer => jsonAnswer(500, { error: `the request could not be answered: ${String(error)}` }),
      )
      .then((result) => send(response, request, result))
      .catch(() => response.destroy());
  });
  server.requestTimeout = 10_000;
  await listen(server, options);
  // The cast holds for a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(
  server: ReturnType<typeof createServer>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new Error(`listen on ${host}:${port} for metrics and the API (http_port, ASSAY_HTTP_PORT, --http-port)`, {
          cause: error,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}

function send(response: ServerResponse, request: IncomingMessage, { status, type, body, headers }: Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'content-type': type,
    'content-length': bytes.length,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
  // A client that is still sending reads the answer only afterwards; what it sends goes nowhere, within the time that a request may take.
  request.resume();
}
