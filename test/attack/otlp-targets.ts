/** OTLP over HTTP: requests that take much more memory or time than they have bytes. */
import { gzipSync } from 'node:zlib';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { tinySpans } from '../receive/tiny-spans.ts';
import type { Target } from './attack.ts';
import { OTLP_BOUNDS } from './bounds.ts';
import { httpRequest, type RawRequest } from './raw-request.ts';

const MIB = 2 ** 20;
const BODY_BYTES = 60 * MIB;

export const HTTP_TARGETS: readonly Target[] = ['/v1/traces', '/v1/logs', '/v1/metrics'].map((path) => ({
  name: `POST ${path} (OTLP)`,
  place: 'otlp_http',
  port: 'otlp_http' as const,
  bounds: OTLP_BOUNDS,
  legal: [
    posted(path, 'nothing', Buffer.alloc(0)),
    ...(path === '/v1/traces' ? [posted(path, 'many spans', tinySpans(1_000))] : []),
  ],
  unfinished: [
    httpRequest({
      name: 'never finished',
      method: 'POST',
      target: path,
      headers: { 'content-type': 'application/x-protobuf' },
      body: Buffer.alloc(MIB),
      announced: BODY_BYTES,
    }),
  ],
  illegal: [
    zipped(path, 'zeros', Buffer.alloc(BODY_BYTES)),
    zipped(path, 'nested JSON', Buffer.from(`{"resourceSpans":${'['.repeat(BODY_BYTES / 8)}`), 'application/json'),
    zipped(path, 'text that redaction works on slowly', slowText(250_000)),
    zipped(path, 'more spans than are taken', tinySpans(400_000)),
    posted(path, 'another type', Buffer.from('x'), 'text/plain'),
  ],
}));

function posted(path: string, name: string, body: Buffer, type = 'application/x-protobuf'): RawRequest {
  return httpRequest({ name, method: 'POST', target: path, headers: { 'content-type': type }, body });
}

function zipped(path: string, name: string, body: Buffer, type = 'application/x-protobuf'): RawRequest {
  const headers = { 'content-type': type, 'content-encoding': 'gzip' };
  return httpRequest({ name, method: 'POST', target: path, headers, body: gzipSync(body) });
}

/** A span with a text that redaction works on slowly. */
export function slowText(bytes: number): Buffer {
  const piece = 'cookie: ';
  const span = {
    traceId: '5'.repeat(32),
    spanId: '5'.repeat(16),
    name: 'bomb',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
    attributes: [{ key: 'text', value: { stringValue: piece.repeat(bytes / piece.length) } }],
  };
  return Buffer.from(
    transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))),
  );
}
