/** Several projects in one process: no request, span or token of one reaches another, and none keeps another from running. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { TokenFile } from '../../src/access/token-file.ts';
import { newToken } from '../../src/access/token.ts';
import { conversationList } from '../../src/api/conversation-list.ts';
import { load } from '../../src/cli/load.ts';
import { projectStarts } from '../../src/cli/project-starts.ts';
import { ROLES, type Role } from '../../src/model/caller.ts';
import { Log } from '../../src/report/log/log.ts';
import { PROCESS_ROUTES } from '../../src/serve/api/routes.ts';
import { STORE_ROUTES } from '../../src/serve/http/store-routes.ts';
import { startProjects } from '../../src/serve/projects.ts';
import { accessFilesIn } from '../../src/serve/store-place/data-directory.ts';
import { whenDone } from '../for-file.ts';
import { tempDirectory } from '../temp-directory.ts';

const TIMES = 'turn: { settle: 100ms, idle: 500ms }\nconversation: { idle: 1s }\n';
const OTHERS = ['payments', 'support'] as const;
const ALL = ['default', ...OTHERS] as const;
type Name = (typeof ALL)[number];
type Headers = Readonly<Record<string, string>>;

interface Process {
  readonly folder: string;
  readonly http: string;
  readonly otlp: string;
  readonly grpc: string;
  readonly lines: readonly string[];
  readonly reload: () => Promise<unknown>;
}

/** Files of the configuration: that of each project but the default one is named in its own. */
async function startProcess(
  more: Readonly<Partial<Record<Name, string>>> = {},
  folder = tempDirectory(),
): Promise<Process> {
  const projects = OTHERS.map((name) => `  ${name}: ./${name}.yaml\n`).join('');
  for (const name of ALL) {
    const text = more[name] ?? `data_dir: ./${name}\n${TIMES}`;
    writeFileSync(path.join(folder, `${name}.yaml`), name === 'default' ? `${text}projects:\n${projects}` : text);
  }
  const ports = { httpPort: '0', otlpHttpPort: '0', otlpGrpcPort: '0' };
  const loaded = await load({ config: path.join(folder, 'default.yaml'), ...ports }, { env: {} });
  const lines: string[] = [];
  const log = new Log({ level: 'info', write: (line) => lines.push(line) });
  const service = await startProjects({ ...loaded, log, version: 'test' }, projectStarts(loaded.settings));
  whenDone(() => service.stop());
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const { http, otlpHttp, otlpGrpc } = service.ports;
  const reload = () => service.reload();
  return { folder, http: at(http), otlp: at(otlpHttp), grpc: at(otlpGrpc), lines, reload };
}

const to = (name: string): Headers => ({ 'assay-project': name });
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** Resolves once all of them have started. */
async function started({ http }: Process, names: readonly string[] = OTHERS): Promise<void> {
  for (const name of names) {
    const ready = async () => (await fetch(`${http}/readyz`, { headers: to(name) })).status;
    await expect.poll(ready, { timeout: 20_000 }).toBe(200);
  }
}

/** A conversation of one turn for each resource; `project` is its attribute. */
function conversations(
  asked: readonly { readonly id: string; readonly agent?: string; readonly text?: string; readonly project?: string }[],
) {
  const now = BigInt(Date.now()) * 1_000_000n;
  const attribute = ([key, value]: readonly [string, string]) => ({ key, value: { stringValue: value } });
  const resourceSpans = asked.map(({ id, agent = 'helper', text = 'done', project }) => {
    const said = JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: text }] }]);
    const span = {
      traceId: Buffer.from(id.padEnd(16, '.')).subarray(0, 16).toString('hex'),
      spanId: Buffer.from(id.padEnd(8, '.')).subarray(-8).toString('hex'),
      ...{ name: 'invoke_agent', kind: 1 },
      ...{ startTimeUnixNano: String(now), endTimeUnixNano: String(now + 1_000_000n) },
      attributes: [
        ...Object.entries({
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': agent,
          'gen_ai.conversation.id': id,
          'gen_ai.output.messages': said,
        }).map(attribute),
        { key: 'assay.conversation.end', value: { boolValue: true } },
      ],
    };
    const attributes = project === undefined ? [] : [attribute(['assay.project', project])];
    return { resource: { attributes }, scopeSpans: [{ spans: [span] }] };
  });
  return JSON.stringify({ resourceSpans });
}

async function send({ otlp }: Process, body: string, headers: Headers = {}) {
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
  const answer = await fetch(`${otlp}/v1/traces`, init);
  return { status: answer.status, text: await answer.text() };
}

/** Spans of a conversation of one turn, as the SDK has them. */
function spans(resource: Readonly<Record<string, string>>) {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    spanProcessors: [new SimpleSpanProcessor({ exporter: memory })],
  });
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': 'by-grpc' };
  provider.getTracer('agent').startSpan('invoke_agent', { attributes }).end();
  return memory.getFinishedSpans();
}

