/**
 * The shipped Collector configurations except the one for Kafka: a real Collector accepts them, and treats spans
 * accordingly.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { understandRecorded } from '../../src/engine/recorded/understand-recording.ts';
import { readRecording } from '../../src/offline/recording.ts';
import { readConversations } from '../../src/reader/read-conversations.ts';
import { toPlain } from '../../src/reader/to-plain.ts';
import { FIRST, SECOND } from '../certificates.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../simulation/process.ts';
import { type Collector, collectorBinary, objectionOfCollector, startCollector } from './collector.ts';

const SHIPPED = path.resolve(import.meta.dirname, '../../collector-config');
const SOON = { ASSAY_TURN_SETTLE: '200ms', ASSAY_CONVERSATION_IDLE: '500ms' };

beforeAll(async () => {
  await collectorBinary();
  // At its first run on a machine the Collector is built.
}, 1_500_000);

test.for(readdirSync(SHIPPED))('the Collector accepts %s', async (file) => {
  expect(await objectionOfCollector({ configFile: path.join(SHIPPED, file), env: {} })).toBeUndefined();
});

test('beside the application: secrets do not leave, everything else does', async () => {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      arrived.push(
        (request.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(body) : body).toString('latin1'),
      );
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const collector = await started('agent.yaml', { SEND_TO: `http://127.0.0.1:${port}` });

  await send(collector, request('shop', 1, { prompt: 'book it with AKIAIOSFODNN7EXAMPLE, for 4 people' }));

  while (arrived.length === 0) await sleep(50);
  const text = arrived.join('');
  expect(text).toContain('book it with ');
  expect(text).toContain(', for 4 people');
  expect(text).not.toContain('AKIAIOSFODNN7EXAMPLE');
});

test('to a file: what it records is read by the command line and by the reader', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'assay-recorded-')), 'recorded.jsonl');
  onTestFinished(() => rmSync(path.dirname(file), { recursive: true, force: true }));
  const collector = await started('recording.yaml', { RECORD_TO: file });
  for (const trace of [1, 2]) await send(collector, request('shop', trace, { prompt: `hello ${trace}` }));

  await collector.stop();

  const { conversations } = await understandRecorded(readRecording(file));
  const read = readConversations(readFileSync(file));
  expect(read.map(({ turns }) => turns.map((turn) => turn.user_input)).flat(2)).toEqual(['hello 1', 'hello 2']);
  expect(read).toEqual(conversations.map(toPlain));
});

test('in front of several: all conversations of a service come to one Assay, and every one is scored once', async () => {
  const assays = [await assay(), await assay()];
  const hosts = assays.map(({ otlpGrpc }) => new URL(otlpGrpc).host);
  const collector = await started('gateway.yaml', { ASSAY_HOSTS: `[${hosts.join(', ')}]` });
  const services = Array.from({ length: 20 }, (_, index) => `service-${index}`);

  for (const service of services)
    for (let trace = 1; trace <= 3; trace += 1) await send(collector, request(service, trace));

  const counted = async () => await Promise.all(assays.map(evaluationsByAgent));
  const all = (byAssay: readonly ReadonlyMap<string, number>[]) =>
    byAssay.flatMap((byAgent) => [...byAgent.values()]).reduce((sum, count) => sum + count, 0);
  while (all(await counted()) < services.length * 3) await sleep(100);
  const byAssay = await counted();
  expect(all(byAssay)).toBe(services.length * 3);
  for (const service of services) {
    expect(byAssay.map((byAgent) => byAgent.get(service) ?? 0).sort(), service).toEqual([0, 3]);
  }
  expect(byAssay.every((byAgent) => byAgent.size > 0)).toBe(true);
});

test.for([
  ['agent.yaml', ({ otlpHttp }: AssayProcess) => ({ SEND_TO: otlpHttp.replace('http:', 'https:') })],
  [
    'gateway.yaml',
    ({ otlpGrpc }: AssayProcess) => ({ ASSAY_HOSTS: `[${new URL(otlpGrpc).host}]`, ASSAY_PLAIN_TEXT: 'false' }),
  ],
] as const)('%s sends over TLS, with a certificate of its own', async ([file, address]) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const written = (name: string, content: string) => {
    writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const running = await assay({
    ASSAY_TLS_CERT_FILE: written('tls.crt', FIRST.cert),
    ASSAY_TLS_KEY_FILE: written('tls.key', FIRST.key),
    ASSAY_TLS_CLIENT_CA_FILE: written('clients.crt', SECOND.cert),
  });
  const collector = await started(file, {
    ...address(running),
    ASSAY_CA_FILE: written('ca.crt', FIRST.cert),
    ASSAY_CLIENT_CERT_FILE: written('client.crt', SECOND.cert),
    ASSAY_CLIENT_KEY_FILE: written('client.key', SECOND.key),
  });

  await send(collector, request('shop', 1));

  const metrics = () => textOver(`${running.http.replace('http:', 'https:')}/metrics`, FIRST.cert);
  await expect.poll(metrics, { timeout: 20_000 }).toMatch(/^assay_received_records_total\{signal="traces"[^}]*\} 1$/m);
});

/** With an authority that this process does not know otherwise. */
async function textOver(url: string, ca: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { ca, agent: false }, resolve).on('error', reject);
  return (await (await promise).setEncoding('utf8').toArray()).join('');
}

