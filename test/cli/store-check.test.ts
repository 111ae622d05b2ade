import { createHash } from 'node:crypto';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayBeside } from '../assay-command.ts';
import { assayHere } from '../assay-here.ts';
import { openDataFolder } from '../../src/serve/condition.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { Log } from '../../src/report/log/log.ts';
import { metricsOf, runService, sendTurns, sumOf } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';

/** Every byte of the folder. */
function digest(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const file = path.join(folder, name);
    hash.update(name);
    if (statSync(file).isFile()) hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

async function scored(running: Awaited<ReturnType<typeof runService>>, turns: number): Promise<void> {
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_conversations_due_total'), { timeout: 20_000 })
    .toBeGreaterThanOrEqual(turns);
}

async function folderWithTurns(turns: number): Promise<string> {
  const dataDir = path.join(tempDirectory(), 'data');
  const running = await runService({ suites: ['default'], dataDir: makeEmpty(dataDir) });
  await sendTurns(running, { first: 1, turns });
  await scored(running, turns);
  await running.service.stop();
  return dataDir;
}

function makeEmpty(folder: string): string {
  cpSync(tempDirectory(), folder, { recursive: true });
  return folder;
}

test('a lost database is said beforehand, asked about once, and read back from what was set aside', {
  timeout: 120_000,
}, async () => {
  const dataDir = await folderWithTurns(5);
  const intact = await assayHere(['store', 'check', '--data-dir', dataDir]);
  expect([intact.status, intact.stdout]).toEqual([0, expect.stringContaining('nothing is damaged')]);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path.join(dataDir, `assay.db${suffix}`), { force: true });
  const before = digest(dataDir);

  const checked = await assayHere(['store', 'check', '--data-dir', dataDir, '--json']);
  const refused = await assayBeside(['serve', '--data-dir', dataDir], { env: PORTS });

  expect(checked.status).toBe(4);
  expect(JSON.parse(checked.stdout)).toMatchObject({
    result: 'lossy',
    damage: [{ kind: 'store-missing', loses_data: true, accepted: false }],
  });
  expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining('--accept-loss')]);
  expect(digest(dataDir)).toBe(before);

  const accepted = await runService({ suites: ['default'], dataDir, env: { ASSAY_ACCEPT_LOSS: 'true' } });
  expect((await metricsOf(accepted)).get('assay_data_damage{kind="store-missing"}')).toBe(1);
  const ports = ['--http-port', new URL(accepted.http).port, '--otlp-http-port', new URL(accepted.otlp).port];
  const recovered = await assayHere(['journal', 'recover', '--data-dir', dataDir, ...ports]);
  expect([recovered.status, recovered.stdout]).toEqual([0, expect.stringContaining('5 records read back')]);
  await scored(accepted, 5);
  await accepted.service.stop();

  const again = await runService({ suites: ['default'], dataDir });
  expect(sumOf(await metricsOf(again), 'assay_data_damage')).toBe(0);
});

test('what was set aside is read into the journal of a stopped service, and again without harm', {
  timeout: 120_000,
}, async () => {
  const dataDir = await folderWithTurns(5);
  rmSync(path.join(dataDir, 'assay.db'));
  const accepted = await runService({ suites: ['default'], dataDir, env: { ASSAY_ACCEPT_LOSS: 'true' } });
  await accepted.service.stop();

  const dry = await assayHere(['journal', 'recover', '--data-dir', dataDir, '--dry-run', '--json'], { env: PORTS });
  const first = await assayHere(['journal', 'recover', '--data-dir', dataDir], { env: PORTS });
  const second = await assayHere(['journal', 'recover', '--data-dir', dataDir], { env: PORTS });

  expect(JSON.parse(dry.stdout)).toMatchObject({ records: 5, unreadable_bytes: 0 });
  expect([first.status, second.status]).toEqual([0, 0]);
  const running = await runService({ suites: ['default'], dataDir });
  await scored(running, 5);
  const { conversations } = (await (await fetch(`${running.http}/api/conversations?limit=50`)).json()) as {
    conversations: unknown[];
  };
  expect(conversations).toHaveLength(5);
});

test('a bit that flips in the journal costs a request, which is read back without it', {
  timeout: 120_000,
}, async () => {
  const dataDir = makeEmpty(path.join(tempDirectory(), 'data'));
  // Its turns stay open.
  const env = { ASSAY_TURN_SETTLE: '10m', ASSAY_TURN_IDLE: '10m' };
  const first = await runService({ suites: ['default'], dataDir, env });
  await sendTurns(first, { first: 1, turns: 5 });
  await sendTurns(first, { first: 6, turns: 1 });
  await first.service.stop();
  const journal = path.join(dataDir, 'journal');
  const segment = path.join(journal, readdirSync(journal).find((name) => name.endsWith('.segment')) ?? '');
  const bytes = readFileSync(segment);
  const at = bytes.indexOf('invoke_agent');
  bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
  writeFileSync(segment, bytes);

  const checked = await assayHere(['store', 'check', '--data-dir', dataDir]);
  const damaged = await runService({ suites: ['default'], dataDir, env });
  await damaged.service.stop();
  const recovered = await assayHere(['journal', 'recover', '--data-dir', dataDir], { env: PORTS });

  expect([checked.status, checked.stdout]).toEqual([1, expect.stringContaining('journal-corrupt')]);
  expect(damaged.lines.filter((line) => line.includes('corrupt part set aside'))).toHaveLength(1);
  expect([recovered.status, recovered.stdout]).toEqual([
    0,
    expect.stringMatching(
      /5 records, 0 bytes that cannot be read; one wrong bit corrected in 1 request\n5 records read/,
    ),
  ]);
  const running = await runService({ suites: ['default'], dataDir });
  await scored(running, 6);
  const found = await fetch(`${running.http}/api/conversations?limit=50`);
  expect(((await found.json()) as { conversations: unknown[] }).conversations).toHaveLength(6);
});

test('the check of a running service, and of no folder, say so', async () => {
  const dataDir = makeEmpty(path.join(tempDirectory(), 'data'));
  await runService({ suites: ['default'], dataDir });

  const busy = await assayHere(['store', 'check', '--data-dir', dataDir]);
  const nothing = await assayHere(['store', 'check', '--data-dir', path.join(dataDir, 'nothing')]);

  expect([busy.status, busy.stderr]).toEqual([3, expect.stringContaining('Assay is running')]);
  expect([nothing.status, nothing.stderr]).toEqual([3, expect.stringContaining('no data folder')]);
});

test("the folder is its owner's alone, also one that an earlier version made", async () => {
  const dataDir = await folderWithTurns(1);
  const lines: string[] = [];
  const log = new Log({ level: 'info', write: (line) => lines.push(line) });
  const { settings } = loadSettings({ flags: {}, env: { ASSAY_DATA_DIR: dataDir }, cwd: dataDir });
  for (const name of ['', 'journal', 'assay.db']) {
    chmodSync(path.join(dataDir, name), name === 'assay.db' ? 0o644 : 0o755);
  }

  const folder = await openDataFolder(settings, log);
  folder.release();

  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' }))
    expect(statSync(path.join(dataDir, name)).mode & 0o077, name).toBe(0);
  expect(lines.join('')).toContain('files could be read by other users');
});

const PORTS = {
  ASSAY_HTTP_PORT: '0',
  ASSAY_OTLP_HTTP_PORT: '0',
  ASSAY_OTLP_GRPC_PORT: '0',
};
