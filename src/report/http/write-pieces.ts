/**
 * Writes a long answer as the client takes it. Between pieces all others of the thread get their turn, also where a fast
 * client would take everything at once. It is packed in other threads where the client asks for it.
 */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { setImmediate } from 'node:timers/promises';
import type { Pieces } from './answer.ts';

/** Long enough that the head of a chunk costs nothing, and short enough that encoding it takes no time. */
const PIECE_LENGTH = 64 << 10;

/** Lines of metrics repeat each other: more effort saves few bytes of them. */
const GZIP_LEVEL = 1;

export async function writePieces(
  response: ServerResponse,
  { texts, onSent }: Pieces,
  { isZipped }: { readonly isZipped: boolean },
): Promise<void> {
  response.once('finish', () => onSent?.());
  const to = isZipped ? zipInto(response) : response;
  let gathered: string[] = [];
  let length = 0;
  for (const text of texts) {
    gathered.push(text);
    length += text.length;
    if (length < PIECE_LENGTH) continue;
    await written(response, to, Buffer.from(gathered.join('')));
    if (response.destroyed) return;
    gathered = [];
    length = 0;
  }
  to.end(gathered.join(''));
}

function zipInto(response: ServerResponse): Writable {
  const zip = createGzip({ level: GZIP_LEVEL });
  zip.pipe(response);
  response.once('close', () => zip.destroy());
  return zip;
}

/** Resolves once there is room for the next piece, or there never will be. */
async function written(response: ServerResponse, to: Writable, piece: Buffer): Promise<void> {
  if (response.destroyed) return;
  if (!to.write(piece)) {
    await new Promise<void>((resolve) => {
      const go = () => {
        to.off('drain', go);
        response.off('close', go);
        resolve();
      };
      to.on('drain', go);
      response.on('close', go);
    });
  }
  await setImmediate();
}
