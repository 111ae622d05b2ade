/** An upgrade and the way back, as the commands and a start report them before anything is changed. */
import { cpSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { assayBeside } from '../assay-command.ts';
import { assayHere } from '../assay-here.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { metricsOf, runService, sendTurns, sumOf } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';

const ENV = { ASSAY_OTLP_GRPC_PORT: '0', ASSAY_OTLP_HTTP_PORT: '0', ASSAY_HTTP_PORT: '0' };

/** A data folder whose store was changed by SQL. */
function folder(sql = ''): string {
  const dataDir = path.join(tempDirectory(), 'data');
  const file = path.join(dataDir, 'assay.db');
  Store.open(file).close();
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return dataDir;
}

function withState(dataDir: string, state: unknown): string {
  const database = new DatabaseSync(path.join(dataDir, 'assay.db'));
  const snapshot = zstdCompressSync(JSON.stringify(state));
  database.prepare('INSERT INTO detection (one, version, snapshot) VALUES (1, 1, ?)').run(snapshot);
  database.close();
  return dataDir;
}

const NEWER = `PRAGMA user_version = ${MIGRATIONS.length + 1};
  CREATE TABLE IF NOT EXISTS schema_origin (one INTEGER PRIMARY KEY, since TEXT NOT NULL, opens_from INTEGER NOT NULL);
  INSERT OR REPLACE INTO schema_origin VALUES (1, '98.7.6', ${MIGRATIONS.length + 1})`;
const OLD_STATE = { format: 1, detectors: { suites: [['s', '1', { version: 1 }]] } };

test('a check of a store that is up to date says that nothing changes', async () => {
  const { status, stdout } = await assayHere(['store', 'check', '--data-dir', folder()]);

  expect([status, stdout]).toEqual([0, expect.stringContaining('this version changes nothing')]);
});

test('an upgrade can be checked while the service runs, and changes nothing of it', async () => {
  const dataDir = withState(folder(), { format: 1, detectors: { suites: [['s', '1', { version: 2, streams: [] }]] } });
  const running = await runService({ suites: ['default'], dataDir });
  await sendTurns(running, { first: 1, turns: 3 });

  const text = await assayHere(['store', 'check', '--upgrade', '--data-dir', dataDir]);
  const json = await assayHere(['store', 'check', '--upgrade', '--json', '--data-dir', dataDir]);
  const whole = await assayHere(['store', 'check', '--data-dir', dataDir]);
  await sendTurns(running, { first: 4, turns: 3 });
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_turns_scored_total'), { timeout: 20_000 })
    .toBe(6);
  await running.service.stop();

  expect([text.status, text.stdout]).toEqual([0, expect.stringContaining('this version changes nothing')]);
  expect(JSON.parse(json.stdout)).toMatchObject({ upgrade: { throws_away: [], refused: null } });
  expect(whole.status).toBe(3);
  expect((await assayHere(['store', 'check', '--data-dir', dataDir])).status).toBe(0);
});

test('a check says what a start would throw away, and the start says it before', async () => {
  const dataDir = withState(folder(), OLD_STATE);

  const text = await assayHere(['store', 'check', '--data-dir', dataDir]);
  const json = await assayHere(['store', 'check', '--data-dir', dataDir, '--json']);
  const running = await runService({ suites: ['default'], dataDir });
  await expect.poll(() => running.lines.join(), { timeout: 20_000 }).toContain('starting from scratch');
  await running.service.stop();

  expect([text.status, text.stdout]).toEqual([
    0,
    expect.stringMatching(/throws away what detection has learned \(format 1\.1/),
  ]);
  expect(JSON.parse(json.stdout).upgrade).toMatchObject({
    from: { schema: MIGRATIONS.length },
    throws_away: [expect.stringContaining('learns from stored conversations')],
    refused: null,
  });
  const log = running.lines.map((line) => JSON.parse(line));
  const said = log.findIndex(({ message }) => message.includes('throwing a part away'));
  expect(log[said]).toMatchObject({
    level: 'warn',
    throws_away: expect.stringContaining('what detection has learned'),
  });
  expect(said).toBeLessThan(log.findIndex(({ message }) => message.includes('starting from scratch')));
});

test('the store of a newer Assay is refused with the version that it needs, by the check and by a start', async () => {
  const dataDir = folder(NEWER);
  const copy = path.join(tempDirectory(), 'copy');
  cpSync(dataDir, copy, { recursive: true });

  const checked = await assayHere(['store', 'check', '--data-dir', dataDir]);
  const started = await assayBeside(['serve', '--data-dir', dataDir], { env: ENV });
  const back = await assayHere(['store', 'downgrade', '--to', '0.1.0', '--data-dir', copy]);

  expect([checked.status, checked.stdout]).toEqual([1, expect.stringContaining('start Assay 98.7.6 or newer')]);
  expect([started.status, started.stderr]).toEqual([1, expect.stringContaining('start Assay 98.7.6 or newer')]);
  expect([back.status, back.stderr]).toEqual([1, expect.stringContaining('ask the newer Assay')]);
});

test('the way back to the version of the tables undoes nothing, and a store that is in use is left alone', async () => {
  const dataDir = folder();
  const done = await assayHere(['store', 'downgrade', '--to', '0.1.0', '--data-dir', dataDir]);
  const running = await runService({ suites: ['default'], dataDir });
  const refused = await assayHere(['store', 'downgrade', '--to', '0.1.0', '--data-dir', dataDir]);
  await running.service.stop();

  expect([done.status, done.stdout]).toEqual([0, expect.stringMatching(/^Assay 0\.1\.0: \d+ steps? undone/)]);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('another Assay is using')]);
});

test.each([
  ['no version', ['--to', 'last'], 2, /version such as/],
  ['no store', ['--to', '0.1.0', '--data-dir', '/nowhere'], 3, /no store at/],
])('%s is a mistake', async (_what, args, code, message) => {
  const { status, stderr } = await assayHere(['store', 'downgrade', ...args]);

  expect([status, stderr]).toEqual([code, expect.stringMatching(message)]);
});
