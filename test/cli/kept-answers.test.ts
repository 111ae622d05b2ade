/** A paid answer of a judge is reused: by later commands, after a kill, and if the service has the answer. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { MAIN } from '../assay-command.ts';
import { type Provider, startProvider, YES } from '../ask/provider.ts';
import { metricsOf, runService, sumOf } from '../serve/running-service.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';

const SUITE = `suite: manners
scope: conversation
criteria: [{ name: kind, question: Was it kind?, weight: 1, judge: default }]
`;
const CONVERSATIONS = 8;
const REQUESTS = [...traffic({ seed: 3, conversations: CONVERSATIONS, endMarks: 'all' })].flatMap(({ turns }) =>
  turns.map((turn) => exportRequest(turn, 'v1')),
);
const SCORE = ['score', 'recorded.jsonl', '--judges', '--json'];

function folderFor(provider: Provider, more = ''): string {
  const folder = tempDirectory();
  writeFileSync(path.join(folder, 'manners.yaml'), SUITE);
  writeFileSync(path.join(folder, 'recorded.jsonl'), `${REQUESTS.join('\n')}\n`);
  writeFileSync(
    path.join(folder, 'assay.yaml'),
    `suites: [./manners.yaml]
data_dir: ./kept
judges: { default: { provider: openai, model: m, base_url: ${provider.url}, requests_per_minute: 30 } }
${more}`,
  );
  return folder;
}

const score = (cwd: string, ...more: readonly string[]) => assayHere([...SCORE, ...more], { cwd });

test('a second command asks nobody and says the same; without --judges nothing is made', async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const folder = folderFor(provider);

  await assayHere(['score', 'recorded.jsonl'], { cwd: folder });
  expect(existsSync(path.join(folder, 'kept'))).toBe(false);
  const first = await score(folder);
  const second = await score(folder);
  const elsewhere = await score(folder, '--data-dir', 'other');

  expect(first.stderr).toBe(`judges: ${CONVERSATIONS} questions asked, 0 answered before\n`);
  expect(second.stderr).toBe(`judges: 0 questions asked, ${CONVERSATIONS} answered before\n`);
  expect(second.stdout).toBe(first.stdout);
  expect(elsewhere.stdout).toBe(first.stdout);
  expect(provider.asked).toHaveLength(2 * CONVERSATIONS);
}, 60_000);

test('answers are kept one by one: after a kill only the others are asked', async () => {
  const provider = await startProvider(({ number }) => (number < 5 ? { say: YES } : { hang: 'before' }));
  const folder = folderFor(provider);
  const child = spawn(process.execPath, [MAIN, ...SCORE], { cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  while (provider.asked.length < 7 || keptIn(folder) < 5) await sleep(20);
  child.kill('SIGKILL');
  await ended;
  provider.react = () => ({ say: YES });

  const { stderr } = await score(folder);

  expect(stderr).toBe(`judges: ${CONVERSATIONS - 5} questions asked, 5 answered before\n`);
}, 60_000);

function keptIn(folder: string): number {
  const database = new DatabaseSync(path.join(folder, 'kept', 'judge-answers.db'), { readOnly: true });
  try {
    const row = database.prepare('SELECT count(*) AS kept FROM answers').get();
    return Number(row?.kept);
  } finally {
    database.close();
  }
}

test('a failure is not kept, nor an answer for longer than conversations', async () => {
  const provider = await startProvider(({ number }) => (number === 0 ? { refuse: true } : { say: YES }));
  const folder = folderFor(provider, 'store: { keep: 1h }\n');
  const first = await score(folder);
  const second = await score(folder);
  const database = new DatabaseSync(path.join(folder, 'kept', 'judge-answers.db'));
  database.exec('UPDATE answers SET ended_at = ended_at - 3600001');
  database.close();
  const third = await score(folder);

  expect(first.stderr).toContain(`judges: ${CONVERSATIONS} questions asked (1 without an answer), 0 answered before`);
  expect(second.stderr).toContain(`judges: 1 questions asked, ${CONVERSATIONS - 1} answered before`);
  expect(third.stderr).toContain(`judges: ${CONVERSATIONS} questions asked, 0 answered before`);
}, 60_000);

test('where the file can not be used it is said, and the judges are asked', async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const folder = folderFor(provider);
  await score(folder);
  writeFileSync(
    path.join(folder, 'kept', 'judge-answers.db'),
    'This is no database at all, however long it may be. '.repeat(200),
  );

  const { stderr, stdout } = await score(folder);

  expect(stderr).toMatch(/answers of judges in .*judge-answers\.db cannot be used, asking without them: .+\n/);
  expect(stderr).toContain(`judges: ${CONVERSATIONS} questions asked, 0 answered before`);
  expect(JSON.parse(stdout)).toMatchObject({ summary: { conversations: CONVERSATIONS } });
}, 60_000);

test('what the service was answered is not asked again by a command', async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const folder = folderFor(provider);
  const running = await runService({ suites: ['./manners.yaml'], dataDir: folder });
  const headers = { 'content-type': 'application/json' };
  for (const body of REQUESTS) await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body });
  while (sumOf(await metricsOf(running), 'assay_evaluations_total') < CONVERSATIONS) await sleep(50);

  const beside = await score(folder, '--data-dir', folder);
  await running.service.stop();
  const after = await score(folder, '--data-dir', folder);

  expect(provider.asked).toHaveLength(CONVERSATIONS);
  for (const { stderr } of [beside, after])
    expect(stderr).toBe(`judges: 0 questions asked, ${CONVERSATIONS} answered before\n`);
}, 60_000);
