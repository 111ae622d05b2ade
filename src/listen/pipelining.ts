/**
 * Bounds how many requests a connection may have unanswered. HTTP/1.1 allows requests to be sent without waiting for
 * answers, and Node hands over all that arrived in one read: two thousand small ones in one tick, during which nobody
 * else is served. No client of OTLP and no browser does so.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const UNANSWERED_MAX = 16;

export function withoutPipelining(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // Requests of the same read still come after the connection was ended.
    if (socket.destroyed) return;
    const before = unanswered.get(socket) ?? 0;
    if (before >= UNANSWERED_MAX) {
      socket.destroy();
      return;
    }
    unanswered.set(socket, before + 1);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handle(request, response);
  };
}
