/** Conversations in other formats, by the command line: read, written, and compared with what is expected. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { runService } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';

const RECORDED = path.resolve(import.meta.dirname, '../fixtures/captured/strands@1.19.0/meeting_success.json');

async function run(...args: readonly string[]) {
  const { status, stdout, stderr } = await assayHere(args);
  return { status, stdout, stderr };
}

test.each(['atif', 'messages', 'responses'])('%s: exported, scored and inspected', async (format) => {
  const file = path.join(tempDirectory(), 'run.json');
  const { status, stderr } = await run('export', '--as', format, RECORDED, '--out', file);
  expect([status, stderr]).toEqual([0, '']);

  const [inspected] = JSON.parse((await run('inspect', '--json', file)).stdout);
  expect(inspected).toMatchObject({ conversation_id: 'conv_2d060f8b1275', agent: 'meeting_scheduler' });
  expect(inspected.turns.map(({ tool_calls }: { tool_calls: object[] }) => tool_calls.length)).toEqual([2, 1]);
  const scored = JSON.parse((await run('score', file, '--json', '--suite', 'default')).stdout);
  const ofSpans = JSON.parse((await run('score', RECORDED, '--json', '--suite', 'default')).stdout);
  const scores = ({ evaluations }: { evaluations: { score: number; outcome: string }[] }) =>
    evaluations.map(({ score, outcome }) => [score, outcome]);
  expect(scores(scored)).toEqual(scores(ofSpans));

  const pretty = path.join(tempDirectory(), 'pretty.json');
  writeFileSync(pretty, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), undefined, 2));
  const [again] = JSON.parse((await run('inspect', '--json', pretty)).stdout);
  expect(again.turns).toEqual(inspected.turns);
});

test('what is stored is exported as from its recording, by the store and by its service', {
  timeout: 60_000,
}, async () => {
  const dataDir = tempDirectory();
  const running = await runService({ suites: ['default'], dataDir });
  for (const line of readFileSync(RECORDED, 'utf8').trim().split('\n'))
    await fetch(`${running.otlp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: line,
    });
  const ofService = () => run('export', '--as', 'conversations', '--url', running.http);
  await expect
    .poll(async () => JSON.parse((await ofService()).stdout || '{"turns":[]}').turns.length, { timeout: 20_000 })
    .toBe(2);

  const expected = (await run('export', '--as', 'conversations', RECORDED)).stdout;
  expect((await ofService()).stdout).toBe(expected);
  expect((await run('export', '--as', 'conversations', '--data-dir', dataDir)).stdout).toBe(expected);
  expect((await run('export', '--as', 'atif', '--agent', 'nobody', '--data-dir', dataDir)).stdout).toBe('');
});

test.each([
  [['export', RECORDED], /give --as/],
  [['export', '--as', 'csv', RECORDED], /--as: csv is none of conversations, atif, messages, responses/],
  [['export', '--as', 'atif', '--table', 'verdicts'], /leave --table and --format out/],
  [['export', '--as', 'atif', '--since', '1h', RECORDED], /filters/],
] as const)('%j is refused', async (args, message) => {
  const { status, stderr } = await run(...args);

  expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('a format that is not known says what is accepted', async () => {
  const file = path.join(tempDirectory(), 'run.json');
  writeFileSync(file, '{"trajectory": []}');

  const { status, stderr } = await run('score', file);
  expect([status, stderr]).toEqual([3, expect.stringContaining('"schema_version": "ATIF-v1.7"')]);
});

test('what was read is held against what is expected', async () => {
  const expected = path.join(tempDirectory(), 'expected.jsonl');
  const { stdout } = await run('export', '--as', 'conversations', RECORDED);
  writeFileSync(expected, stdout);

  const right = await run('inspect', RECORDED, '--expect', expected);
  expect([right.status, right.stdout]).toEqual([0, expect.stringMatching(/^(\d+) of \1 fields as expected\n$/)]);

  writeFileSync(expected, JSON.stringify({ agent: 'shop', user: 'x', turns: [{}, { final_answer: 'No.' }] }));
  const wrong = await run('inspect', RECORDED, '--expect', expected);
  expect(wrong.status).toBe(1);
  expect(wrong.stdout).toContain('wrong    [0].agent: expected "shop", found "meeting_scheduler"');
  expect(wrong.stdout).toContain('unknown  [0].user: no conversation has such a field');
  expect(wrong.stdout).toContain('wrong    [0].turns[1].final_answer: expected "No.", found "Booked');
  expect(wrong.stderr).toBe(`3 fields not as ${expected} expects\n`);
  const asJson = await run('inspect', RECORDED, '--expect', expected, '--json');
  expect(JSON.parse(asJson.stdout)).toMatchObject({ fields: 5, right: 2 });

  writeFileSync(expected, 'agent: shop');
  expect(await run('inspect', RECORDED, '--expect', expected)).toMatchObject({ status: 3 });
});

test('traces without work of an agent are told with their exporters: an agent may be among them', async () => {
  const file = path.join(tempDirectory(), 'own.jsonl');
  const times = { startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000001000000000' };
  const attributes = [{ key: 'team.question', value: { stringValue: 'Where is my order?' } }];
  const span = { traceId: '7'.repeat(32), spanId: '1'.repeat(16), name: 'work', kind: 1, ...times, attributes };
  const scopeSpans = [{ scope: { name: 'team.tracer' }, spans: [span] }];
  writeFileSync(file, JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans }] }));

  const { stdout } = await assayHere(['inspect', file]);

  expect(stdout).toContain('1 trace without any work of an agent, from team.tracer: if that is your agent,');
});
