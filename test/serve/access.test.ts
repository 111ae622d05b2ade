/** Access control, asked of the running service on all of its ports, as its users would. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { InMemorySpanExporter, SimpleSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, expect, test } from 'vitest';
import { TokenFile } from '../../src/access/token-file.ts';
import { newToken } from '../../src/access/token.ts';
import { ROLES, type Role } from '../../src/model/caller.ts';
import { PROCESS_ROUTES } from '../../src/serve/api/routes.ts';
import { STORE_ROUTES } from '../../src/serve/http/store-routes.ts';
import { accessFilesIn } from '../../src/serve/store-place/data-directory.ts';
import { NoTokens } from '../../src/serve/http/service-access.ts';
import { tempDirectory } from '../temp-directory.ts';
import { runService, type RunningService } from './running-service.ts';

const VARIABLES = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
afterEach(() => {
  for (const name of VARIABLES) delete process.env[name];
});

async function tokensIn(dataDir: string) {
  const file = new TokenFile(accessFilesIn(dataDir).tokensFile);
  const made = ROLES.map((role) => ({ role, ...newToken(role, { name: `a-${role}`, now: 0, expiresAt: undefined }) }));
  for (const { kept } of made) await file.add(kept);
  const tokens = Object.fromEntries(made.map(({ role, token }) => [role, token]));
  // The cast holds: there is one for each role.
  return { file, tokens: tokens as Readonly<Record<Role, string>> };
}

async function start(config: string) {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'assay.yaml'), config);
  const { file, tokens } = await tokensIn(dataDir);
  const running = await runService({ suites: ['default'], dataDir });
  return { running, file, tokens, dataDir };
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

const INCLUDED: Readonly<Record<Role, readonly Role[]>> = {
  ingest: ['ingest'],
  read: ['read'],
  review: ['read', 'review'],
  admin: ['ingest', 'read', 'review', 'admin'],
};

test('every route of the API, for every kind of caller', { timeout: 60_000 }, async () => {
  const { running, tokens } = await start('access: { required: true }');
  const routes = [...PROCESS_ROUTES, ...STORE_ROUTES, { method: 'GET', path: '/', takes: 'read' as const }];
  const answers: string[] = [];
  const expected: string[] = [];
  for (const route of routes) {
    const { method, path: pattern, takes } = route;
    const orTakes = 'orTakes' in route ? route.orTakes : undefined;
    const at = pattern.replace(/\{\w+(?:\.\.\.)?\}/, 'c1');
    for (const role of ['nobody', 'unknown', ...ROLES] as const) {
      const token = role === 'nobody' ? undefined : role === 'unknown' ? 'not-a-token' : tokens[role];
      const init = method === 'GET' ? {} : { body: '[[]]', headers: { 'content-type': 'application/json' } };
      const answer = await fetch(running.http + at, {
        method,
        ...init,
        headers: { ...init.headers, ...bearer(token) },
      });
      // Live events go on.
      if (answer.headers.get('content-type') === 'text/event-stream') await answer.body?.cancel();
      else await answer.text();
      // So many unknown tokens from one address have to wait, which is no way in either.
      const status = role === 'unknown' && answer.status === 429 ? 401 : answer.status;
      const said = status === 401 || status === 403 ? String(status) : 'let in';
      answers.push(`${method} ${pattern} ${role}: ${said}`);
      const isKnown = role !== 'nobody' && role !== 'unknown';
      const isLetIn =
        takes === 'nothing' ||
        (isKnown && [takes, orTakes].some((one) => one !== undefined && INCLUDED[role].includes(one)));
      expected.push(`${method} ${pattern} ${role}: ${isLetIn ? 'let in' : isKnown ? '403' : '401'}`);
    }
  }

  expect(answers).toEqual(expected);
  expect(routes.filter(({ takes }) => takes === 'nothing').map(({ path: one }) => one)).toEqual([
    '/healthz',
    '/readyz',
  ]);
});

function spans() {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] });
  provider.getTracer('agent').startSpan('invoke_agent scheduler').end();
  return memory.getFinishedSpans();
}

function exported(exporter: SpanExporter): Promise<{ readonly code: number; readonly error?: Error }> {
  return new Promise((resolve) => {
    exporter.export(spans(), (result) => {
      void exporter.shutdown().then(() => resolve(result));
    });
  });
}

/** Exporters that read their headers from the environment, as operators set them. */
const EXPORTERS: Readonly<Record<string, (running: RunningService) => SpanExporter>> = {
  'HTTP and JSON': ({ otlp }) => new JsonExporter({ url: `${otlp}/v1/traces` }),
  'HTTP and protobuf': ({ otlp }) => new ProtobufExporter({ url: `${otlp}/v1/traces` }),
  gRPC: ({ service }) => new GrpcExporter({ url: `http://127.0.0.1:${service.ports.otlpGrpc}` }),
};

