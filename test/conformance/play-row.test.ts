import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { playRow, type PlayRowOptions, rereadRow } from '../../scripts/conformance/play-row.ts';
import { figuresOf, isPlayed } from '../../scripts/conformance/result.ts';
import type { Row } from '../../scripts/conformance/row.ts';

const ROW: Row = {
  id: 'example',
  framework: 'Example',
  exporter: 'own',
  language: 'javascript',
  file: 'example.mjs',
  api: 'openai-chat',
  packages: ['example'],
  handOff: 'none',
  without: { recovered: 'It', unrecovered: 'is', unanswered: 'a small', parallel: 'example' },
};

/** Plays a program in place of an installed framework. */
function withProgram(program: string): PlayRowOptions {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-test-'));
  const file = path.join(folder, 'run.mjs');
  writeFileSync(file, program);
  return {
    ...{ pins: {}, out: path.join(folder, 'out'), timeoutMs: 20_000, keep: true, today: '2026-01-02' },
    install: async () => ({ folder, file, command: process.execPath, versions: { example: '1.2.3' } }),
  };
}

test('a row that cannot be installed has the reason as its result', async () => {
  const options = withProgram('');
  const install = () => Promise.reject(new Error('npm install: no such package'));
  const result = await playRow(ROW, { ...options, install });

  expect(result).toMatchObject({ row: 'example', failure: 'npm install: no such package', behaviours: [] });
  expect(isPlayed(result)).toBe(false);
});

test('a row whose agent crashes says what it printed, and nothing of it counts', async () => {
  const result = await playRow(ROW, withProgram('throw new Error("no such model");'));
  expect(result.failure).toBeUndefined();
  const complaints = result.behaviours[0]?.complaints.join('\n');

  expect(complaints).toContain('nothing was exported');
  expect(complaints).toContain('no such model');
  expect(figuresOf(result)).toMatchObject({ right: 0, sent: 0 });
  expect(isPlayed(result)).toBe(false);
});

test('a row whose agent hangs ends at its time', async () => {
  const result = await playRow(ROW, { ...withProgram('setInterval(() => {}, 1000);'), timeoutMs: 600 });

  expect(result.behaviours[0]?.complaints.join()).toContain('SIGKILL');
});

const AGENT = `
import { readFileSync } from 'node:fs';
const script = JSON.parse(readFileSync(process.env.CAPTURE_SCRIPT, 'utf8'));
const post = (url, body) => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
for (const [index, { user }] of script.turns.entries()) {
  await post(script.control + '/turn', { index });
  let message = {};
  do {
    const reply = await post(script.model.openaiBaseUrl + '/chat/completions', { messages: [], tools: [{ name: 'any' }] });
    message = (await reply.json()).choices[0].message;
  } while (message.tool_calls !== undefined);
  const text = (role, content) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const attributes = Object.entries({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': script.agent.name,
    'gen_ai.conversation.id': script.conversationId,
    'gen_ai.input.messages': text('user', user),
    'gen_ai.output.messages': text('assistant', message.content),
  }).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const span = { traceId: String(index + 1).repeat(32), spanId: 'b'.repeat(16), name: 'agent', attributes,
    startTimeUnixNano: '177800000' + index + '000000000', endTimeUnixNano: '177800000' + index + '900000000' };
  await post(script.otlp.url + '/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  await post(script.control + '/outcome', { index, answer: message.content });
}
`;

test('a row that plays has its fields, and leaves its export', async () => {
  const options = withProgram(AGENT);
  const result = await playRow(ROW, options);
  const { right, sent, notSent } = figuresOf(result);

  expect(result.behaviours.flatMap(({ complaints }) => complaints)).toEqual([]);
  // Turns, conversation and agent; question and answer of two turns.
  expect([right, sent]).toEqual([7, 7]);
  expect(notSent).toContain('tools');
  expect(readdirSync(path.join(options.out, 'example'))).toEqual(['success.bin', 'success.played.json']);
  expect(await rereadRow(ROW, result, options.out)).toEqual(result);
});
