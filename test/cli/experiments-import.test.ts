/** `assay experiments import`: recordings as the runs of an experiment, which every command on experiments then takes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { tempDirectory } from '../temp-directory.ts';

const RUNS = path.resolve(import.meta.dirname, '../../examples/golden-traces/runs.jsonl');

async function assay(args: readonly string[], { cwd }: { readonly cwd: string }) {
  return await assayHere(args, { cwd, env: { ASSAY_EXPERIMENTS: 'experiments' } });
}

interface Recorded {
  readonly case: string | number;
  readonly id: string;
  readonly isRight: boolean;
  readonly version?: string;
}

/** An order is to be cancelled; an agent that is wrong cancels another one. */
function line({ case: named, id, isRight, version = 'v1' }: Recorded): string {
  const call = { id: 'c', function: { name: 'cancel_order', arguments: JSON.stringify({ order: isRight ? 17 : 18 }) } };
  return `${JSON.stringify({
    conversation_id: id,
    case: named,
    agent: 'shop',
    version,
    messages: [
      { role: 'user', content: `Cancel it, says ${id}.` },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
      { role: 'assistant', content: 'Cancelled.' },
    ],
    truth: { actions: [{ name: 'cancel_order', args: { order: 17 } }] },
  })}\n`;
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = tempDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

const FOUR = [true, true, false, true].map((isRight, at) => line({ case: 7, id: `a-${at}`, isRight })).join('');
const NONE = [false, false, false, false].map((isRight, at) => line({ case: 8, id: `b-${at}`, isRight })).join('');

async function run(folder: string, ...args: readonly string[]) {
  return await assay(['experiments', 'import', ...args, '--suite', 'task-success'], { cwd: folder });
}

/** Runs of the only experiment. */
function runsIn(folder: string) {
  const [experiment = ''] = readdirSync(path.join(folder, 'experiments'));
  const lines = readFileSync(path.join(folder, 'experiments', experiment, 'runs.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map(
    (one) =>
      JSON.parse(one) as {
        readonly case: string;
        readonly repeat: number;
        readonly conversation_id: string;
        readonly evaluations: readonly { readonly outcome: string }[];
      },
  );
}

test('the conversations of a case are its repeats, and pass^k is what they come to', async () => {
  const folder = folderWith({ 'recorded.jsonl': `${FOUR}${NONE}` });

  const { status, stdout, stderr } = await run(folder, 'recorded.jsonl', '--name', 'v1', '--json');

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const shown = JSON.parse(stdout) as {
    readonly experiment: object;
    readonly state: string;
    readonly reliability: readonly {
      readonly passes: readonly { readonly k: number; readonly pass_hat: { readonly value: number } }[];
    }[];
  };
  expect(shown).toMatchObject({
    state: 'ended',
    experiment: {
      name: 'v1',
      agent: { kind: 'recording', target: 'recorded.jsonl', version: 'v1' },
      dataset: { cases: 2 },
      repeats: 4,
    },
  });
  expect(runsIn(folder).map((one) => [one.case, one.repeat, one.conversation_id])).toEqual([
    ...[0, 1, 2, 3].map((at) => ['7', at + 1, `a-${at}`]),
    ...[0, 1, 2, 3].map((at) => ['8', at + 1, `b-${at}`]),
  ]);
  // Three of four runs are right: k runs are all right in C(3, k) of C(4, k) choices. The other case has none.
  const exact = [3 / 4, 3 / 6, 1 / 4, 0].map((share) => share / 2);
  expect(shown.reliability[0]?.passes.map(({ pass_hat: { value } }) => value)).toEqual(
    exact.map((value) => expect.closeTo(value, 9)),
  );
});

test('what was said and done is kept: assay show, assay compare and assay score read it', async () => {
  const better = FOUR.replaceAll(':18', ':17')
    .replaceAll('\\"order\\":18', '\\"order\\":17')
    .replaceAll('"v1"', '"v2"');
  const folder = folderWith({ 'old.jsonl': `${FOUR}${NONE}`, 'new.jsonl': `${better}${NONE}` });
  expect((await run(folder, 'old.jsonl', '--name', 'old')).status).toBe(0);
  expect((await run(folder, 'new.jsonl', '--name', 'new')).status).toBe(0);

  const shown = await assay(['show', 'old', '7'], { cwd: folder });
  expect(shown.stdout).toContain('Cancel it, says a-2.');
  expect(shown.stdout).toContain('order is 18, expected 17');
  const compared = await assay(['compare', 'old', 'new', '--json'], { cwd: folder });
  expect(compared.status).toBe(0);
  expect(JSON.parse(compared.stdout)).toMatchObject({
    suites: [{ suite: 'task-success', cases: { shared: 2, changed: 0 } }],
  });
  const [experiment = ''] = readdirSync(path.join(folder, 'experiments'));
  const spans = path.join('experiments', experiment, 'spans.otlp');
  const scored = await assay(['score', spans, '--suite', 'task-success', '--json'], { cwd: folder });
  expect(JSON.parse(scored.stdout)).toMatchObject({ summary: { suites: { 'task-success': { evaluations: 8 } } } });
});

test('spans are taken as well, by whatever attribute names the case, and redacted', async () => {
  const span = (trace: string, id: string, secret: string) => ({
    traceId: trace.repeat(32),
    spanId: trace.repeat(16),
    name: 'invoke_agent shop',
    startTimeUnixNano: '1000000000',
    endTimeUnixNano: '2000000000',
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
      { key: 'gen_ai.conversation.id', value: { stringValue: id } },
      { key: 'scenario', value: { stringValue: 'refund' } },
      {
        key: 'gen_ai.input.messages',
        value: { stringValue: JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: secret }] }]) },
      },
    ],
  });
  const request = {
    resourceSpans: [
      { scopeSpans: [{ spans: [span('a', 'one', 'mail me at ana@example.com'), span('b', 'two', 'hi')] }] },
    ],
  };
  const folder = folderWith({
    'spans.json': JSON.stringify(request),
    'assay.yaml': 'redaction: { patterns: [email] }\n',
  });

  const { status, stderr } = await assay(
    ['experiments', 'import', 'spans.json', '--case', 'scenario', '--suite', 'default'],
    { cwd: folder },
  );

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [experiment = ''] = readdirSync(path.join(folder, 'experiments'));
  const kept = readFileSync(path.join(folder, 'experiments', experiment, 'spans.otlp'), 'latin1');
  expect(kept).toContain('mail me at');
  expect(kept).not.toContain('ana@example.com');
  expect(runsIn(folder)).toMatchObject([
    { case: 'refund', repeat: 1, conversation_id: 'one' },
    { case: 'refund', repeat: 2, conversation_id: 'two' },
  ]);
});