test.for(Object.keys(EXPORTERS))(
  'the official exporter over %s sends with a token of the role ingest or admin, and with no other',
  { timeout: 60_000 },
  async (kind) => {
    const { running, tokens } = await start('access: { required: true }');
    const make = EXPORTERS[kind];
    const sent: string[] = [];
    for (const role of ['nobody', ...ROLES] as const) {
      process.env.OTEL_EXPORTER_OTLP_HEADERS = role === 'nobody' ? '' : `authorization=Bearer%20${tokens[role]}`;
      const exporter = make?.(running);
      const { code } = exporter === undefined ? { code: -1 } : await exported(exporter);
      sent.push(`${role} ${code === 0 ? 'sent' : 'refused'}`);
    }

    expect(sent).toEqual(['nobody refused', 'ingest sent', 'read refused', 'review refused', 'admin sent']);
    const metrics = await (await fetch(`${running.http}/metrics`, { headers: bearer(tokens.read) })).text();
    expect(metrics).toContain('assay_access_total{role="ingest",by="token"} 2');
    expect(metrics).toContain('assay_access_refused_total{reason="role"} 2');
    expect(metrics).toContain('assay_access_refused_total{reason="no_token"} 1');
  },
);

test('OTLP says what is missing: 401 and 403 over HTTP, 16 and 7 over gRPC', async () => {
  const { running, tokens } = await start('access: { required: true }');
  const over = async (token: string | undefined) => {
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    const answer = await fetch(`${running.otlp}/v1/traces`, { method: 'POST', body: '{}', headers });
    return { status: answer.status, asks: answer.headers.get('www-authenticate'), body: await answer.json() };
  };
  const grpc = async (token: string | undefined) => {
    process.env.OTEL_EXPORTER_OTLP_HEADERS = token === undefined ? '' : `authorization=Bearer%20${token}`;
    const { error } = await exported(new GrpcExporter({ url: `http://127.0.0.1:${running.service.ports.otlpGrpc}` }));
    return error !== undefined && 'code' in error ? error.code : undefined;
  };

  expect(await over(undefined)).toEqual({
    status: 401,
    asks: 'Bearer realm="assay"',
    body: { code: 16, message: 'a token with the role ingest is needed: Authorization: Bearer <token>', details: [] },
  });
  expect(await over(tokens.read)).toMatchObject({ status: 403, body: { code: 7 } });
  expect([await grpc(undefined), await grpc(tokens.read)]).toEqual([16, 7]);
});

test('a token works and stops to without a restart, and the audit log has it all', async () => {
  const { running, file, tokens, dataDir } = await start('access: { required: true }');
  const { token, kept } = newToken('read', { name: 'grafana', now: Date.now(), expiresAt: undefined });
  const status = async () => (await fetch(`${running.http}/metrics`, { headers: bearer(token) })).status;
  expect(await status()).toBe(401);

  await file.add(kept);
  await expect.poll(status, { timeout: 10_000 }).toBe(200);
  await file.revoke('grafana');
  await expect.poll(status, { timeout: 10_000 }).toBe(401);
  const truth = `${running.http}/v1/truth/some%20secret%20conversation?also=secret`;
  const headers = { 'content-type': 'application/json', ...bearer(tokens.review) };
  expect((await fetch(truth, { method: 'PUT', body: '{"said":"secret"}', headers })).status).toBe(200);
  await running.service.stop();

  const { auditFile } = accessFilesIn(dataDir);
  const text = readFileSync(auditFile, 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ what: 'token-added', who: `token grafana (${kept.id})`, role: 'read' }),
      expect.objectContaining({ what: 'token-revoked', who: `token grafana (${kept.id})` }),
      expect.objectContaining({
        what: 'allowed',
        who: `token grafana (${kept.id})`,
        route: '/metrics',
        count: expect.any(Number),
      }),
      expect.objectContaining({ what: 'refused', why: 'unknown_token', route: '/metrics', from: '127.0.0.1' }),
      expect.objectContaining({ what: 'allowed', method: 'PUT', route: '/v1/truth/{conversation}', role: 'review' }),
    ]),
  );
  expect(text).not.toContain('secret');
  expect(text).not.toContain(token.slice(-20));
  expect(statSync(auditFile).mode & 0o777).toBe(0o600);
});

