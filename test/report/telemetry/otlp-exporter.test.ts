/** Sending one request to a receiver that answers as each test says. */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { SPAN_KIND, STATUS_CODE } from '../../../src/otlp/otlp-json.ts';
import { OtlpExporter } from '../../../src/report/telemetry/otlp-exporter.ts';
import { SpanBatches } from '../../../src/report/telemetry/span-batches.ts';
import { FIRST } from '../../certificates.ts';
import { freePorts } from '../../free-ports.ts';
import { tempDirectory } from '../../temp-directory.ts';

const options = { headers: {}, timeoutMs: 5000, compression: 'none', tls: {} } as const;
const never = new AbortController().signal;

async function startReceiver(answers: readonly number[], certificate?: typeof FIRST) {
  const taken: { readonly headers: IncomingMessage['headers']; readonly body: Buffer }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    taken.push({ headers: request.headers, body: Buffer.concat(parts) });
    response.writeHead(answers[taken.length - 1] ?? 200).end('token abcdefgh12345678 is not known');
  };
  const server = certificate === undefined ? createServer(answer) : createSecureServer(certificate, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  // The cast holds for a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  return { taken, url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}/v1/traces` };
}

test('it retries what the protocol calls retryable, and sends the same again', async () => {
  const { taken, url } = await startReceiver([503, 200]);

  const problem = await new OtlpExporter({ ...options, url }).send('{"a":1}', never);

  expect(problem).toBeUndefined();
  expect(taken.map(({ body }) => body.toString())).toEqual(['{"a":1}', '{"a":1}']);
  expect(taken[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'assay' });
});

test('it reports at once what a retry does not mend, without the secrets of its headers', async () => {
  const { taken, url } = await startReceiver([401]);
  const headers = { authorization: 'Bearer abcdefgh12345678' };

  const problem = await new OtlpExporter({ ...options, headers, url }).send('{}', never);

  expect(problem).toBe('it answered 401 Unauthorized: token … is not known');
  expect(taken).toHaveLength(1);
});

test('it gives up when the time of the request is over', async () => {
  const { url } = await startReceiver([503, 503, 503, 503]);

  const problem = await new OtlpExporter({ ...options, url, timeoutMs: 400 }).send('{}', never);

  expect(problem).toMatch(/^it answered 503/);
});

test('a receiver that is away, or answers nothing, is a problem and no exception', async () => {
  const [port = 0] = await freePorts(1);
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close().closeAllConnections());
  const { port: silentPort } = silent.address() as AddressInfo;
  const to = (url: string) => new OtlpExporter({ ...options, url, timeoutMs: 300 }).send('{}', never);

  expect(await to(`http://127.0.0.1:${port}/`)).toBe('ECONNREFUSED');
  expect(await to(`http://127.0.0.1:${silentPort}/`)).toBe('it did not answer in time');
});

test('a stop ends the wait for a retry', async () => {
  const { url } = await startReceiver([503, 503]);
  const stopped = AbortSignal.timeout(100);

  const problem = await new OtlpExporter({ ...options, url, timeoutMs: 60_000 }).send('{}', stopped);

  expect(problem).toBe('it did not answer in time');
});

test('it compresses, and trusts the certificate that it is given', async () => {
  const { taken, url } = await startReceiver([], FIRST);
  const ca = path.join(tempDirectory(), 'ca.pem');
  writeFileSync(ca, FIRST.cert);
  const compression = 'gzip';

  const stranger = await new OtlpExporter({ ...options, url, compression, timeoutMs: 300 }).send('{}', never);
  const trusted = await new OtlpExporter({ ...options, url, compression, tls: { ca } }).send('{"a":1}', never);

  expect(stranger).toMatch(/CERT|self-signed/i);
  expect(trusted).toBeUndefined();
  expect(taken.map(({ body }) => gunzipSync(body).toString())).toEqual(['{"a":1}']);
});

test('spans that nobody takes are dropped beyond a limit, the newest, and counted once', () => {
  const batches = new SpanBatches();
  const times = { startTimeUnixNano: '1', endTimeUnixNano: '2' };
  const common = { traceId: '', spanId: '', kind: SPAN_KIND.internal, attributes: [], ...times };
  for (let number = 0; number < 2050; number++) {
    batches.keep({ ...common, name: `${number}`, status: { code: STATUS_CODE.ok } });
  }

  const taken = [batches.take(), batches.take(), batches.take(), batches.take()];

  expect(taken.map((spans) => spans.length)).toEqual([512, 512, 512, 512]);
  expect(taken[3]?.at(-1)?.name).toBe('2047');
  expect([batches.takeDropped(), batches.takeDropped(), batches.take(), batches.isFull]).toEqual([2, 0, [], false]);
});
