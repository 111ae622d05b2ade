/** A running service reloads its configuration. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, type RunningService, runService, sendTurns, sumOf } from './running-service.ts';

const suite = (name: string, check: string) => `suite: care
version: "${name}"
scope: turn
criteria:
  - { name: ${name}, question: Is it so?, weight: 1, check: '${check}' }
`;

let lastTrace = 0;

async function send(running: RunningService, turns: number): Promise<void> {
  const first = lastTrace + 1;
  lastTrace += turns;
  await sendTurns(running, { first, turns });
}

async function until(running: RunningService, name: string, count: number, ...parts: string[]): Promise<void> {
  while (sumOf(await metricsOf(running), name, ...parts) !== count) await new Promise((next) => setTimeout(next, 50));
}

function reload(running: RunningService, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${running.http}/api/v1/reload`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  });
}

async function serviceWith(text: string) {
  const directory = tempDirectory();
  const file = path.join(directory, 'care.yaml');
  writeFileSync(file, text);
  const running = await runService({ suites: ['./care.yaml'], dataDir: directory });
  return { directory, file, running };
}

test('what comes after a reload is judged by the new suites, and what came before counts once and stays', async () => {
  const { file, running } = await serviceWith(suite('first', 'true'));
  await send(running, 20);
  await until(running, 'assay_verdicts_total', 20, 'criterion="first"');

  writeFileSync(file, suite('second', 'false'));
  const answer = await reload(running);
  expect([answer.status, await answer.json()]).toEqual([200, { reloaded: true, needs_restart: [] }]);
  await send(running, 10);
  await until(running, 'assay_verdicts_total', 10, 'criterion="second"', 'verdict="fail"');

  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_verdicts_total', 'criterion="first"')).toBe(20);
  expect(sumOf(metrics, 'assay_criterion_weight_ratio', 'criterion="second"')).toBe(1);
  expect([...metrics.keys()].filter((name) => /criterion_weight_ratio.*first/.test(name))).toEqual([]);
  expect(sumOf(metrics, 'assay_config_last_reload_successful')).toBe(1);
  expect(sumOf(metrics, 'assay_failures_total', 'part="scoring"')).toBe(0);
  expect(running.lines.some((line) => line.includes('"config: reloaded'))).toBe(true);
});

test('a configuration with mistakes leaves what runs in place, and all of them are said', async () => {
  const { directory, file, running } = await serviceWith(suite('first', 'true'));
  const before = sumOf(await metricsOf(running), 'assay_config_last_reload_success_timestamp_seconds');
  writeFileSync(file, suite('second', 'no_such_thing'));
  writeFileSync(path.join(directory, 'assay.yaml'), 'log_levle: debug\nconversation: { max_age: soon }\n');

  const answer = await reload(running);

  const { problems } = (await answer.json()) as { problems: string[] };
  expect(answer.status).toBe(422);
  expect(problems.join('\n')).toMatch(/soon[\s\S]*log_levle[\s\S]*no_such_thing/);
  const logged = running.lines.join('');
  for (const mistake of ['soon', 'log_levle', 'no_such_thing']) expect(logged).toContain(mistake);
  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_config_last_reload_successful')).toBe(0);
  expect(sumOf(metrics, 'assay_config_last_reload_success_timestamp_seconds')).toBe(before);
  await send(running, 5);
  await until(running, 'assay_verdicts_total', 5, 'criterion="first"', 'verdict="pass"');

  writeFileSync(path.join(directory, 'assay.yaml'), '');
  writeFileSync(file, suite('second', 'false'));
  expect((await reload(running)).status).toBe(200);
  expect(sumOf(await metricsOf(running), 'assay_config_last_reload_successful')).toBe(1);
});

test('what can change while it runs does, and what can not is named', async () => {
  const { directory, running } = await serviceWith(suite('first', 'true'));
  writeFileSync(path.join(directory, 'token'), 'a-new-token-for-writing');
  writeFileSync(
    path.join(directory, 'assay.yaml'),
    [
      'host: 127.0.0.2',
      'log_level: error',
      'turn: { max_bytes: 7MiB }',
      'conversation: { id_keys: [my.id] }',
      'http: { write_token_file: token }',
      'alerts: { webhooks: [{ name: chat, url: "http://127.0.0.1:1/" }] }',
    ].join('\n'),
  );

  const answer = await reload(running);
  const unauthorized = await reload(running);
  const again = await reload(running, { authorization: 'Bearer a-new-token-for-writing' });

  const needs = ['host', 'turn', 'conversation.id_keys'];
  expect(await answer.json()).toEqual({ reloaded: true, needs_restart: needs });
  expect(unauthorized.status).toBe(401);
  // It is still unchanged.
  expect(await again.json()).toEqual({ reloaded: true, needs_restart: needs });
  const metrics = await metricsOf(running);
  expect([...metrics.keys()].some((name) => name.includes('webhook="chat"'))).toBe(true);
});

test('a module that a suite imports is loaded anew as well', async () => {
  const directory = tempDirectory();
  const defineSuite = path.resolve(import.meta.dirname, '../../src/score/define-suite.ts');
  const part = (answer: boolean) => `export const answer = () => ${answer};\n`;
  writeFileSync(path.join(directory, 'part.ts'), part(true));
  writeFileSync(
    path.join(directory, 'mine.ts'),
    `import { defineSuite } from '${defineSuite}';
import { answer } from './part.ts';
export const mine = defineSuite({
  name: 'mine', scope: 'turn',
  criteria: [{ name: 'only', question: 'Is it so?', weight: 1, check: answer }],
});
`,
  );
  const running = await runService({ suites: ['./mine.ts'], dataDir: directory });
  await send(running, 3);
  await until(running, 'assay_verdicts_total', 3, 'criterion="only"', 'verdict="pass"');

  writeFileSync(path.join(directory, 'part.ts'), part(false));
  expect((await reload(running)).status).toBe(200);
  await send(running, 3);

  await until(running, 'assay_verdicts_total', 3, 'criterion="only"', 'verdict="fail"');
});

test('reloads under load lose no turn, count none twice and tear none apart', async () => {
  const { file, running } = await serviceWith(suite('first', 'true'));
  const rounds = 4;
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(file, suite(round % 2 === 0 ? 'second' : 'first', 'size(steps) > 0'));
    const sent = Array.from({ length: 5 }, () => send(running, 100));
    // Two at once, and one while they are in progress.
    const { service } = running;
    const outcomes = await Promise.all([service.reload(), service.reload(), service.reload()]);
    expect(outcomes).toEqual(Array(3).fill({ reloaded: true, needRestart: [] }));
    await Promise.all(sent);
  }

  await until(running, 'assay_verdicts_total', rounds * 500);
  while (running.service.pending() > 0) await new Promise((next) => setTimeout(next, 50));
  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_verdicts_total')).toBe(rounds * 500);
  expect(sumOf(metrics, 'assay_evaluations_total')).toBe(rounds * 500);
  expect(sumOf(metrics, 'assay_failures_total', 'part="scoring"')).toBe(0);
}, 120_000);
