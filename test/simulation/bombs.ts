/**
 * Attacks a real process with requests that take much more memory than they have bytes, many at once, and watches what
 * others notice of it. Each kind of attack has a calm time before it, in which the same client is measured.
 */
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { transcodeTraces } from '../../src/model/otlp/json-transcoder.ts';
import { tinySpans } from '../receive/tiny-spans.ts';
import { limitMemory } from './memory-limit.ts';
import { type AssayProcess, freeListenPorts, startAssay } from './process.ts';

interface BombsOptions {
  /** Requests of each kind, all at once. */
  readonly count: number;
  readonly memoryBytes: number;
  readonly calmSeconds: number;
  readonly attackSeconds: number;
  readonly onProgress?: (line: string) => void;
}

interface AttackReport {
  readonly attack: string;
  readonly calm_p99_ms: number;
  readonly attacked_p99_ms: number;
  readonly others_answered: number;
  readonly others_refused: number;
  /** The highest of the process so far. */
  readonly rss_mib_max: number;
}

export interface BombsReport {
  readonly survived: boolean;
  readonly memory_limit: 'cgroup' | 'none';
  readonly rss_mib_max: number;
  readonly attacks: readonly AttackReport[];
}

const MIB = 2 ** 20;
const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const BODY_BYTES = 60 * MIB;

type Attack = (target: Target) => { end(): void };
interface Target {
  readonly assay: AssayProcess;
  readonly count: number;
}

export async function bombs(options: BombsOptions): Promise<BombsReport> {
  const say = options.onProgress ?? (() => {});
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-bombs-'));
  const assay = await startAssay({ dataDir, ports: await freeListenPorts() });
  const limit = limitMemory(assay.pid, options.memoryBytes);
  const reports: AttackReport[] = [];
  try {
    for (const [attack, start] of Object.entries(attacks()).filter(([name]) =>
      new RegExp(process.env.ONLY ?? '').test(name),
    )) {
      const calm = await others(assay, options.calmSeconds);
      const attacking = start({ assay, count: options.count });
      const attacked = await others(assay, options.attackSeconds);
      attacking.end();
      const report = {
        attack,
        calm_p99_ms: p99(calm.latencies),
        attacked_p99_ms: p99(attacked.latencies),
        others_answered: attacked.latencies.length,
        others_refused: attacked.refused,
        rss_mib_max: peakMiB(assay.pid),
      };
      say(JSON.stringify(report));
      reports.push(report);
      if (report.rss_mib_max === 0) break;
    }
    const peak = peakMiB(assay.pid);
    return {
      survived: peak > 0,
      memory_limit: limit === undefined ? 'none' : 'cgroup',
      rss_mib_max: Math.max(peak, ...reports.map(({ rss_mib_max }) => rss_mib_max)),
      attacks: reports,
    };
  } finally {
    await assay.kill();
    limit?.release();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function attacks(): Readonly<Record<string, Attack>> {
  const zeros = gzipSync(Buffer.alloc(BODY_BYTES));
  const slow = gzipSync(requestOf('4111 4111 4111 411 ', BODY_BYTES));
  const slowSmall = gzipSync(requestOf('cookie: ', 250_000));
  const nested = gzipSync(Buffer.from(`{"resourceSpans":${'['.repeat(BODY_BYTES / 2)}`));
  return {
    'zeros over HTTP': (target) => postAll(target, zeros, 'application/x-protobuf'),
    'zeros over gRPC': (target) => callAll(target, zeros),
    'text that redaction works on slowly, over HTTP': (target) => postAll(target, slow, 'application/x-protobuf'),
    'text that redaction works on slowly, over gRPC': (target) => callAll(target, slow),
    'smaller texts that redaction works on slowly, over HTTP': (target) => postForever(target, slowSmall),
    'as many spans as are refused, over HTTP': (target) => postForever(target, gzipSync(tinySpans(400_000)), 4),
    'as many spans as are taken, over HTTP': (target) => postForever(target, gzipSync(tinySpans(100_000)), 4),
    'nested JSON over HTTP': (target) => postAll(target, nested, 'application/json'),
    'never finished, over HTTP': neverFinishedHttp,
    'never finished, over gRPC': neverFinishedGrpc,
  };
}

/** A span with a text that redaction works on slowly. */
function requestOf(piece: string, bytes: number): Buffer {
  const value = { stringValue: piece.repeat(bytes / piece.length) };
  const span = {
    traceId: '5'.repeat(32),
    spanId: '5'.repeat(16),
    name: 'bomb',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
    attributes: [{ key: 'text', value }],
  };
  return Buffer.from(
    transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))),
  );
}

