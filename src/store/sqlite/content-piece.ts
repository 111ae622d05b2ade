/**
 * The form of a piece of content: the spans of a trace and its log records.
 *
 *   piece = magic u32 | crc32 of the body u32 | length of the spans u32 | length of the log records u32 | body
 *
 * Little endian. A place, and so a row, refers to the body, and the row has the checksum as well: it tells a damaged
 * piece, and an intact one that is not the row's. The head is for finding pieces that no row refers to. Pieces of
 * earlier versions have none, and their rows no checksum.
 */
import { crc32 } from 'node:zlib';

const PIECE_MAGIC = 0x43595341; // "ASYC"
export const PIECE_HEAD_BYTES = 16;

export function writePieceHead(crc: number, lengths: { readonly spans: number; readonly logs: number }): Buffer {
  const head = Buffer.alloc(PIECE_HEAD_BYTES);
  head.writeUInt32LE(PIECE_MAGIC, 0);
  head.writeUInt32LE(crc, 4);
  head.writeUInt32LE(lengths.spans, 8);
  head.writeUInt32LE(lengths.logs, 12);
  return head;
}

export function pieceChecksum(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((crc, piece) => crc32(piece, crc), 0);
}

interface FoundPiece {
  /** Place of its head in the bytes. */
  readonly offset: number;
  readonly spans: Uint8Array;
  /** Empty where the trace has none. */
  readonly logs: Uint8Array;
}

/** Whole pieces in bytes that hold pieces, damaged ones and anything else; each once, however the bytes were cut. */
export function* findPieces(bytes: Buffer): Generator<{
  readonly offset: number;
  readonly spans: Uint8Array;
  readonly logs: Uint8Array;
}> {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(PIECE_MAGIC, 0);
  for (let at = bytes.indexOf(magic); at !== -1; ) {
    const piece = tryReadPiece(bytes, at);
    if (piece !== undefined) yield piece;
    at = bytes.indexOf(
      magic,
      at + (piece === undefined ? 1 : PIECE_HEAD_BYTES + piece.spans.length + piece.logs.length),
    );
  }
}

export function beginsLikePiece(bytes: Buffer): boolean {
  return bytes.length >= PIECE_HEAD_BYTES && bytes.readUInt32LE(0) === PIECE_MAGIC;
}

function tryReadPiece(bytes: Buffer, at: number): FoundPiece | undefined {
  if (bytes.length - at < PIECE_HEAD_BYTES) return undefined;
  const spans = bytes.readUInt32LE(at + 8);
  const logs = bytes.readUInt32LE(at + 12);
  const from = at + PIECE_HEAD_BYTES;
  if (spans + logs === 0 || from + spans + logs > bytes.length) return undefined;
  if (crc32(bytes.subarray(from, from + spans + logs)) !== bytes.readUInt32LE(at + 4)) return undefined;
  return {
    offset: at,
    spans: bytes.subarray(from, from + spans),
    logs: bytes.subarray(from + spans, from + spans + logs),
  };
}
