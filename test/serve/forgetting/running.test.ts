import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { exportRequest } from '../../simulation/traffic.ts';
import { assayHere } from '../../assay-here.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../running-service.ts';
import { filesWith, spansOf, traceOf } from './folder.ts';

const SECRET = 'heron-quartz';
/** As the index of words has it. */
const WORD = 'quartz';
const OTHER = 'willow-basalt';
const USER = 'ana@example.com';
const WAIT = { timeout: 20_000, interval: 50 };
const MORE = 'Long enough to be found anywhere. ';

type Turn = Parameters<typeof spansOf>[0];
/** A conversation as the API shows it. */
interface Shown {
  readonly conversation?: { readonly turns: number };
  readonly evaluations?: readonly unknown[];
}

async function send(running: RunningService, ...turns: readonly Turn[]): Promise<void> {
  const answer = await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest(turns.flatMap((turn) => spansOf(turn)) as never, 'v1'),
  });
  expect(answer.status).toBe(200);
}

async function stored(running: RunningService, conversation: string): Promise<boolean> {
  const answer = await fetch(`${running.http}/api/conversations/${conversation}`);
  const body = answer.ok ? ((await answer.json()) as Shown) : undefined;
  return (body?.evaluations?.length ?? 0) > 0;
}

async function forget(
  running: RunningService,
  body: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${running.http}/api/v1/forget`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const turn = (number: number, more: Partial<Turn> = {}): Turn => ({
  conversation: 'meant',
  user: undefined,
  trace: traceOf(number),
  text: `${SECRET} ${MORE}`,
  isLast: true,
  ...more,
});
const other = (number: number, more: Partial<Turn> = {}): Turn =>
  turn(number, { conversation: 'other', text: `${OTHER} ${MORE}`, ...more });

test('a scored conversation, its open turn and its truth are in no file afterwards; others and counters stay', async () => {
  const dataDir = tempDirectory();
  const running = await runService({
    suites: ['default'],
    dataDir,
    env: { ASSAY_TURN_IDLE: '1h', ASSAY_TURN_MAX_AGE: '2h' },
  });
  // In one request, so that they share a record of the journal.
  await send(running, turn(1), other(2));
  await vi.waitFor(
    async () => expect([await stored(running, 'meant'), await stored(running, 'other')]).toEqual([true, true]),
    WAIT,
  );
  await send(running, turn(3, { isOpen: true }), other(4, { isOpen: true }));
  await fetch(`${running.http}/v1/truth/meant`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ note: SECRET }),
  });
  const before = sumOf(await metricsOf(running), 'assay_evaluations_total');
  expect(filesWith(dataDir, [SECRET, WORD]).length).toBeGreaterThan(1);

  const deleted = await fetch(`${running.http}/api/v1/conversations/meant`, { method: 'DELETE' });

  expect(await deleted.json()).toMatchObject({ forgotten: true, conversations: 1 });
  expect(filesWith(dataDir, [SECRET, WORD])).toEqual([]);
  expect(filesWith(dataDir, [OTHER]).length).toBeGreaterThan(1);
  expect(await stored(running, 'meant')).toBe(false);
  expect(await stored(running, 'other')).toBe(true);
  expect(before).toBeGreaterThan(0);
  expect(sumOf(await metricsOf(running), 'assay_evaluations_total')).toBe(before);
  await vi.waitFor(() => {
    const lines = readFileSync(path.join(dataDir, 'access/audit.log'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual({
      at: expect.any(String),
      what: 'forgot',
      who: 'loopback',
      conversations: '1',
      hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(lines.join('\n')).not.toContain('meant');
  }, WAIT);

  await running.service.stop();
  expect(filesWith(dataDir, [SECRET, WORD])).toEqual([]);
  const again = await runService({ suites: ['default'], dataDir });
  // The open turn of the other conversation survived the rewriting of its segment, and closes now.
  await send(again, other(5, { conversation: 'third', isLast: true }));
  await vi.waitFor(async () => expect(await stored(again, 'third')).toBe(true), WAIT);
  await vi.waitFor(async () => {
    const answer = (await (await fetch(`${again.http}/api/conversations/other`)).json()) as Shown;
    expect(answer.conversation?.turns).toBe(2);
  }, WAIT);
  expect(await stored(again, 'meant')).toBe(false);
  expect(filesWith(dataDir, [SECRET, WORD])).toEqual([]);
}, 60_000);

test('feedback about a conversation goes with it, stored or in the journal, and late feedback finds it gone', async () => {
  const dataDir = tempDirectory();
  const running = await runService({
    suites: ['default'],
    dataDir,
    env: { ASSAY_TURN_SETTLE: '1h', ASSAY_TURN_IDLE: '1h', ASSAY_TURN_MAX_AGE: '2h' },
  });
  const give = async (conversation: string, comment: string) => {
    const answer = await fetch(`${running.http}/api/v1/feedback`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ conversation_id: conversation, label: 'bad', comment, user: 'ana' }),
    });
    return ((await answer.json()) as { results: readonly { result: string }[] }).results[0]?.result;
  };
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const log = (conversation: string, comment: string) => ({
    eventName: 'assay.feedback',
    attributes: [text('session.id', conversation), text('assay.feedback.comment', comment)],
  });
  await fetch(`${running.otlp}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // In one request, so that they share a record of the journal.
    body: JSON.stringify({
      resourceLogs: [{ scopeLogs: [{ logRecords: [log('meant', SECRET), log('other', OTHER)] }] }],
    }),
  });
  expect(await give('meant', SECRET)).toBe('waiting');
  expect(filesWith(dataDir, [SECRET]).length).toBeGreaterThan(1);

  const deleted = await fetch(`${running.http}/api/v1/conversations/meant`, { method: 'DELETE' });

  expect(await deleted.json()).toMatchObject({ forgotten: true, feedback: 1 });
  expect(filesWith(dataDir, [SECRET])).toEqual([]);
  expect(filesWith(dataDir, [OTHER]).length).toBeGreaterThan(0);
  expect(await give('meant', SECRET)).toBe('gone');
  expect(filesWith(dataDir, [SECRET])).toEqual([]);
  expect(await give('another', OTHER)).toBe('waiting');
  expect(await forget(running, { user: 'ana' })).toMatchObject({ status: 200 });
  expect(await give('another', OTHER)).toBe('gone');
  await running.service.stop();
  expect(filesWith(dataDir, [SECRET])).toEqual([]);
}, 60_000);

