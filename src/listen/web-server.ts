/** A server of HTTP/1.1, in plain text or by TLS. */
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { PortSecurity } from './certificates.ts';

export type WebServer = Server | SecureServer;

export function createWebServer(options: ServerOptions, security: PortSecurity | undefined): WebServer {
  if (security === undefined) return createServer(options);
  const server = createSecureServer({ ...options, ...security.options });
  security.follow(server);
  return server;
}
