/** The commands of docs/score/golden-traces.md, on the example that it goes through. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { tempDirectory } from '../temp-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/golden-traces');
const GT_001 = path.join(EXAMPLE, 'golden/gt_001.yaml');
const RUNS = path.join(EXAMPLE, 'runs.jsonl');

async function assay(...args: readonly string[]) {
  return await assayHere(args);
}

test('the documentation shows the files of the example', () => {
  const docs = readFileSync(path.join(ROOT, 'docs/score/golden-traces.md'), 'utf8');

  expect(docs).toContain(readFileSync(GT_001, 'utf8'));
  expect(docs).toContain(readFileSync(path.join(EXAMPLE, 'tickets.yaml'), 'utf8'));
});

test('scores the example: a good run, a lucky path and a silent inefficiency', async () => {
  const { status, stdout } = await assay('score', RUNS, '--suite', path.join(EXAMPLE, 'tickets.yaml'), '--json');

  expect(status).toBe(0);
  // The cast holds for what is asserted below.
  const { evaluations } = JSON.parse(stdout) as {
    evaluations: readonly { conversation_id: string; score: number; findings?: readonly { finding: string }[] }[];
  };
  const told = evaluations.map((one) => [one.conversation_id, one.score, one.findings?.map(({ finding }) => finding)]);
  expect(told).toEqual([
    ['good', 1, undefined],
    ['lucky', 0.3, ['lucky_path']],
    ['slow', 0.9, ['silent_inefficiency']],
  ]);
});

test('a trace that no run was compared with is a warning of score, and of nothing else', async () => {
  const directory = tempDirectory();
  const suite = path.join(directory, 'suite.yaml');
  cpSync(path.join(EXAMPLE, 'golden'), path.join(directory, 'golden'), { recursive: true });
  writeFileSync(suite, readFileSync(path.join(EXAMPLE, 'tickets.yaml'), 'utf8'));
  const trace = path.join(directory, 'golden/other.yaml');
  writeFileSync(trace, readFileSync(GT_001, 'utf8').replace('gt_001', 'gt_002').replace('Show me', 'Delete'));

  const { status, stderr } = await assay('score', RUNS, '--suite', suite);

  expect(status).toBe(0);
  expect(stderr).toContain(
    'warning: golden trace gt_002 of tickets was compared with 0 of 3 conversations: put `*` into `input`',
  );
  expect((await assay('score', RUNS, '--suite', path.join(EXAMPLE, 'tickets.yaml'))).stderr).not.toContain('warning');
});

test('a draft has no mistakes, follows itself, and is not used until it is approved', async () => {
  const directory = tempDirectory();
  const draft = path.join(directory, 'draft.yaml');
  const suite = path.join(directory, 'suite.yaml');
  writeFileSync(suite, readFileSync(path.join(EXAMPLE, 'tickets.yaml'), 'utf8').replace('golden/', 'draft.yaml'));

  expect((await assay('golden', 'record', 'good', '--file', RUNS, '--out', draft)).status).toBe(0);
  expect((await assay('golden', 'lint', draft)).stdout).toContain(
    '1 golden trace without mistakes, 1 draft among them',
  );
  expect(JSON.parse((await assay('golden', 'diff', draft, 'good', '--file', RUNS, '--json')).stdout)).toMatchObject({
    follows: true,
    trajectory_score: 1,
    output_mistake: null,
  });

  const score = async () => (await assay('score', RUNS, '--suite', suite, '--json')).stdout;
  expect(await score()).toContain('there is no approved golden trace');
  writeFileSync(draft, readFileSync(draft, 'utf8').replace('status: draft\n', ''));
  expect(await score()).toContain('All is as in golden trace good');
});

test('records neither over a file that is there nor what is not there', async () => {
  const there = path.join(tempDirectory(), 'there.yaml');
  writeFileSync(there, 'mine');

  expect((await assay('golden', 'record', 'good', '--file', RUNS, '--out', there)).status).toBe(3);
  expect(readFileSync(there, 'utf8')).toBe('mine');
  const { status, stderr } = await assay('golden', 'record', 'nobody', '--file', RUNS);
  expect(status).toBe(3);
  expect(stderr).toContain('It has:\n  good');
});

test('the diff reads in a terminal', async () => {
  expect(
    (await assay('golden', 'diff', GT_001, 'lucky', '--file', RUNS)).stdout,
  ).toBe(`lucky beside golden trace gt_001 (in_order)

  +           call 1   list_customers({"page": 1})
                       extra
  +           call 2   get_ticket_detail({"ticket_id": "TKT-9014"})
                       extra
                       step 2, out of order
  ~  step 1   call 3   search_tickets({"account_id": "ACC-4821", "limit": 50})
                       wrong arguments
                       limit is 50, expected 3
  !  step 2   call 2   get_ticket_detail was called, but out of order: as call 2
                       out of order
                       optional

  trajectory score 0.50; does not follow the trace
  the answer is as expected
`);
});

test('lint tells mistakes with their lines, and ends with 2', async () => {
  const file = path.join(tempDirectory(), 'bad.yaml');
  writeFileSync(file, "id: x\ninput: ''\nsteps:\n  - { tol: a }\n");

  const { status, stderr } = await assay('golden', 'lint', file);

  expect(status).toBe(2);
  expect(stderr).toContain(`${file}:4:7\n    steps[0].tol: unknown field 'tol'\n    expected: did you mean 'tool'?`);
});

test('golden traces are tests of their suite; a draft and one that its suite refuses are named', async () => {
  const directory = tempDirectory();
  cpSync(EXAMPLE, directory, { recursive: true });
  const suite = path.join(directory, 'tickets.yaml');
  const draft = path.join(directory, 'golden', 'draft.yaml');
  const run = () => assayHere(['suite', 'test', 'tickets.yaml'], { cwd: directory });

  expect(await run()).toMatchObject({ status: 0, stdout: 'pass  tickets: golden trace gt_001\n1 test passed\n' });
  expect((await assay('golden', 'record', 'good', '--file', RUNS, '--out', draft)).status).toBe(0);
  expect((await run()).stdout).toContain(
    'not run  tickets: golden trace good in golden/draft.yaml: it is a draft: delete `status: draft` once it is approved',
  );
  writeFileSync(draft, readFileSync(draft, 'utf8').replace('status: draft\n', ''));
  expect(await run()).toMatchObject({
    status: 0,
    stdout: 'pass  tickets: golden trace good\npass  tickets: golden trace gt_001\n2 tests passed\n',
  });

  // The suite has a policy now that the traces break, and one of them a budget that its own steps exceed.
  writeFileSync(draft, readFileSync(draft, 'utf8').replace(/max_steps: \d+/, 'max_steps: 1'));
  writeFileSync(
    suite,
    `${readFileSync(suite, 'utf8').replace('weight: 0.4', 'weight: 0.3')}tool_policy: { forbidden: [get_ticket_*] }\n`.replace(
      'criteria:\n',
      'criteria:\n  - { name: safe, question: Was it safe?, weight: 0.1, uses: no_unsafe_action }\n',
    ),
  );
  const { status, stdout } = await run();
  expect(status).toBe(1);
  expect(stdout).toMatch(
    /FAIL {2}tickets: golden trace gt_001 .*\n.*: tool_policy\n.*\n.*\n +because +get_ticket_detail/,
  );
  expect(stdout).toMatch(/golden\/draft\.yaml:\d+: budget\n.*\n.*\n +because +It takes 2 tool calls; 1 are allowed/);
});

test('where there are only drafts there is no test, and it says so', async () => {
  const directory = tempDirectory();
  cpSync(EXAMPLE, directory, { recursive: true });
  const trace = path.join(directory, 'golden', 'gt_001.yaml');
  writeFileSync(trace, `status: draft\n${readFileSync(trace, 'utf8')}`);

  const { status, stderr } = await assayHere(['suite', 'test', 'tickets.yaml'], { cwd: directory });
  expect([status, stderr]).toEqual([
    3,
    expect.stringContaining('golden trace gt_001 in golden/gt_001.yaml: it is a draft'),
  ]);
});