test('a turn that is open and says nothing of the user goes with its conversation, and no exemplar names it', async () => {
  const dataDir = tempDirectory();
  const env = { ASSAY_TURN_IDLE: '4s', ASSAY_TURN_MAX_AGE: '1h' };
  const running = await runService({ suites: ['default'], dataDir, env });
  const named = async () => {
    const headers = { accept: 'application/openmetrics-text' };
    return (await (await fetch(`${running.http}/metrics`, { headers })).text()).match(/conversation_id="[^"]*"/g) ?? [];
  };
  await send(running, turn(1, { conversation: 'scored' }));
  await vi.waitFor(async () => expect((await named()).join()).toMatch(/scored/), WAIT);
  await send(running, turn(3, { user: USER, isOpen: true, isLast: false }));
  await send(running, turn(4, { text: `${SECRET} later`, isOpen: true, isLast: false }));

  expect(await forget(running, { user: USER })).toMatchObject({ status: 200, body: { conversations: 1 } });

  expect(await named()).toEqual([]);
  // The service overwrites it within a minute; whoever asks again need not wait for that.
  const isGone = async () => {
    await forget(running, { user: USER });
    expect(filesWith(dataDir, ['later'])).toEqual([]);
  };
  await vi.waitFor(isGone, { timeout: 30_000, interval: 1000 });
  expect(await stored(running, 'meant')).toBe(false);
  expect(await stored(running, 'scored')).toBe(true);
}, 60_000);

