/** TLS on the ports: the exporters of the SDK as clients, renewal, and clients that must show a certificate. */
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import path from 'node:path';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as HttpExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { InMemorySpanExporter, SimpleSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, onTestFinished, test } from 'vitest';
import { Certificates } from '../../src/listen/certificates.ts';
import { listen } from '../../src/listen/listen.ts';
import { createWebServer } from '../../src/listen/web-server.ts';
import type { TlsEvent } from '../../src/model/events/tls-events.ts';
import { startOtlpGrpc } from '../../src/receive/otlp-grpc.ts';
import { startOtlpHttp } from '../../src/receive/otlp-http.ts';
import { FIRST, SECOND } from '../certificates.ts';
import { EventLog, FakeSink, receiverOptions } from '../receive/receiving.ts';
import { tempDirectory } from '../temp-directory.ts';

type Pair = typeof FIRST;

function open(pair: Pair, { clientCa }: { readonly clientCa?: string } = {}) {
  const directory = tempDirectory();
  const files = {
    certFile: path.join(directory, 'tls.crt'),
    keyFile: path.join(directory, 'tls.key'),
    clientCaFile: clientCa === undefined ? undefined : path.join(directory, 'clients.crt'),
  };
  const write = ({ cert, key }: Pair) => {
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
  };
  write(pair);
  if (files.clientCaFile !== undefined && clientCa !== undefined) writeFileSync(files.clientCaFile, clientCa);
  const events: TlsEvent[] = [];
  const certificates = new Certificates(files, (event) => events.push(event));
  onTestFinished(() => certificates.stop());
  return { certificates, events, files, write };
}

async function startReceivers(certificates: Certificates) {
  const sink = new FakeSink();
  const [http, grpc] = await Promise.all([
    startOtlpHttp({ ...receiverOptions(sink, new EventLog()), security: certificates.port('otlp_http', 'known') }),
    startOtlpGrpc({ ...receiverOptions(sink, new EventLog()), security: certificates.port('otlp_grpc', 'known') }),
  ]);
  onTestFinished(async () => {
    await Promise.all([http.stop(), grpc.stop()]);
  });
  return { sink, http, grpc };
}

async function startPage(certificates: Certificates): Promise<number> {
  const server = createWebServer({ requestMsMax: 10_000, idleMsMax: 5_000 }, certificates.port('http', 'any'));
  server.on('request', (_request, response) => response.end('here'));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server, 'a test', { host: '127.0.0.1', port: 0 });
}

function exportOne(exporter: SpanExporter): Promise<Error | undefined> {
  const memory = new InMemorySpanExporter();
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] })
    .getTracer('agent')
    .startSpan('invoke_agent')
    .end();
  return new Promise((resolve) => exporter.export(memory.getFinishedSpans(), ({ error }) => resolve(error)));
}

