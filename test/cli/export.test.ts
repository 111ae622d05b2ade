/** `assay export`: the same file from a store and from its service, and never a part of one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fillStore } from '../../bench/filled-store.ts';
import { assayHere } from '../assay-here.ts';
import { assayBeside, MAIN } from '../assay-command.ts';
import { runService } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';

const CONVERSATIONS = 700;

test('a store and its service give the same files, by table, format and filters', { timeout: 60_000 }, async () => {
  const dataDir = tempDirectory();
  fillStore(path.join(dataDir, 'assay.db'), CONVERSATIONS);
  const running = await runService({ suites: ['default'], dataDir });
  const folder = tempDirectory();
  const exported = async (name: string, ...args: string[]) => {
    const out = path.join(folder, name);
    const { status, stderr } = await assayHere(['export', '--out', out, ...args]);
    expect([name, status, stderr]).toEqual([name, 0, '']);
    expect(readdirSync(folder).filter((one) => one.endsWith('.part'))).toEqual([]);
    return readFileSync(out);
  };
  for (const args of [
    ['conversations.jsonl'],
    ['conversations.parquet', '--agent', 'agent-3', 'agent-4'],
    ['evaluations.parquet', '--table', 'evaluations', '--since', '14d'],
    ['verdicts.jsonl', '--table', 'verdicts', '--agent-version', 'v3', '--suite', 'support'],
  ]) {
    const [name = '', ...options] = args;
    const ofStore = await exported(`store-${name}`, ...options, '--data-dir', dataDir);
    const ofService = await exported(`service-${name}`, ...options, '--url', running.http);
    expect(ofService.equals(ofStore)).toBe(true);
  }
  const lines = await assayHere(['export', '--table', 'evaluations', '--data-dir', dataDir]);
  expect(lines.stdout.trimEnd().split('\n')).toHaveLength(CONVERSATIONS);

  const dash = ['export', '--table', 'evaluations', '--out', '-', '--data-dir', dataDir];
  for (const more of [[], ['--format', 'jsonl']]) {
    const { status, stdout } = await assayHere([...dash, ...more], { cwd: folder });
    expect([more, status, stdout === lines.stdout]).toEqual([more, 0, true]);
  }
  expect(readdirSync(folder)).not.toContain('-');

  const there = path.join(folder, 'there.jsonl');
  writeFileSync(there, 'mine');
  const refused = await assayHere(['export', '--out', there, '--data-dir', dataDir]);
  expect([refused.status, refused.stderr]).toEqual([3, `${there} exists: --force overwrites it\n`]);
  expect(readFileSync(there, 'utf8')).toBe('mine');
  for (const [args, code] of [
    [['--table', 'spans', '--data-dir', dataDir], 2],
    [['--format', 'csv', '--data-dir', dataDir], 2],
    [['--out', path.join(folder, 'table.csv'), '--data-dir', dataDir], 2],
    [['--out', path.join(folder, 'table.csv'), '--format', 'jsonl', '--data-dir', dataDir], 0],
    [['--suite', 'nope', '--data-dir', dataDir], 3],
    [['--suite', 'support', 'nope', '--url', running.http], 3],
    [['--since', 'yesterday', '--data-dir', dataDir], 2],
    [['--since', '1h', '--until', '2h', '--data-dir', dataDir], 2],
    [['--since', '1h', '--until', '2h', '--out', path.join(folder, 'reversed.jsonl'), '--url', running.http], 2],
    [['--url', running.http, '--data-dir', dataDir], 2],
    [['--data-dir', folder], 3],
    [['--url', 'http://127.0.0.1:9'], 3],
  ] as const)
    expect([args, (await assayHere(['export', ...args])).status]).toEqual([args, code]);
  expect(readdirSync(folder)).not.toContain('reversed.jsonl');
  const unknown = await assayHere(['export', '--suite', 'nope', '--url', running.http]);
  expect([unknown.stdout, unknown.stderr]).toEqual([
    '',
    '--suite: no suite "nope" is known: it does not run and has evaluated nothing that is stored; there are default\n',
  ]);
});

test('an export that breaks off leaves no file', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/jsonl' });
    response.write('{"conversation_id":"first"}\n', () => setTimeout(() => response.destroy(), 50));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast holds for a server that listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = tempDirectory();
  const out = path.join(folder, 'broken.jsonl');

  const { status, stderr } = await assayHere(['export', '--out', out, '--url', url]);

  expect(status).toBe(1);
  expect(stderr).toContain('the export broke off, so the file is not whole and was not kept');
  expect(readdirSync(folder)).toEqual([]);
});

test('two exports to one file do not mix, and one that is stopped leaves nothing', { timeout: 30_000 }, async () => {
  const waiting: ((value: string) => void)[] = [];
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://assay').searchParams.get('agent') ?? '';
    response.writeHead(200, { 'content-type': 'application/jsonl' });
    response.write(`{"of":"${name}"}\n`, () => waiting.push((end) => response.end(`{"of":"${name}${end}"}\n`)));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast holds for a server that listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = tempDirectory();
  const out = path.join(folder, 'both.jsonl');
  const parts = () => readdirSync(folder).filter((name) => name.endsWith('.part')).length;
  const exportOf = (agent: string) => ['export', '--out', out, '--url', url, '--agent', agent];

  const both = [assayBeside(exportOf('one')), assayBeside(exportOf('two'))];
  await expect.poll(() => [waiting.length, parts()], { timeout: 10_000 }).toEqual([2, 2]);
  for (const end of waiting.splice(0)) end(' again');
  const ended = await Promise.all(both);

  expect(ended.map((one) => one.status).toSorted()).toEqual([0, 3]);
  expect(ended.map((one) => one.stderr).join('')).toBe(`${out} exists: --force overwrites it\n`);
  const kept = ended[0]?.status === 0 ? 'one' : 'two';
  expect(readFileSync(out, 'utf8')).toBe(`{"of":"${kept}"}\n{"of":"${kept} again"}\n`);
  expect(readdirSync(folder)).toEqual(['both.jsonl']);

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const child = spawn(process.execPath, [MAIN, ...exportOf('three'), '--force'], { cwd: folder, stdio: 'ignore' });
    await expect.poll(parts, { timeout: 10_000 }).toBe(1);
    child.kill(signal);
    expect((await once(child, 'exit'))[1]).toBe(signal);
    expect(readdirSync(folder)).toEqual(['both.jsonl']);
  }
});