test('all conversations of a user go, whether redaction hashes his id or not', async () => {
  for (const hashUserIds of [false, true]) {
    const dataDir = tempDirectory();
    const running = await runService({ suites: ['default'], dataDir, redaction: { hashUserIds } });
    await send(
      running,
      turn(1, { conversation: 'first', user: USER }),
      turn(2, { conversation: 'second', user: USER }),
      other(3, { user: 'bo@example.com' }),
    );
    for (const id of ['first', 'second', 'other'])
      await vi.waitFor(async () => expect(await stored(running, id)).toBe(true), WAIT);

    const dry = await forget(running, { user: USER, dry_run: true });
    expect(dry.body).toMatchObject({ forgotten: false, conversations: 2 });
    expect(filesWith(dataDir, [SECRET, WORD]).length).toBeGreaterThan(0);
    const done = await forget(running, { user: USER });

    expect(done.body).toMatchObject({ forgotten: true, conversations: 2 });
    expect(filesWith(dataDir, [SECRET, WORD, USER])).toEqual([]);
    expect([await stored(running, 'first'), await stored(running, 'other')]).toEqual([false, true]);
    await running.service.stop();
  }
}, 60_000);

test('spans that arrive later for what was forgotten are dropped, counted, and gone from the journal', async () => {
  const dataDir = tempDirectory();
  const running = await runService({ suites: ['default'], dataDir });
  await send(running, turn(1, { user: USER }));
  await vi.waitFor(async () => expect(await stored(running, 'meant')).toBe(true), WAIT);
  await forget(running, { conversation: 'meant' });
  await forget(running, { user: USER });
  // The same spans again, a new turn of the conversation, and another conversation of the user.
  await send(running, turn(1), turn(2), turn(3, { conversation: 'new', user: USER }), other(4));
  await vi.waitFor(async () => expect(await stored(running, 'other')).toBe(true), WAIT);
  await vi.waitFor(
    async () => expect(sumOf(await metricsOf(running), 'assay_late_records_total', 'fate="forgotten"')).toBe(9),
    WAIT,
  );

  // The scoring thread says it once a minute; any forgetting does it at once.
  await forget(running, { conversation: 'nobody' });

  expect(await stored(running, 'meant')).toBe(false);
  expect(filesWith(dataDir, [SECRET, WORD])).toEqual([]);
}, 60_000);

test('the command asks the service that has the folder, and only that one', async () => {
  const dataDir = tempDirectory();
  const running = await runService({ suites: ['default'], dataDir });
  await send(running, turn(1), other(2));
  await vi.waitFor(async () => expect(await stored(running, 'meant')).toBe(true), WAIT);
  const run = (folder: string) =>
    assayHere(['forget', '--conversation', 'meant', '--json', '--data-dir', folder, '--http-port', portOf(running)]);

  const stopped = tempDirectory();
  const elsewhere = await run(stopped);
  expect([elsewhere.status, JSON.parse(elsewhere.stdout).conversations]).toEqual([0, 0]);
  expect(await stored(running, 'meant')).toBe(true);
  const here = await run(dataDir);

  expect([here.status, JSON.parse(here.stdout).conversations]).toEqual([0, 1]);
  expect(await stored(running, 'meant')).toBe(false);
  expect(filesWith(dataDir, [SECRET, WORD])).toEqual([]);
  // The audit log names the person at the command line of a stopped folder as well.
  expect(JSON.parse(readFileSync(path.join(stopped, 'access/audit.log'), 'utf8'))).toMatchObject({
    what: 'forgot',
    who: expect.stringMatching(/^command line/),
    conversations: '0',
  });
}, 60_000);

function portOf({ http }: RunningService): string {
  return new URL(http).port;
}

test('it takes the role admin, and says what is wrong with a request', async () => {
  const running = await runService({ suites: ['default'] });
  expect((await forget(running, {})).status).toBe(400);
  expect((await forget(running, { user: 'a', conversation: 'b' })).status).toBe(400);
  const nobody = await fetch(`${running.http}/api/v1/conversations/nobody`, { method: 'DELETE' });
  expect(await nobody.json()).toMatchObject({ forgotten: true, conversations: 0 });
  const wrong = await fetch(`${running.http}/api/v1/conversations/nobody?dry_run=perhaps`, { method: 'DELETE' });
  expect(wrong.status).toBe(400);
});