function postAll({ assay, count }: Target, body: Buffer, type: string): { end(): void } {
  const stop = new AbortController();
  const headers = { 'content-type': type, 'content-encoding': 'gzip' };
  for (let sent = 0; sent < count; sent += 1) {
    fetch(`${assay.otlpHttp}/v1/traces`, { method: 'POST', headers, body: new Uint8Array(body), signal: stop.signal })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
  }
  return { end: () => stop.abort() };
}

/** Each client sends again as soon as it is answered. */
function postForever({ assay, count }: Target, body: Buffer, clients = count): { end(): void } {
  const stop = new AbortController();
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };
  const post = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const init = { method: 'POST', headers, body: new Uint8Array(body), signal: stop.signal };
      await fetch(`${assay.otlpHttp}/v1/traces`, init)
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
    }
  };
  for (let client = 0; client < clients; client += 1) void post();
  return { end: () => stop.abort() };
}

function callAll(target: Target, body: Buffer): { end(): void } {
  const head = Buffer.alloc(5);
  head.writeUInt8(1);
  head.writeUInt32BE(body.length, 1);
  const message = Buffer.concat([head, body]);
  return onSessions(target, (session) => {
    const stream = session.request({ ...GRPC_HEAD, 'grpc-encoding': 'gzip' });
    stream.on('error', () => undefined);
    stream.resume();
    stream.end(message);
  });
}

const GRPC_HEAD = { ':method': 'POST', ':path': EXPORT, 'content-type': 'application/grpc', te: 'trailers' };

function neverFinishedGrpc(target: Target): { end(): void } {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(BODY_BYTES, 1);
  const most = Buffer.alloc(BODY_BYTES - MIB);
  return onSessions(target, (session) => {
    const stream = session.request(GRPC_HEAD);
    stream.on('error', () => undefined);
    stream.resume();
    stream.write(head);
    stream.write(most);
  });
}

/** Twenty calls on each of so many connections as that takes. */
function onSessions({ assay, count }: Target, call: (session: ClientHttp2Session) => void): { end(): void } {
  const sessions = Array.from({ length: Math.ceil(count / 20) }, () => {
    const session = connectHttp2(assay.otlpGrpc);
    session.on('error', () => undefined);
    return session;
  });
  for (let made = 0; made < count; made += 1) {
    const session = sessions[made % sessions.length];
    if (session !== undefined) call(session);
  }
  return {
    end: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

function neverFinishedHttp({ assay, count }: Target): { end(): void } {
  const { hostname, port } = new URL(assay.otlpHttp);
  const head = `POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-protobuf\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;
  const most = Buffer.alloc(BODY_BYTES - MIB);
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(head);
    socket.write(most);
    return socket;
  });
  return {
    end: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Others {
  readonly latencies: readonly number[];
  readonly refused: number;
}

/** A client as others are: small requests, one after the other, for a while. */
async function others({ otlpHttp }: AssayProcess, seconds: number): Promise<Others> {
  const latencies: number[] = [];
  let refused = 0;
  const endsAt = performance.now() + seconds * 1000;
  for (let sent = 0; performance.now() < endsAt; sent += 1) {
    const at = performance.now();
    const isAnswered = await fetch(`${otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: smallRequest(sent),
      signal: AbortSignal.timeout(30_000),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
    if (isAnswered) latencies.push(performance.now() - at);
    else refused += 1;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { latencies, refused };
}

function smallRequest(number: number): string {
  const span = {
    traceId: number.toString(16).padStart(32, '7'),
    spanId: number.toString(16).padStart(16, '7'),
    name: 'invoke_agent booking',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
  };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
}

function p99(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(Math.ceil(sorted.length * 0.99), sorted.length) - 1] ?? Number.NaN);
}

/** 0 once the process has ended. */
function peakMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
