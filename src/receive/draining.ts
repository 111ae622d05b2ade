/**
 * Reads the rest of a body whose request was refused. A client that is still sending reads the answer only afterwards,
 * and loses it if the connection is closed on it. So the rest is read and dropped, up to as much as a request may have.
 *
 * Reading costs as much as it would for a request that is taken. Therefore only a few are read to their end at a time.
 * The others are read no further: a client that looks for an answer while it sends has two seconds to see it, and then
 * the connection is closed.
 */
import type { IncomingMessage } from 'node:http';

const READ_AT_A_TIME = 4;
const STILL_SENDING_MS_MAX = 2_000;

export class Draining {
  readonly #maxBytes: number;
  #reading = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  drain(request: IncomingMessage): void {
    if (request.complete) return;
    request.on('error', () => undefined);
    const { socket } = request;
    if (this.#reading >= READ_AT_A_TIME) {
      // Node reads on after an answer unless the body was begun.
      request.read(0);
      request.pause();
      const timer = setTimeout(() => socket.destroy(), STILL_SENDING_MS_MAX);
      socket.once('close', () => clearTimeout(timer));
      return;
    }
    this.#reading += 1;
    request.once('close', () => {
      this.#reading -= 1;
    });
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > this.#maxBytes) socket.destroy();
    });
    request.resume();
  }
}