/** The certificate that is shown, or the error. */
async function shownBy(port: number, options: ConnectionOptions = {}): Promise<string> {
  const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca: [FIRST.cert, SECOND.cert], ...options });
  const shown = await new Promise<string>((resolve) => {
    socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? 'none'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  socket.end();
  await new Promise((resolve) => socket.once('close', resolve));
  return shown;
}

function httpExporter(port: number, agent: Partial<Pair> & { readonly ca: string }): SpanExporter {
  return new HttpExporter({ url: `https://127.0.0.1:${port}/v1/traces`, httpAgentOptions: agent, timeoutMillis: 2000 });
}

function grpcExporter(port: number, { cert, key }: Partial<Pair> = {}): SpanExporter {
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
  // The certificate is of 127.0.0.1, and this client takes names only.
  const secure = credentials.createSsl(Buffer.from(FIRST.cert), pem(key), pem(cert), {
    checkServerIdentity: () => undefined,
  });
  return new GrpcExporter({ url: `https://localhost:${port}`, credentials: secure, timeoutMillis: 2000 });
}

test('exporters send over TLS, and one in plain text is refused and counted', async () => {
  const { certificates, events } = open(FIRST);
  const { sink, http, grpc } = await startReceivers(certificates);

  expect(await exportOne(httpExporter(http.port, { ca: FIRST.cert }))).toBeUndefined();
  expect(await exportOne(grpcExporter(grpc.port))).toBeUndefined();
  expect(sink.spanNames).toEqual(['invoke_agent', 'invoke_agent']);

  const plain = await fetch(`http://127.0.0.1:${http.port}/v1/traces`, { method: 'POST' }).catch(() => 'refused');
  expect(plain).toBe('refused');
  expect(events).toEqual([{ type: 'tls-handshake-failed', port: 'otlp_http', problem: 'ERR_SSL_HTTP_REQUEST' }]);
});

test('clients of OTLP must show a certificate of the authority, readers need none', async () => {
  const { certificates } = open(FIRST, { clientCa: SECOND.cert });
  const { sink, http, grpc } = await startReceivers(certificates);
  const page = await startPage(certificates);

  expect(await exportOne(httpExporter(http.port, { ca: FIRST.cert }))).toBeInstanceOf(Error);
  expect(await exportOne(httpExporter(http.port, { ca: FIRST.cert, ...FIRST }))).toBeInstanceOf(Error);
  expect(await exportOne(grpcExporter(grpc.port))).toBeInstanceOf(Error);
  expect(sink.batches).toHaveLength(0);

  expect(await exportOne(httpExporter(http.port, { ca: FIRST.cert, ...SECOND }))).toBeUndefined();
  expect(await exportOne(grpcExporter(grpc.port, SECOND))).toBeUndefined();
  expect(sink.batches).toHaveLength(2);
  const status = new Promise((resolve) =>
    get({ host: '127.0.0.1', port: page, ca: FIRST.cert, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }),
  );
  expect(await status).toBe(200);
});

test('TLS before 1.2 is refused', async () => {
  const port = await startPage(open(FIRST).certificates);

  const old = await shownBy(port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' });

  expect(old).toMatch(/^(?:EPROTO|ERR_SSL|ECONNRESET)/);
  expect(await shownBy(port, { maxVersion: 'TLSv1.2' })).toMatch(/^[\dA-F:]{95}$/);
});

test('a certificate that changes is used for new connections', async () => {
  const { certificates, events, write } = open(FIRST);
  const port = await startPage(certificates);
  const first = await shownBy(port);
  certificates.refresh();
  expect(events).toEqual([]);

  write(SECOND);
  certificates.refresh();

  expect(await shownBy(port)).not.toBe(first);
  expect(events).toEqual([{ type: 'tls-certificate-renewed', expiresAt: certificates.expiresAt }]);
});

test('files that cannot be used change nothing, are reported once, and are used once they fit', async () => {
  const { certificates, events, files, write } = open(FIRST);
  const port = await startPage(certificates);
  const first = await shownBy(port);

  writeFileSync(files.certFile, SECOND.cert);
  certificates.refresh();
  certificates.refresh();

  expect(await shownBy(port)).toBe(first);
  expect(events).toMatchObject([
    { type: 'tls-certificate-unusable', problem: expect.stringMatching('tls.cert_file with tls.key_file') },
  ]);

  write(SECOND);
  certificates.refresh();
  expect(await shownBy(port)).not.toBe(first);
  expect(events.at(-1)?.type).toBe('tls-certificate-renewed');
});

test.each([
  ['a key of another certificate', { cert: FIRST.cert, key: SECOND.key }, /use tls\.cert_file with tls\.key_file/],
  ['no certificate', { cert: 'none', key: FIRST.key }, /use tls\.cert_file with tls\.key_file/],
])('%s is refused at the start', (_what, pair, problem) => {
  expect(() => open(pair)).toThrow(problem);
});

test('an authority of clients that is none is refused at the start', () => {
  expect(() => open(FIRST, { clientCa: 'none' })).toThrow('use tls.client_ca_file');
});
