/** A stored conversation beside its golden trace, and as a test of its suite: the same as the command line gives. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type GoldenComparisons, goldenComparisons } from '../../../src/api/golden-comparison.ts';
import { assayHere } from '../../assay-here.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../running-service.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/golden-traces');
/** Turn by turn; the few lines of a test do not hold how long a turn took. */
const PLAIN = `suite: plain
version: "1"
scope: turn
criteria:
  - { name: few, question: Few calls?, weight: 0.2, check: size(tool_calls) < 4 }
  - { name: long, question: Did it take long?, weight: 0.6, check: turn.duration_ms > 2000 }
  - { name: quick, question: Was it quick?, weight: 0.2, check: turn.duration_ms <= 2000 }
`;
const OTHER = `suite: other
scope: conversation
golden: { files: other/ }
criteria:
  - { name: path, question: Did it go the right way?, weight: 1, uses: follows_golden_path }
`;
const UNLIKE = `id: gt_other
input: Cancel the printer
steps: [{ tool: cancel }]
`;

let dataDir: string;
let running: RunningService;
async function exampleService(): Promise<void> {
  dataDir = tempDirectory();
  cpSync(EXAMPLE, dataDir, { recursive: true });
  mkdirSync(path.join(dataDir, 'other'));
  writeFileSync(path.join(dataDir, 'other', 'unlike.yaml'), UNLIKE);
  writeFileSync(path.join(dataDir, 'other.yaml'), OTHER);
  writeFileSync(path.join(dataDir, 'plain.yaml'), PLAIN);
  running = await runService({ suites: ['./tickets.yaml', './plain.yaml', './other.yaml'], dataDir });
  for (const body of readFileSync(path.join(EXAMPLE, 'runs.jsonl'), 'utf8').trim().split('\n')) {
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(9);
}

async function compared(id: string): Promise<GoldenComparisons> {
  const response = await fetch(`${running.http}/api/v1/golden-comparison/${id}`);
  expect(response.status).toBe(200);
  return goldenComparisons.parse(await response.json());
}

async function written(place: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${running.http}/api/v1/test/${place}`);
  return { status: response.status, text: await response.text() };
}

test('a stored conversation is compared with its golden trace, and written as a test, as the command line does it', {
  timeout: 60_000,
}, async () => {
  await exampleService();
  for (const id of ['good', 'lucky', 'slow']) {
    const { comparisons } = await compared(id);
    const args = ['golden', 'diff', 'golden/gt_001.yaml', id, '--file', 'runs.jsonl', '--json'];
    const told: unknown = JSON.parse((await assayHere(args, { cwd: EXAMPLE })).stdout);
    const [one, other, ...more] = comparisons;
    expect(more).toEqual([]);
    expect(one).toMatchObject({ suite: 'tickets', scope: 'conversation', golden: { id: 'gt_001', mode: 'in_order' } });
    const { result } = one ?? {};
    expect({
      golden: one?.golden?.id,
      conversation_id: id,
      follows: result?.follows,
      trajectory_score: result?.trajectory_score,
      steps: result?.steps.map(({ expected: _, wrong: isWrong, span_id: spanId, ...rest }) => ({
        ...rest,
        isWrong,
        ...(spanId === undefined ? {} : { spanId }),
      })),
      output_mistake: result?.output_mistake,
      over_budget: result?.over_budget,
      is_optimal: result?.is_optimal,
    }).toEqual(told);
    expect(result?.steps.filter(({ step }) => step === 1).map(({ expected }) => expected)).toEqual([
      'search_tickets({"account_id": "ACC-4821", "limit": 3})',
    ]);
    expect([other?.suite, other?.golden, other?.result, other?.because]).toEqual([
      'other',
      undefined,
      undefined,
      expect.stringMatching(/^No golden trace is for this conversation: the most similar input, of gt_other, is 0/),
    ]);
  }
  expect((await fetch(`${running.http}/api/v1/golden-comparison/nobody`)).status).toBe(404);
  expect((await fetch(`${running.http}/api/v1/golden-comparison/good?x=1`)).status).toBe(400);
  const detail: unknown = await (await fetch(`${running.http}/api/v1/conversations/good`)).json();
  expect(detail).toMatchObject({ golden_suites: ['tickets', 'other'] });

  // As a test: `assay suite test` finds the verdicts again that the service gave.
  const tests = tempDirectory();
  cpSync(dataDir, tests, { recursive: true });
  for (const [id, verdicts] of [
    ['good', { path: 'pass', score: 'pass', budget: 'pass', answer: 'pass' }],
    ['lucky', { path: 'fail', score: 'fail', budget: 'pass', answer: 'pass' }],
    ['slow', { path: 'pass', score: 'pass', budget: 'fail', answer: 'pass' }],
  ] as const) {
    const { status, text } = await written(`${id}?suite=tickets`);
    expect([status, text.includes('Not expected')]).toEqual([200, false]);
    expect(parse(text)).toMatchObject({ tests: [{ agent: 'support', expect: verdicts }] });
    writeFileSync(path.join(tests, 'tickets.test.yaml'), text);
    const ended = await assayHere(['suite', 'test', 'tickets.yaml'], { cwd: tests });
    expect([ended.status, ended.stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^pass  tickets: ${id}: .*\\npass  tickets: golden trace gt_001\\n2 tests passed`),
      ),
    ]);
    // It can fail: the same conversation with another call.
    writeFileSync(path.join(tests, 'tickets.test.yaml'), text.replaceAll('search_tickets', 'find_tickets'));
    if (id === 'good') expect((await assayHere(['suite', 'test', 'tickets.yaml'], { cwd: tests })).status).toBe(1);
  }

  // A verdict that the lines do not reproduce is not expected, and a remark says so.
  const turn = await written('good?suite=plain');
  expect(turn.text).toContain(
    '# Not expected, as these lines do not hold all that was recorded: long was pass, and is fail here.',
  );
  // A failure that is lost comes first: it is why somebody copies a test.
  expect(turn.text).toMatch(/^# The failure of quick is not in this test: /);
  expect(turn.text).not.toContain('# The failure of long');
  expect(parse(turn.text)).toMatchObject({ tests: [{ expect: { few: 'pass' } }] });
  expect(turn.text).not.toMatch(/^ *(?:score|long|quick|outcome):/m);
  writeFileSync(path.join(tests, 'plain.test.yaml'), turn.text);
  expect((await assayHere(['suite', 'test', 'plain.yaml'], { cwd: tests })).status).toBe(0);

  // Without a suite, that of the worst outcome.
  expect((await written('lucky')).text).toContain('with the verdicts of suite tickets');
  expect(await written('good?suite=nothing')).toMatchObject({
    status: 409,
    text: expect.stringContaining('nothing has not scored it'),
  });
  expect((await written('nobody')).status).toBe(404);

  // A suite whose file has changed is not what gave the verdicts.
  writeFileSync(
    path.join(dataDir, 'tickets.yaml'),
    readFileSync(path.join(dataDir, 'tickets.yaml'), 'utf8').replace('0.4', '0.5').replace('0.3', '0.2'),
  );
  await running.service.reload();
  writeFileSync(path.join(dataDir, 'tickets.yaml'), PLAIN);
  const outdated = await fetch(`${running.http}/api/v1/golden-comparison/good`);
  expect([outdated.status, await outdated.text()]).toEqual([
    409,
    expect.stringContaining('suite \\"tickets\\" has changed'),
  ]);
});