test('with a dataset its truth counts, and conversations of other cases are left out', async () => {
  const folder = folderWith({
    'recorded.jsonl': `${FOUR}${NONE}`,
    'orders.yaml':
      'dataset: orders\ncases:\n  - { id: 7, input: Cancel it, truth: { actions: [{ name: cancel_order, args: { order: 18 } }] } }\n',
  });

  const { status, stderr } = await run(folder, 'recorded.jsonl', '--dataset', 'orders.yaml');

  expect(status).toBe(0);
  expect(stderr).toContain('4 of 8 conversations are of no case of orders: b-0, b-1, b-2, b-3; they are left out');
  expect(runsIn(folder).map(({ evaluations }) => evaluations[0]?.outcome)).toEqual([
    'hard_failure',
    'hard_failure',
    'successful_completion',
    'hard_failure',
  ]);
});

test.each<[string, readonly string[], RegExp]>([
  [
    'no attribute of that name',
    [RUNS, '--case', 'nothing'],
    /3 of 3 conversations have no attribute nothing: .*\n {2}--case takes one of .*service\.name/,
  ],
  ['no recording', ['none.jsonl'], /there is no file none\.jsonl/],
  ['no dataset', [RUNS, '--dataset', 'none.yaml'], /none\.yaml/],
])('%s: refused, and no experiment is left', async (_what, args, message) => {
  const folder = tempDirectory();

  const { status, stderr } = await run(folder, ...args);

  expect(status).not.toBe(0);
  expect(stderr).toMatch(message);
  expect(readdirSync(folder)).not.toContain('experiments');
});
