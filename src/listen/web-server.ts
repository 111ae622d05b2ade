/** A server of HTTP/1.1, in plain text or by TLS. */
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { PortSecurity } from './certificates.ts';

export type WebServer = Server | SecureServer;

/** A client that connects and says nothing, or never ends the head of a request, is closed within two seconds more. */
const HEADERS_MS_MAX = 10_000;
const CHECK_MS = 2_000;

interface WebTimes {
  /** Until a request has arrived. */
  readonly requestMsMax: number;
  /** Between two requests of a connection. */
  readonly idleMsMax: number;
}

export function createWebServer(times: WebTimes, security: PortSecurity | undefined): WebServer {
  const options: ServerOptions = {
    headersTimeout: HEADERS_MS_MAX,
    requestTimeout: times.requestMsMax,
    keepAliveTimeout: times.idleMsMax,
    connectionsCheckingInterval: CHECK_MS,
  };
  if (security === undefined) return createServer(options);
  const server = createSecureServer({ ...options, ...security.options });
  security.follow(server);
  return server;
}