/** The status of gRPC where they were refused. */
async function exported(exporter: GrpcExporter, of: ReturnType<typeof spans>): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  exporter.export(of, ({ code, error }) =>
    resolve(code === 0 ? 'taken' : error !== undefined && 'code' in error ? error.code : error),
  );
  const answer = await promise;
  await exporter.shutdown();
  return answer;
}

function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

async function idsIn({ http }: Process, headers: Headers): Promise<readonly string[]> {
  const answer = await fetch(`${http}/api/v1/conversations`, { headers });
  expect(answer.status).toBe(200);
  return conversationList
    .parse(await answer.json())
    .conversations.map(({ conversation_id: id }) => id)
    .toSorted();
}

test('a span goes to the project that its request, its token or its resource names', { timeout: 60_000 }, async () => {
  const process = await startProcess();
  await started(process);

  const sent = [
    await send(process, conversations([{ id: 'plain' }])),
    await send(process, conversations([{ id: 'by-header' }]), to('payments')),
    await send(process, conversations([{ id: 'to-default' }]), to('default')),
    await send(
      process,
      conversations([
        { id: 'mixed-1', project: 'payments' },
        { id: 'mixed-2', project: 'support' },
        { id: 'mixed-3' },
        { id: 'mixed-4', project: 'default' },
      ]),
    ),
    // A project among several asks nobody's attribute: what is sent to it stays there.
    await send(process, conversations([{ id: 'named-both', project: 'payments' }]), to('support')),
  ];
  expect(sent.map(({ status, text }) => [status, text])).toEqual(sent.map(() => [200, '{}']));
  const ofSupport = spans({ 'assay.project': 'support' });
  expect(await exported(new GrpcExporter({ url: process.grpc }), ofSupport)).toBe('taken');
  const wrong = metadataOf(to('paymnts'));
  expect(await exported(new GrpcExporter({ url: process.grpc, metadata: wrong }), ofSupport)).toBe(5);

  const ids = async () => [
    await idsIn(process, {}),
    await idsIn(process, to('payments')),
    await idsIn(process, to('support')),
  ];
  await expect.poll(ids, { timeout: 20_000 }).toEqual([
    ['mixed-3', 'mixed-4', 'plain', 'to-default'],
    ['by-header', 'mixed-1'],
    ['by-grpc', 'mixed-2', 'named-both'],
  ]);
  const metrics = await (await fetch(`${process.http}/metrics`, { headers: to('payments') })).text();
  const series = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(series.length).toBeGreaterThan(100);
  expect(series.filter((line) => !line.includes('{project="payments"'))).toEqual([]);
  expect(await (await fetch(`${process.http}/metrics`)).text()).not.toContain('project="');

  const named = async (host: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const asked = request(`${process.http}/api/v1/conversations`, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject).end();
    return await promise;
  };
  expect([await named('payments.localhost'), await named('payments.example.com')]).toEqual([200, 403]);
  expect([await named('localhost'), await named('paymnts.localhost')]).toEqual([200, 403]);

  const unknown = await send(process, conversations([{ id: 'lost' }]), to('paymnts'));
  expect(unknown).toMatchObject({ status: 404, text: expect.stringContaining('there is no project') });
  const partly = await send(process, conversations([{ id: 'kept' }, { id: 'lost', project: 'paymnts' }]));
  expect(partly).toMatchObject({ status: 200, text: expect.stringContaining('"rejectedSpans":"1"') });
  const rejected = await (await fetch(`${process.http}/metrics`)).text();
  expect(rejected).toMatch(/assay_rejected_records_total\{[^}]*reason="unknown_project"\} 1\n/);
});

test('a project that cannot start keeps nobody from running, and a reload starts it', { timeout: 60_000 }, async () => {
  const process = await startProcess({ payments: `data_dir: ./support\n${TIMES}`, support: 'data_dir: ./support\n' });
  const failed = () => process.lines.filter((line) => line.includes('project: not started'));
  await expect.poll(failed, { timeout: 20_000 }).toHaveLength(1);
  // One of two with one folder runs.
  const [line = ''] = failed();
  expect(line).toMatch(/"project":"(payments|support)".*is that of the project/);
  const away = line.includes('"project":"payments"') ? 'payments' : 'support';
  const body = conversations([{ id: 'own' }, { id: 'theirs', project: away }]);
  expect((await fetch(`${process.http}/readyz`, { headers: to(away) })).status).toBe(503);
  expect(await send(process, body)).toMatchObject({ status: 503, text: expect.stringContaining('is not ready') });
  // The default project has its part. A token that nobody knows may be that of the project that is away.
  await expect.poll(() => idsIn(process, {}), { timeout: 20_000 }).toEqual(['own']);
  const { token } = newToken('admin', { name: 'theirs', now: 0, expiresAt: undefined });
  expect(await send(process, conversations([{ id: 'secret' }]), bearer(token))).toMatchObject({ status: 503 });
  expect((await fetch(`${process.http}/api/v1/conversations`, { headers: bearer(token) })).status).toBe(503);

  writeFileSync(path.join(process.folder, `${away}.yaml`), `data_dir: ./mended\n${TIMES}`);
  await process.reload();
  await started(process);
  // The client sends all of it again, and a third time as if an answer had been lost.
  expect(await send(process, body)).toEqual({ status: 200, text: '{}' });
  expect(await send(process, body)).toEqual({ status: 200, text: '{}' });
  await expect.poll(() => idsIn(process, to(away)), { timeout: 20_000 }).toEqual(['theirs']);
  await expect.poll(() => idsIn(process, {}), { timeout: 20_000 }).toEqual(['own']);
  // Now nobody is away who could have it.
  expect(await send(process, conversations([{ id: 'secret' }]), bearer(token))).toMatchObject({ status: 401 });
  expect((await fetch(`${process.http}/api/v1/conversations`, { headers: bearer(token) })).status).toBe(401);
  const exporter = new GrpcExporter({ url: process.grpc, metadata: metadataOf(bearer(token)) });
  expect(await exported(exporter, spans({}))).toBe(16);
});