async function started(file: string, env: { readonly [name: string]: string }): Promise<Collector> {
  const queue = mkdtempSync(path.join(tmpdir(), 'assay-collector-'));
  const collector = await startCollector({
    configFile: path.join(SHIPPED, file),
    env: { COLLECTOR_QUEUE_DIR: queue, ...env },
  });
  onTestFinished(async () => {
    await collector.kill();
    rmSync(queue, { recursive: true, force: true });
  });
  return collector;
}

async function assay(env: { readonly [name: string]: string } = {}): Promise<AssayProcess> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-test-'));
  const process = await startAssay({ dataDir, ports: await freeListenPorts(), env: { ...SOON, ...env } });
  onTestFinished(async () => {
    await process.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return process;
}

/** Evaluations of the default suite. */
async function evaluationsByAgent({ http }: AssayProcess): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${http}/metrics`)).text();
  const counts = new Map<string, number>();
  for (const [, labels = '', count] of text.matchAll(/^assay_evaluations_total\{([^}]*)\} (\d+)$/gm)) {
    const agent = /agent="([^"]*)"/.exec(labels)?.[1];
    if (agent === undefined || !labels.includes('suite="default"') || count === '0') continue;
    counts.set(agent, (counts.get(agent) ?? 0) + Number(count));
  }
  return counts;
}

async function send({ otlpHttp }: Collector, body: string): Promise<void> {
  const response = await fetch(`${otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBe(200);
}

/** A turn of one model call, which is a conversation by itself. */
function request(service: string, trace: number, { prompt = 'hello' }: { readonly prompt?: string } = {}): string {
  const now = BigInt(Date.now()) * 1_000_000n;
  const text = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = {
    traceId: Buffer.from(`${service}/${trace}`.padEnd(16, '.')).toString('hex').slice(0, 32),
    spanId: Buffer.from(`span-${trace}`.padEnd(8, '.')).toString('hex').slice(0, 16),
    name: 'chat model',
    kind: 3,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_000_000n),
    attributes: [
      attribute('gen_ai.operation.name', 'chat'),
      attribute('gen_ai.request.model', 'model'),
      attribute('gen_ai.input.messages', text('user', prompt)),
      attribute('gen_ai.output.messages', text('assistant', 'done, all of it')),
    ],
  };
  const resource = { attributes: [attribute('service.name', service)] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'test' }, spans: [span] }] }] });
}
