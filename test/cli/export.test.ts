/** `assay export`: the same file from a store and from its service, and never a part of one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fillStore } from '../../bench/filled-store.ts';
import { assayBeside } from '../assay-command.ts';
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
    const { status, stderr } = await assayBeside(['export', '--out', out, ...args]);
    expect([name, status, stderr]).toEqual([name, 0, '']);
    expect(existsSync(`${out}.part`)).toBe(false);
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
  const lines = await assayBeside(['export', '--table', 'evaluations', '--data-dir', dataDir]);
  expect(lines.stdout.trimEnd().split('\n')).toHaveLength(CONVERSATIONS);

  const there = path.join(folder, 'there.jsonl');
  writeFileSync(there, 'mine');
  const refused = await assayBeside(['export', '--out', there, '--data-dir', dataDir]);
  expect([refused.status, refused.stderr]).toEqual([3, `${there} exists: --force overwrites it\n`]);
  expect(readFileSync(there, 'utf8')).toBe('mine');
  for (const [args, code] of [
    [['--table', 'spans', '--data-dir', dataDir], 2],
    [['--format', 'csv', '--data-dir', dataDir], 2],
    [['--since', 'yesterday', '--data-dir', dataDir], 2],
    [['--url', running.http, '--data-dir', dataDir], 2],
    [['--data-dir', folder], 3],
    [['--url', 'http://127.0.0.1:9'], 3],
  ] as const)
    expect([args, (await assayBeside(['export', ...args])).status]).toEqual([args, code]);
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
  const out = path.join(tempDirectory(), 'broken.jsonl');

  const { status, stderr } = await assayBeside(['export', '--out', out, '--url', url]);

  expect(status).toBe(1);
  expect(stderr).toContain('the export broke off, so the file is not whole and was not kept');
  expect([existsSync(out), existsSync(`${out}.part`)]).toEqual([false, false]);
});
