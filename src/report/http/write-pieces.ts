/**
 * Writes a long answer as the client takes it. Between pieces all others of the thread get their turn, also where a fast
 * client would take everything at once.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Pieces } from './answer.ts';

/** Long enough that the head of a chunk costs nothing, and short enough that encoding it takes no time. */
const PIECE_LENGTH = 64 << 10;

export async function writePieces(response: ServerResponse, { texts, onSent }: Pieces): Promise<void> {
  response.once('finish', () => onSent?.());
  let gathered: string[] = [];
  let length = 0;
  for (const text of texts) {
    gathered.push(text);
    length += text.length;
    if (length < PIECE_LENGTH) continue;
    await written(response, Buffer.from(gathered.join('')));
    if (response.destroyed) return;
    gathered = [];
    length = 0;
  }
  response.end(gathered.join(''));
}

/** Resolves once there is room for the next piece, or there never will be. */
async function written(response: ServerResponse, piece: Buffer): Promise<void> {
  if (response.destroyed) return;
  if (!response.write(piece)) {
    await new Promise<void>((resolve) => {
      const go = () => {
        response.off('drain', go);
        response.off('close', go);
        resolve();
      };
      response.on('drain', go);
      response.on('close', go);
    });
  }
  await setImmediate();
}
