/**
 * Reads the message of a unary call, as gRPC frames it:
 *
 *   0   1 byte    whether it is compressed, as `grpc-encoding` says
 *   1   4 bytes   its length, the most significant byte first
 *   5   …         the message
 */
import { CONTENT_ENCODINGS, type ContentEncoding } from '../../model/events/receive-events.ts';

export const MESSAGE_HEAD_BYTES = 5;

interface Message {
  readonly bytes: Buffer;
  readonly encoding: ContentEncoding;
}

export function messageIn(body: Buffer, encoding: ContentEncoding): Message | { readonly problem: string } {
  if (body.length < MESSAGE_HEAD_BYTES)
    return { problem: `a call has one message, and this one has ${body.length} bytes` };
  const flag = body.readUInt8(0);
  const length = body.readUInt32BE(1);
  const bytes = body.subarray(MESSAGE_HEAD_BYTES);
  if (length !== bytes.length) return { problem: `the message should have ${length} bytes, and ${bytes.length} came` };
  if (flag > 1) return { problem: `the message begins with ${flag}, which is neither compressed (1) nor not (0)` };
  return { bytes, encoding: flag === 0 ? 'identity' : encoding };
}

/** Length of the whole body, from its beginning; undefined until the head is there. */
export function bodyLengthIn(beginning: Buffer): number | undefined {
  return beginning.length < MESSAGE_HEAD_BYTES ? undefined : MESSAGE_HEAD_BYTES + beginning.readUInt32BE(1);
}

/** Undefined if it is another one. */
export function compressionOf(header: string | readonly string[] | undefined): ContentEncoding | undefined {
  return header === undefined ? 'identity' : CONTENT_ENCODINGS.find((encoding) => encoding === header);
}