test.for(['host: 0.0.0.0', "host: '::'", 'access: { required: true }'])(
  'the service does not start with `%s` and no token, and says what to do',
  async (config) => {
    const dataDir = tempDirectory();
    writeFileSync(path.join(dataDir, 'assay.yaml'), config);

    const starting = runService({ suites: ['default'], dataDir });

    await expect(starting).rejects.toThrow(NoTokens);
    await expect(starting).rejects.toThrow(/assay token create --role ingest .*127\.0\.0\.1.*--insecure-no-auth/);
    // The next start, with a token, finds the folder free.
    await tokensIn(dataDir);
    const running = await runService({ suites: ['default'], dataDir });
    expect((await fetch(`${running.http}/healthz`)).status).toBe(200);
    expect((await fetch(`${running.http}/metrics`)).status).toBe(401);
  },
);

test('a file of tokens that is mounted is enough, and is read again when it changes', async () => {
  const dataDir = tempDirectory();
  const { token, kept } = newToken('read', { name: 'prometheus', now: 0, expiresAt: undefined });
  await new TokenFile(path.join(dataDir, 'mounted.json')).add(kept);
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'host: 0.0.0.0\naccess: { tokens_file: mounted.json }');
  const running = await runService({ suites: ['default'], dataDir });
  const status = async () => (await fetch(`${running.http}/metrics`, { headers: bearer(token) })).status;

  expect(await status()).toBe(200);
  await new TokenFile(path.join(dataDir, 'mounted.json')).revoke('prometheus');
  await expect.poll(status, { timeout: 10_000 }).toBe(401);
});

test('a gateway asks for the same tokens, before Kafka is there', { timeout: 60_000 }, async () => {
  const { running, tokens } = await start(`access: { required: true }
kafka: { brokers: ['127.0.0.1:1'], role: gateway }
redaction: { hash_user_ids: false }`);
  const post = async (token: string | undefined) => {
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    return (await fetch(`${running.otlp}/v1/traces`, { method: 'POST', body: '{}', headers })).status;
  };

  expect([await post(undefined), await post(tokens.read)]).toEqual([401, 403]);
  expect([401, 403]).not.toContain(await post(tokens.ingest));
  expect((await fetch(`${running.http}/metrics`)).status).toBe(401);
  expect((await fetch(`${running.http}/metrics`, { headers: bearer(tokens.read) })).status).toBe(200);
});

test('told that nothing is to be asked, it says so in the log and in a metric', async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'host: 0.0.0.0\naccess: { insecure_no_auth: true }');
  const running = await runService({ suites: ['default'], dataDir });

  const metrics = await (await fetch(`${running.http}/metrics`)).text();

  expect(metrics).toContain('\nassay_insecure_no_auth 1\n');
  expect(running.lines.filter((line) => line.includes('--insecure-no-auth'))).toHaveLength(1);
});

test('on loopback nothing is asked, and a web page reaches neither what is stored nor the receiver', async () => {
  const running = await runService({ suites: ['default'] });
  const page = { host: 'evil.example', origin: 'http://evil.example' };
  const get = (port: number, at: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<number | undefined>((resolve, reject) => {
      const body = method === 'POST' ? '{}' : undefined;
      const request = httpRequest({
        port,
        path: at,
        method,
        headers: { 'content-type': 'application/json', ...headers },
      });
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      request.end(body);
    });
  const { http, otlpHttp } = running.service.ports;

  expect(await get(http, '/api/conversations', {})).toBe(200);
  expect(await get(otlpHttp, '/v1/traces', {}, 'POST')).toBe(200);
  expect(await get(http, '/api/conversations', page)).toBe(403);
  expect(await get(http, '/metrics', { host: 'evil.example' })).toBe(403);
  expect(await get(otlpHttp, '/v1/traces', page, 'POST')).toBe(403);
  expect(await get(otlpHttp, '/v1/metrics', { origin: 'http://evil.example' }, 'POST')).toBe(403);
  expect(await get(http, '/v1/truth/x', { via: '1.1 nginx' }, 'PUT')).toBe(403);
});
