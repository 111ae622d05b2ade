/** Reads the pieces in a content file that no row refers to. */
import { readFileSync } from 'node:fs';
import { decodeContent } from '../content-codec.ts';
import type { TraceContent } from '../engine-store.ts';
import { findPieces, PIECE_HEAD_BYTES } from './content-piece.ts';

/** Returns the bytes in which there is no whole piece; a flush pads with zeros, which count as none. */
export function* readSetAsideContent(file: string): Generator<TraceContent, number, undefined> {
  // A content file has at most 128 MiB.
  const bytes = readFileSync(file);
  let read = 0;
  for (const { spans, logs } of findPieces(bytes)) {
    read += PIECE_HEAD_BYTES + spans.length + logs.length;
    yield { traces: decodeContent(spans), logs: logs.length === 0 ? undefined : decodeContent(logs) };
  }
  const padding = bytes.reduce((zeros, byte) => zeros + Number(byte === 0), 0);
  return Math.max(0, bytes.length - read - padding);
}