test('folders of projects are not within each other, whatever links lead there', { timeout: 60_000 }, async () => {
  const folder = tempDirectory();
  mkdirSync(path.join(folder, 'default'));
  symlinkSync(path.join(folder, 'default'), path.join(folder, 'link'));
  const process = await startProcess(
    { payments: `data_dir: ./link/journal\n${TIMES}`, support: `data_dir: ./support\n${TIMES}` },
    folder,
  );
  await started(process, ['support']);
  const failed = process.lines.filter((line) => line.includes('project: not started'));
  expect(failed).toEqual([expect.stringMatching(/"project":"payments".*one is within the other/)]);
});

test('every route, for every role, of every project: no answer has a word of another', {
  timeout: 120_000,
}, async () => {
  const folder = tempDirectory();
  const tokens = new Map<Name, Readonly<Record<Role, string>>>();
  for (const name of ALL) {
    const file = new TokenFile(accessFilesIn(path.join(folder, name)).tokensFile);
    const made = ROLES.map((role) => ({ role, ...newToken(role, { name: role, now: 0, expiresAt: undefined }) }));
    for (const { kept } of made) await file.add(kept);
    // The cast holds: there is one for each role.
    tokens.set(name, Object.fromEntries(made.map(({ role, token }) => [role, token])) as Record<Role, string>);
  }
  const tokenOf = (name: Name, role: Role) => tokens.get(name)?.[role] ?? '';
  const text = (name: Name) => `access: { required: true }\ndata_dir: ./${name}\n${TIMES}`;
  const process = await startProcess(Object.fromEntries(ALL.map((name) => [name, text(name)])), folder);
  await started(process);
  for (const name of ALL) {
    // A token leads to its project.
    const body = conversations([{ id: `id-${name}`, agent: `agent-${name}`, text: `canary ${name}` }]);
    expect(await send(process, body, bearer(tokenOf(name, 'ingest')))).toEqual({ status: 200, text: '{}' });
    const own = () => idsIn(process, bearer(tokenOf(name, 'read')));
    await expect.poll(own, { timeout: 20_000 }).toEqual([`id-${name}`]);
  }

  const routes = [...PROCESS_ROUTES, ...STORE_ROUTES].filter(({ path: at }) => at !== '/api/v1/live');
  const wrong: string[] = [];
  let answered = 0;
  for (const { method, path: pattern, takes } of routes) {
    for (const name of ALL) {
      for (const other of ALL.filter((one) => one !== name)) {
        const at = pattern.replace(/\{\w+(?:\.\.\.)?\}/, `id-${other}`);
        const query = at.startsWith('/api/v1/') && method === 'GET' ? `?agent=agent-${other}` : '';
        for (const role of ROLES) {
          const token = bearer(tokenOf(name, role));
          const init = method === 'GET' ? {} : { body: '[]', headers: { 'content-type': 'application/json' } };
          const asked = (headers: Headers, more = '') =>
            fetch(process.http + at + more, { method, ...init, headers: { ...init.headers, ...token, ...headers } });
          // Asked of the other project, its own guard decides.
          const there = await asked(to(other));
          await there.body?.cancel();
          if (takes !== 'nothing' && ![401, 429].includes(there.status))
            wrong.push(`${method} ${at} of ${other} with ${role} of ${name}: ${there.status}`);
          if (role !== 'admin') continue;
          // Asked without a name, the token leads home, where nobody knows the other's. An admin is told most.
          for (const more of ['', query]) {
            const here = await asked({}, more);
            const said = await here.text();
            answered += Number(here.status === 200);
            if (said.includes(`canary ${other}`))
              wrong.push(`${method} ${at}${more} with ${role} of ${name} says: ${said.slice(0, 200)}`);
          }
        }
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(200);
});
