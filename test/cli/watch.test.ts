/** `assay watch`: lines of a real service, filters, a restart, and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN } from '../assay-command.ts';
import { freePorts } from '../free-ports.ts';
import { type RunningService, runService } from '../serve/running-service.ts';
import { assayHere } from '../assay-here.ts';
import { tempDirectory } from '../temp-directory.ts';
import { requestOfMessages } from '../../src/offline/messages/recorded-messages.ts';

const NOW = () => new Date().toISOString();

async function send({ otlp }: RunningService, id: string, answer: string, agent = 'order-bot'): Promise<void> {
  const messages = [
    { role: 'user', content: 'Where is order 17?' },
    { role: 'assistant', content: answer },
  ];
  const value = { conversation_id: id, agent, version: '1', started_at: NOW(), messages };
  const body = requestOfMessages({ value, place: id, lineNumber: 0 }) ?? '';
  const answered = await fetch(`${otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(answered.status).toBe(200);
}

interface Watching {
  readonly child: ChildProcess;
  /** The next line of standard output that has the text. */
  readonly line: (text: string) => Promise<string>;
  readonly said: (text: string) => Promise<string>;
}

async function watching(...args: readonly string[]): Promise<Watching> {
  const child = spawn(process.execPath, [MAIN, 'watch', ...args], {
    cwd: tempDirectory(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [out, err] = [child.stdout, child.stderr].map((input) => createInterface({ input })[Symbol.asyncIterator]());
  const until = (lines: typeof out) => async (text: string) => {
    for (let next = await lines?.next(); next !== undefined && next.done !== true; next = await lines?.next())
      if (next.value.includes(text)) return next.value;
    throw new Error(`it ended and did not say: ${text}`);
  };
  const watch = { child, line: until(out), said: until(err) };
  await watch.said('watching http');
  return watch;
}

test('it shows conversations as they are scored, each once, and Ctrl-C ends it', async () => {
  const running = await runService({ suites: ['default'] });
  await send(running, 'before', 'Order 17 has shipped.');
  const list = async () => (await fetch(`${running.http}/api/v1/conversations?outcome=no_fault_found`)).text();
  while (!(await list()).includes('before')) await new Promise((resolve) => setTimeout(resolve, 50));
  const all = await watching('--url', running.http);
  const failed = await watching('--url', running.http, '--failed', '--json');
  const others = await watching('--url', running.http, '--agent', 'other-bot', '--suite', 'default');

  await send(running, 'good', 'Order 17 has shipped.');
  await send(running, 'bad\u001b[31m', "Sorry, I can't help with that.");
  await send(running, 'theirs', 'Order 17 has shipped.', 'other-bot');

  const shown = [await all.line('  '), await all.line('  '), await all.line('  ')].toSorted();
  expect(shown.map((line) => line.replace(/^\S+ {2}/, '')).toSorted()).toEqual([
    expect.stringMatching(
      /^order-bot 1 {2}graceful failure \(refusal\) {2}0\.\d\d {2}answer_not_empty_or_apology: The answer .* {2}bad$/,
    ),
    'order-bot 1  no fault found  1.00  good',
    'other-bot 1  no fault found  1.00  theirs',
  ]);
  const item: unknown = JSON.parse(await failed.line('{'));
  expect(item).toMatchObject({ conversation_id: 'bad\u001b[31m', agent: 'order-bot' });
  expect(await others.line('  ')).toContain('theirs');
  for (const { child } of [all, failed, others]) {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  }
}, 60_000);

test('it waits for a service that is away, and says so once', async () => {
  const [httpPort = 0] = await freePorts(1);
  const dataDir = tempDirectory();
  const first = await runService({ suites: ['default'], dataDir, httpPort });
  const watch = await watching('--http-port', String(httpPort));

  await first.service.stop();
  expect(await watch.said('')).toMatch(/does not answer: waiting for it$/);
  const second = await runService({ suites: ['default'], dataDir, httpPort });
  await send(second, 'after', 'Order 17 has shipped.');

  expect(await watch.line('after')).toContain('no fault found');
  expect(await watch.said('')).toMatch(/answers again$/);
}, 60_000);

test('without a service it says how to start one, and a reader that ends, ends it', async () => {
  const away = await assayHere(['watch', '--url', 'http://127.0.0.1:1']);
  const running = await runService({ suites: ['default'] });
  const { child } = await watching('--url', running.http);
  const ended = once(child, 'exit');
  child.stdout?.destroy();

  await send(running, 'one', 'Order 17 has shipped.');

  const unknown = await assayHere(['watch', '--url', running.http, '--suite', 'nothing']);
  expect([unknown.status, unknown.stderr]).toEqual([3, expect.stringContaining('there are default')]);
  expect([away.status, away.stderr]).toEqual([3, expect.stringContaining('start `assay serve`')]);
  expect(await ended).toEqual([0, null]);
}, 60_000);
