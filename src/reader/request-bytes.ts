/** Export requests in the bytes of a file: JSON lines, one JSON document, or protobuf, as the Collector writes them. */
import { transcodeLogs, transcodeTraces } from '../otlp/json-transcoder.ts';
import { indexLogs } from '../otlp/logs-reader.ts';
import { indexTraces } from '../otlp/traces-reader.ts';

export interface OtlpRequest {
  readonly signal: 'traces' | 'logs';
  /** As OTLP protobuf. */
  readonly bytes: Uint8Array;
}

/** Undefined for JSON without spans and log records. Throws where what is in it is not as OTLP has it. */
export function tryReadJsonRequest(text: string): OtlpRequest | undefined {
  // Fast look for the key that tells the signals apart; the transcoder does the real reading.
  if (/"(?:resourceSpans|resource_spans)"/.test(text))
    return { signal: 'traces', bytes: transcodeTraces(Buffer.from(text)) };
  if (/"(?:resourceLogs|resource_logs)"/.test(text.slice(0, 4096)))
    return { signal: 'logs', bytes: transcodeLogs(Buffer.from(text)) };
  return undefined;
}

/** Throws WireError if they are neither spans nor log records. */
export function readProtobufRequest(bytes: Uint8Array): OtlpRequest {
  try {
    indexTraces(bytes);
    return { signal: 'traces', bytes };
  } catch (asTraces) {
    try {
      indexLogs(bytes);
      return { signal: 'logs', bytes };
    } catch {
      throw asTraces;
    }
  }
}

/** Messages with a big-endian 4-byte length before each, as the Collector's file exporter writes them. */
export function tryFrames(bytes: Buffer): Buffer[] | undefined {
  const frames: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes.length - at < 4) return undefined;
    const length = bytes.readUInt32BE(at);
    if (length === 0 || length > bytes.length - at - 4) return undefined;
    frames.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return frames.length > 0 ? frames : undefined;
}

/** True for the first line of a document that people or tools printed over several lines. */
export function isOpenLine(line: Buffer): boolean {
  return /[[{,:]\s*$/.test(line.subarray(-64).toString('latin1'));
}

export function startsLikeJson(bytes: Buffer): boolean {
  for (const byte of bytes) {
    // Space, tab, line ends, and the three bytes of a byte order mark.
    if (byte === 32 || byte === 9 || byte === 10 || byte === 13 || byte === 0xef || byte === 0xbb || byte === 0xbf)
      continue;
    // No message of OTLP begins with either: they are `{` and `[`.
    return byte === 0x7b || byte === 0x5b;
  }
  return true;
}
