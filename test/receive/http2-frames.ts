/** Frames of HTTP/2, for connections that no client library makes: https://www.rfc-editor.org/rfc/rfc9113#section-4.1 */

export interface Frame {
  readonly type: number;
  readonly flags?: number;
  readonly id: number;
  readonly body?: Buffer;
}

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const END_STREAM = 1;
export const END_HEADERS = 4;
export const ACK = 1;
const FRAME_HEAD_BYTES = 9;

export function frame({ type, flags = 0, id, body = Buffer.alloc(0) }: Frame): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(body.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, body]);
}

/** The beginning of a connection. */
export const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame({ type: FRAME.settings, id: 0 }),
]);

/** POST, http, `/` and an authority: the shortest head that HTTP/2 takes for a request. */
export const SHORTEST_HEAD = Buffer.from([0x83, 0x86, 0x84, 0x01, 1, 0x61]);

const AUTHORITY = 'localhost';

/** Head of a call of gRPC: the same with its path, its type and perhaps its compression. */
export function callHead(path: string, encoding?: string): Buffer {
  const type = 'application/grpc';
  return Buffer.concat([
    Buffer.from([0x83, 0x86, 0x04, path.length]),
    Buffer.from(path),
    Buffer.from([0x01, AUTHORITY.length]),
    Buffer.from(AUTHORITY),
    Buffer.from([0x0f, 0x10, type.length]),
    Buffer.from(type),
    ...(encoding === undefined ? [] : [literal('grpc-encoding', encoding)]),
  ]);
}

export function literal(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([0x00, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
}

/** The number of a client's call, counted from 0, as HTTP/2 numbers streams. */
export function streamOf(call: number): number {
  return 2 * call + 1;
}

/** Heads of the frames that are whole in it. */
export function framesIn(
  bytes: Buffer,
): readonly { readonly type: number; readonly flags: number; readonly id: number }[] {
  const found: { type: number; flags: number; id: number }[] = [];
  for (let at = 0; at + FRAME_HEAD_BYTES <= bytes.length; ) {
    const end = at + FRAME_HEAD_BYTES + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    found.push({ type: bytes.readUInt8(at + 3), flags: bytes.readUInt8(at + 4), id: bytes.readUInt32BE(at + 5) });
    at = end;
  }
  return found;
}
