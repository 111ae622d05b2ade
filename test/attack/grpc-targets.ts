/** OTLP over gRPC: calls that take much more than they have bytes, and floods of frames that HTTP/2 allows or not. */
import { gzipSync } from 'node:zlib';
import {
  callHead,
  END_HEADERS,
  END_STREAM,
  FRAME,
  type Frame,
  frame,
  literal,
  PREFACE,
  SHORTEST_HEAD,
  streamOf,
} from '../receive/http2-frames.ts';
import { tinySpans } from '../receive/tiny-spans.ts';
import type { Target } from './attack.ts';
import { OTLP_BOUNDS } from './bounds.ts';
import { slowText } from './otlp-targets.ts';
import type { RawRequest } from './raw-request.ts';

const MIB = 2 ** 20;
const ZEROS = 50 * MIB;
/** Frames of a flood. A connection that is closed for them is closed long before. */
const MANY = 5_000;
/** As much as a client may send before it is told to go on. */
const PART_BYTES = 16_000;

export const GRPC_TARGETS: readonly Target[] = [
  'trace.v1.TraceService',
  'logs.v1.LogsService',
  'metrics.v1.MetricsService',
].map((service, n) => {
  const path = `/opentelemetry.proto.collector.${service}/Export`;
  return {
    name: `${path} (gRPC)`,
    place: 'otlp_grpc',
    port: 'otlp_grpc' as const,
    bounds: OTLP_BOUNDS,
    legal: [called(path, 'nothing', Buffer.alloc(0))],
    illegal: [
      zipped(path, 'zeros', Buffer.alloc(ZEROS)),
      zipped(path, 'text that redaction works on slowly', slowText(250_000)),
      zipped(path, 'more spans than are taken', tinySpans(400_000)),
      ...floods(path).map(fromOwn(n)),
    ],
    unfinished: [
      flood('a message that never ends', [
        { type: FRAME.headers, flags: END_HEADERS, id: 1, body: callHead(path) },
        { type: FRAME.data, id: 1, body: Buffer.from([0, 3, 0, 0, 0, 1]) },
      ]),
      flood(
        'calls that never send anything',
        many(100, (call) => [{ type: FRAME.headers, flags: END_HEADERS, id: streamOf(call), body: callHead(path) }]),
      ),
    ],
  };
});

/** Each flood comes from an address of its own, which is slowed for it. */
function fromOwn(service: number): (request: RawRequest, n: number) => RawRequest {
  return (request, n) => ({ ...request, from: `127.0.${service + 1}.${n + 1}` });
}

function floods(path: string): readonly RawRequest[] {
  const code = Buffer.from([0, 0, 0, 8]);
  return [
    flood(
      'calls taken back at once',
      many(MANY, (call) => [
        { type: FRAME.headers, flags: END_HEADERS, id: streamOf(call), body: callHead(path) },
        { type: FRAME.reset, id: streamOf(call), body: code },
      ]),
    ),
    flood(
      'more calls than are allowed',
      many(MANY, (call) => [{ type: FRAME.headers, flags: END_HEADERS, id: streamOf(call), body: SHORTEST_HEAD }]),
    ),
    flood(
      'calls that are none of gRPC',
      many(MANY, (call) => [
        { type: FRAME.headers, flags: END_HEADERS | END_STREAM, id: streamOf(call), body: SHORTEST_HEAD },
      ]),
    ),
    flood('heads that go on', [
      { type: FRAME.headers, id: 1, body: SHORTEST_HEAD },
      ...many(MANY, () => [{ type: FRAME.continuation, id: 1, body: literal('a', 'a') }]),
    ]),
    flood(
      'calls without a message, with many headers',
      many(90, (call) => [
        { type: FRAME.headers, flags: END_HEADERS | END_STREAM, id: streamOf(call), body: withCookies(path) },
      ]),
    ),
    flood(
      'heads of many references',
      many(90, (call) => [
        { type: FRAME.headers, flags: END_HEADERS | END_STREAM, id: streamOf(call), body: withReferences(path) },
      ]),
    ),
    flood('a message in parts of a byte', [
      { type: FRAME.headers, flags: END_HEADERS, id: 1, body: callHead(path) },
      { type: FRAME.data, id: 1, body: Buffer.from([0, 0, 1, 0, 0]) },
      ...many(MANY, () => [{ type: FRAME.data, id: 1, body: Buffer.from([1]) }]),
    ]),
    flood(
      'pings',
      many(MANY, () => [{ type: FRAME.ping, id: 0, body: Buffer.alloc(8) }]),
    ),
    flood(
      'settings',
      many(MANY, () => [{ type: FRAME.settings, id: 0 }]),
    ),
    flood(
      'windows',
      many(MANY, () => [{ type: FRAME.windowUpdate, id: 0, body: Buffer.from([0, 0, 0, 1]) }]),
    ),
    flood(
      'priorities',
      many(MANY, (call) => [{ type: FRAME.priority, id: streamOf(call), body: Buffer.from([0, 0, 0, 0, 1]) }]),
    ),
    flood('empty parts', [
      { type: FRAME.headers, flags: END_HEADERS, id: 1, body: callHead(path) },
      ...many(MANY, () => [{ type: FRAME.data, id: 1 }]),
    ]),
    { name: 'what is not HTTP/2', bytes: Buffer.alloc(MIB, 'x'), isFlood: true },
  ];
}

function withCookies(path: string): Buffer {
  return Buffer.concat([callHead(path), ...Array.from({ length: 110 }, () => literal('cookie', 'a=b'))]);
}

/** Each byte is an entry of the table that both sides know. */
function withReferences(path: string): Buffer {
  return Buffer.concat([callHead(path), Buffer.alloc(15_000, 0x83)]);
}

function many(count: number, of: (call: number) => readonly Frame[]): readonly Frame[] {
  return Array.from({ length: count }, (_none, call) => of(call)).flat();
}

function flood(name: string, frames: readonly Frame[]): RawRequest {
  return { name, bytes: Buffer.concat([PREFACE, ...frames.map(frame)]), isFlood: true };
}

function zipped(path: string, name: string, message: Buffer): RawRequest {
  return called(path, name, gzipSync(message), 'gzip');
}

function called(path: string, name: string, message: Buffer, encoding?: string): RawRequest {
  const head = Buffer.alloc(5);
  head.writeUInt8(encoding === undefined ? 0 : 1);
  head.writeUInt32BE(message.length, 1);
  const body = Buffer.concat([head, message]);
  const parts = Array.from({ length: Math.ceil(body.length / PART_BYTES) }, (_none, part) =>
    body.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
  );
  const frames = [
    frame({ type: FRAME.headers, flags: END_HEADERS, id: 1, body: callHead(path, encoding) }),
    ...parts.map((part, n) =>
      frame({ type: FRAME.data, flags: n === parts.length - 1 ? END_STREAM : 0, id: 1, body: part }),
    ),
  ];
  return { name, bytes: Buffer.concat([PREFACE, ...frames]), isHttp2: true };
}
