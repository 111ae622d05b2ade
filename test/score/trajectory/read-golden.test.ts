import { expect, test } from 'vitest';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { readGolden } from '../../../src/score/trajectory/read-golden.ts';
import { GT_001 } from './ticket-agent.ts';

test('gt_001 is read as the articles have it', () => {
  const [trace] = readGolden(GT_001, 'gt_001.yaml').traces;

  expect(trace).toMatchObject({
    id: 'gt_001',
    mode: 'in_order',
    maxSteps: 5,
    output: { contains: ['ACC-4821', 'ticket'] },
    tags: ['account-lookup', 'read-only'],
    draft: false,
  });
  expect(trace?.steps.map(({ tool, required, observation }) => [tool, required, observation])).toEqual([
    ['search_tickets', true, 'list'],
    ['get_ticket_detail', false, 'text'],
  ]);
});

test('steps come after all above, those of a group side by side, and others after what they name', () => {
  const { traces, mistakes } = readGolden(
    `id: x
input: ''
steps:
  - { tool: a, id: first }
  - unordered:
      - { tool: b }
      - { tool: c, id: third }
  - { tool: d }
  - { tool: e, after: third }
  - { tool: f, after: [] }
  - { tool: g }`,
    'x.yaml',
  );

  expect(formatMistakes(mistakes)).toBe('');
  expect(traces[0]?.steps.map(({ after }) => [...after].sort())).toEqual([
    [],
    [0],
    [0],
    [0, 1, 2],
    [0, 2],
    [],
    [0, 1, 2, 3, 4, 5],
  ]);
});

test('a file may hold a list, and a mistake in one trace names it', () => {
  const { traces, mistakes } = readGolden(
    "- { id: a, input: '', steps: [] }\n- { id: b, input: '', steps: [{ tol: x }] }",
    'x.yaml',
  );

  expect(traces.map(({ id }) => id)).toEqual(['a']);
  expect(mistakes).toMatchObject([{ line: 2, problem: "unknown field 'tol'", expected: "did you mean 'tool'?" }]);
});

test('arguments that several steps expect alike are wrong in each of them', () => {
  const step = "{ tool: a, args: { n: { $cel: 'value >' } } }";

  const { mistakes } = readGolden(`id: x\ninput: ''\nsteps:\n  - ${step}\n  - ${step}\n`, 'x.yaml');

  expect(mistakes.map(({ line }) => line)).toEqual([4, 5]);
});

test('every mistake is found, each with its line', () => {
  const { mistakes } = readGolden(
    `id: x
input: ''
steps:
  - { args: { a: 1 } }
  - tool: b
    args: { n: { $nar: 3 }, m: { $near: 3 }, k: { $cel: 'value >' } }
    critical: [o]
  - { tool: c, weight: 0.3, after: nowhere, id: here }
  - { unordered: [], tool: d }
  - { tool: e, id: here }
output: { matches: ['('] }
`,
    'x.yaml',
  );

  expect(mistakes.map(({ line, problem }) => [line, problem.split('\n')[0]])).toEqual([
    [4, 'the step names no tool'],
    [6, "'$nar' is no way to compare an argument"],
    [6, 'a tolerance is not complete'],
    [6, expect.stringContaining('Unexpected token')],
    [7, "'o' is no argument of this step"],
    [8, "no step above has the id 'nowhere'"],
    [8, '0.3 is not a valid weight'],
    [9, '`unordered` stands beside other fields'],
    [9, 'there are no steps in it'],
    [10, "'here' is the id of another step too"],
    [11, expect.stringContaining('missing closing )')],
  ]);
});

test.each([
  ['no YAML', 'id: ['],
  ['a text', 'hello'],
  ['nothing', ''],
])('%s is a mistake', (_, text) => {
  const { traces, mistakes } = readGolden(text, 'x.yaml');

  expect(traces).toEqual([]);
  expect(mistakes.length).toBeGreaterThan(0);
});
