/** The service with an archive in a folder: what it writes, that it can be scored again, and that forgetting reaches it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadSettings } from '../../../src/config/settings.ts';
import { conversationList } from '../../../src/api/conversation-list.ts';
import { rowsIn } from '../../../src/archive/parquet-rows.ts';
import { readRecordings } from '../../../src/offline/recording.ts';
import { scoreRecorded } from '../../../src/offline/score-recording.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import { BUCKET, playBucket, variablesOf } from '../../archive/played-bucket.ts';
import { assayHere } from '../../assay-here.ts';
import { BUILTIN } from '../../engine/log-driver.ts';
import { freePorts } from '../../free-ports.ts';
import { exportRequest } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf, turnSpan } from '../running-service.ts';
import { allRows, parquetFiles } from './archived-rows.ts';

const SUITES = ['default'];

async function send(running: RunningService, conversations: readonly string[]): Promise<void> {
  const spans = conversations.map((id, number) =>
    turnSpan(number + 1, {
      more: [
        { key: 'gen_ai.conversation.id', value: { stringValue: id } },
        { key: 'user.id', value: { stringValue: `user-of-${id}` } },
        { key: 'gen_ai.input.messages', value: { stringValue: JSON.stringify([message('user', `Question ${id}`)]) } },
        { key: 'gen_ai.output.messages', value: { stringValue: JSON.stringify([message('assistant', 'Done.')]) } },
      ],
    }),
  );
  const response = await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest(spans, 'v1'),
  });
  expect(response.status).toBe(200);
}

function message(role: string, content: string) {
  return { role, parts: [{ type: 'text', content }] };
}

function bytesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('');
}

async function archived(): Promise<{
  readonly running: RunningService;
  readonly dataDir: string;
  readonly folder: string;
}> {
  const dataDir = tempDirectory();
  const folder = path.join(dataDir, 'archive');
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'archive: { url: archive, every: 1s }\n');
  const running = await runService({ suites: SUITES, dataDir });
  await send(running, ['tea', 'coffee', 'water']);
  await expect.poll(async () => (await allRows(folder, 'conversations')).length, { timeout: 20_000 }).toBe(3);
  return { running, dataDir, folder };
}

test('an archive in a folder scores as the service did', { timeout: 60_000 }, async () => {
  const { running, folder } = await archived();
  const rows = await allRows(folder, 'evaluations');
  expect(rows.map((row) => row.conversation_id).toSorted()).toEqual(['coffee', 'tea', 'water']);
  const today = new Date().toISOString().slice(0, 10);
  for (const file of parquetFiles(folder)) expect(file).toMatch(new RegExp(`^table=\\w+/day=${today}/[0-9]{17}-`));
  await expect.poll(async () => sumOf(await metricsOf(running), 'assay_archive_lag_seconds')).toBe(0);

  const { settings } = loadSettings({ flags: {}, env: {}, cwd: folder });
  const { suites } = await loadSuites(SUITES, { baseDir: folder, builtinDir: BUILTIN });
  const scored = async (...files: readonly string[]) =>
    (await scoreRecorded({ batches: readRecordings(files), suites, settings, judges: undefined, readings: undefined }))
      .evaluations;
  const evaluations = await scored(folder);
  const said = (one: { readonly outcome: unknown; readonly explanation: unknown }) => [one.outcome, one.explanation];
  const byId = new Map(evaluations.map((one) => [String(one.conversationId), one]));
  for (const row of rows) {
    const again = byId.get(String(row.conversation_id));
    expect(again && said(again)).toEqual([row.outcome, row.explanation]);
  }
  // A day of it, and its files, of which a conversation may be in several.
  expect(await scored(path.join(folder, `table=content/day=${today}`))).toHaveLength(3);
  const files = parquetFiles(folder).filter((file) => file.startsWith('table=content'));
  expect(await scored(...[...files, ...files].map((file) => path.join(folder, file)))).toHaveLength(3);
  await expect(scored(path.join(folder, parquetFiles(folder).at(-1) ?? ''))).rejects.toThrow('column not found: spans');
});

test('a service that is sent an archive has its conversations for the page, explain and backtest, each once', {
  timeout: 60_000,
}, async () => {
  const { running, folder } = await archived();
  const [otlpHttpPort = 0] = await freePorts(1);
  const another = await runService({ suites: SUITES, dataDir: tempDirectory(), otlpHttpPort });
  for (let times = 0; times < 2; times += 1)
    expect(await assayHere(['send', folder, '--url', another.http])).toMatchObject({ status: 0, stderr: '' });

  const shown = async ({ http }: RunningService) => {
    const response = await fetch(`${http}/api/v1/conversations`);
    return conversationList
      .parse(await response.json())
      .conversations.map(({ conversation_id: id, asked, began_at: beganAt, evaluations }) => [
        ...[id, asked, beganAt],
        ...evaluations.map(({ outcome, explanation }) => [outcome, explanation]),
      ])
      .toSorted();
  };
  const before = await shown(running);
  expect(before).toHaveLength(3);
  await expect.poll(() => shown(another), { timeout: 20_000 }).toEqual(before);
});

test('what is forgotten, by its id or its user, is in no file of the archive', { timeout: 60_000 }, async () => {
  const { running, dataDir, folder } = await archived();
  const gone = await fetch(`${running.http}/api/v1/conversations/tea`, { method: 'DELETE' });
  expect(gone.status).toBe(200);
  const asked = await fetch(`${running.http}/api/v1/forget`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'user-of-coffee' }),
  });
  expect(asked.status).toBe(200);

  for (const table of ['conversations', 'evaluations', 'verdicts', 'content'] as const) {
    const ids = new Set((await allRows(folder, table)).map((row) => row.conversation_id));
    expect([table, [...ids]]).toEqual([table, ['water']]);
  }
  expect(bytesOf(folder)).not.toMatch(/tea|coffee/);
  // Nor is the name of the user, which was kept until it was found.
  expect(bytesOf(dataDir)).not.toMatch(/user-of-(?:tea|coffee)/);
});

test('a bucket that never answers holds nothing up, and is written when it answers', { timeout: 60_000 }, async () => {
  const played = await playBucket();
  for (const [name, value] of Object.entries(variablesOf(played))) vi.stubEnv(name, value);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  played.fault = () => 'silent';
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'assay.yaml'), `archive: { url: 's3://${BUCKET}/assay', every: 1s }\n`);
  const running = await runService({ suites: SUITES, dataDir, env: variablesOf(played) });
  await send(running, ['tea', 'coffee']);
  const scored = async () => sumOf(await metricsOf(running), 'assay_evaluations_total');
  await expect.poll(scored, { timeout: 20_000 }).toBe(2);
  await expect.poll(() => played.asked.length, { timeout: 20_000 }).toBe(1);
  // Scored while the first write is under way.
  await send(running, ['tea', 'coffee', 'water', 'milk']);
  await expect.poll(scored, { timeout: 20_000 }).toBe(4);
  expect(played.objects.size).toBe(0);

  // The connection breaks, and the server is healthy again.
  played.fault = () => undefined;
  played.breakOff();
  const archivedIds = async () => {
    const ids: unknown[] = [];
    for (const [key, bytes] of played.objects)
      if (key.startsWith('assay/table=evaluations/day='))
        ids.push(...(await rowsIn(Uint8Array.from(bytes), { of: 'it' })).map((row) => row.conversation_id));
    return ids.toSorted();
  };
  await expect.poll(archivedIds, { timeout: 20_000 }).toEqual(['coffee', 'milk', 'tea', 'water']);
  expect(running.lines.join('\n')).toContain('archive: could not be written, conversations wait in the store');
});
