/**
 * Bounds the connections of each port, so that a flood on one takes no file descriptor from the others, nor from the
 * journal and the store. Beyond the limit one connection is closed for each that comes; `places.ts` says which.
 */
import { readFileSync } from 'node:fs';
import { Server as WebServer } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { Server as SecureWebServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import { addressGroup } from './address-group.ts';
import { Places } from './places.ts';

/** Kept for the journal, the store, Kafka, judges and webhooks. */
const FILES_KEPT = 256;
const PORTS = 3;
const CONNECTIONS_MIN = 50;
const CONNECTIONS_MAX = 10_000;
/** Every system allows a process as many. */
const FILES_USUAL = 1024;

interface ConnectionLimit {
  /** A connection was closed for want of places. */
  readonly onDropped: () => void;
  readonly max?: number;
}

/** A server of HTTP/1.1 or HTTP/2, with or without TLS. */
export function limitConnections(
  server: Server,
  { onDropped, max = connectionsFor(filesAllowed()) }: ConnectionLimit,
): void {
  const places = new Places<Socket>(max);
  const sockets = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    // A request has the socket of TLS, not this one; both have the same remote end.
    const end = remoteEnd(socket);
    sockets.set(end, socket);
    socket.once('close', () => {
      if (sockets.get(end) === socket) sockets.delete(end);
      places.leave(socket);
    });
    const loser = places.take(socket, addressGroup(socket.remoteAddress));
    if (loser === undefined) return;
    loser.destroy();
    onDropped();
  });
  const onRequest = (end: string, answer: { once(event: 'close', listener: () => void): unknown }) => {
    const socket = sockets.get(end);
    if (socket === undefined) return;
    places.began(socket);
    answer.once('close', () => places.ended(socket));
  };
  if (server instanceof WebServer || server instanceof SecureWebServer) {
    server.on('request', ({ socket }, response) => onRequest(remoteEnd(socket), response));
  } else {
    server.on('stream', (stream: ServerHttp2Stream) => {
      const socket = stream.session?.socket;
      if (socket !== undefined) onRequest(remoteEnd(socket), stream);
    });
  }
}

function remoteEnd({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Connections of one port, where the process may open so many files. */
export function connectionsFor(files: number): number {
  return Math.min(Math.max(Math.floor((files - FILES_KEPT) / PORTS), CONNECTIONS_MIN), CONNECTIONS_MAX);
}

function filesAllowed(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? FILES_USUAL : Number(soft);
  } catch {
    // Not Linux.
    return FILES_USUAL;
  }
}
