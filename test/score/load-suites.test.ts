import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { formatMistakes } from '../../src/model/mistake.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { aConversation, aTurn, aToolCall } from './conversations.ts';

const builtinDir = path.resolve(import.meta.dirname, '../../suites');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'assay-suites-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function load(files: Readonly<Record<string, string>>, references = Object.keys(files)) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return await loadSuites(references, { baseDir: folder, builtinDir });
}

const DEFINE_SUITE = path.resolve(import.meta.dirname, '../../src/score/define-suite.ts');

test('the built-in packs have no mistakes, and are found by name', async () => {
  const { suites, mistakes } = await load({}, [
    'default',
    'scheduling',
    'response-clarity',
    'error-recovery',
    'honesty',
    'sql-agent',
  ]);

  expect(formatMistakes(mistakes)).toBe('');
  expect(suites.map(({ id, scope, totalWeight }) => [id, scope, totalWeight])).toEqual([
    ['default@4', 'turn', 6_900_000],
    ['scheduling@4', 'conversation', 1_000_000],
    ['response-clarity@4', 'turn', 1_000_000],
    ['error-recovery@3', 'conversation', 950_000],
    ['honesty@1', 'turn', 1_000_000],
    ['sql-agent@3', 'conversation', 1_000_000],
  ]);
});

test('a weight of 3 is told how weights of any size are written', async () => {
  const criteria = [3, 1].map(
    (weight) => `  - { name: c${weight}, question: Is it?, weight: ${weight}, uses: answered }`,
  );
  const text = `suite: sizes\nversion: "1"\nscope: turn\ncriteria:\n${criteria.join('\n')}\n`;

  const { mistakes } = await load({ 'sizes.yaml': text });

  expect(mistakes).toEqual([
    expect.objectContaining({
      problem: '3 is not a valid weight',
      expected:
        'from 0 (counted, not in the score) to 1, up to six decimal places; with `normalize: true` they need no sum: 0.3 and 0.1 for 3 and 1',
    }),
  ]);
});

test('every mistake of a suite is in one message, with its line and what was expected', async () => {
  const { suites, mistakes } = await load({
    'bad.yaml': `suite: bad
scope: conversation
min_decidd: 0.5
criteria:
  - name: first
    question: Is it?
    weight: 0.5
    check: state.x == 1 &&
      tools('a') > 5
  - name: first
    question: Is it?
    weight: 0.4
    uses: no_identical_lop
  - name: second
    question: Is it?
    weight: 0.05
    uses: no_identical_loop
    with: { in_a_rwo: 3, in_a_turn: 1 }
  - name: third
    question: Is it?
    weight: 0.01
    check: |
      state.a == 1 &&
      sate.b == 2
    needs: [final_anser]
  - name: fourth
    question: Is it?
    weight: 0.01
    check: final_answer.matches('(a')
outcomes:
  - outcome: success
    when: criteria.frst == 'pass'
  - outcome: hard_failure
    when: scor > 0.5
`,
  });

  expect(suites).toEqual([]);
  const lines = mistakes.map(({ file, line, path: where, problem, expected }) =>
    [file, line, where, problem.split('\n')[0], expected].join(' | '),
  );
  expect(lines).toEqual([
    "bad.yaml | 3 | min_decidd | unknown field 'min_decidd' | did you mean 'min_decided'?",
    'bad.yaml | 5 | criteria | the weights sum to 0.97: 0.5 + 0.4 + 0.05 + 0.01 + 0.01 | a sum of 1: add 0.03 to them, or say `normalize: true`',
    'bad.yaml | 9 | criteria[0].check | no such overload: list<ToolCall> > int | operands of comparable types',
    "bad.yaml | 10 | criteria[1].name | 'first' is the name of criteria[0] too | a name of its own",
    "bad.yaml | 13 | criteria[1].uses | there is no built-in check 'no_identical_lop' | did you mean 'no_identical_loop'?",
    'bad.yaml | 18 | criteria[2].with.in_a_turn | 1 is not right | at least 2',
    "bad.yaml | 18 | criteria[2].with.in_a_rwo | unknown field 'in_a_rwo' | did you mean 'in_a_row'?",
    "bad.yaml | 24 | criteria[3].check | Unknown variable: sate | did you mean 'state'?",
    `bad.yaml | 25 | criteria[3].needs[0] | "final_anser" is not allowed here | one of truth, feedback, state, final_answer, user_input, tools, tool_errors, tool_args, tool_results, messages, usage, instructions; did you mean 'final_answer'?`,
    'bad.yaml | 29 | criteria[4].check | error parsing regexp: missing closing ): `(a` | a pattern in RE2 syntax',
    `bad.yaml | 31 | outcomes[0].outcome | "success" is not allowed here | one of successful_completion, no_fault_found, handed_over, graceful_failure, partial_failure, hard_failure`,
    "bad.yaml | 32 | outcomes[0].when | there is no criterion 'frst' | did you mean 'first'?",
    "bad.yaml | 34 | outcomes[1].when | Unknown variable: scor | did you mean 'score'?",
  ]);
});

test('the message shows the place in the expression', async () => {
  const { mistakes } = await load({
    'caret.yaml':
      'suite: s\nscope: turn\ncriteria:\n  - { name: a, question: Q?, weight: 1, check: "turn.ok && nope" }\n',
  });

  expect(formatMistakes(mistakes)).toBe(`1 mistake:
  caret.yaml:4:60
    criteria[0].check: Unknown variable: nope
    
    >    1 | turn.ok && nope
                        ^
    expected: one of state, truth, feedback, agent, environment, attributes, turns, turn, steps, tool_calls, user_input, final_answer, ending, claims_change, usage`);
});

test('two suites of one name are a mistake that names both places', async () => {
  const suite = (name: string) =>
    `# a comment\nsuite: ${name}\nscope: turn\ncriteria: [{ name: a, question: Q?, weight: 1, check: turn.ok }]\n`;

  const { mistakes } = await load({
    'one.yaml': suite('same'),
    'two.yaml': suite('same'),
    'other.yaml': suite('other'),
  });

  expect(mistakes).toEqual([
    {
      file: 'two.yaml',
      line: 2,
      column: undefined,
      path: 'suite',
      problem: "two suites have the name 'same': one.yaml:2 and two.yaml:2",
      expected: 'a name of its own for each suite',
    },
  ]);
});

test.each([
  ['no YAML', 'suite: [', 'valid YAML'],
  ['an empty file', '', 'a mapping of fields'],
  ['a list', '- a', 'a mapping of fields'],
  ['a text', 'hello', 'a mapping of fields'],
  [
    'aliases without end',
    `a: &a [x]\n${'bcdefghij'
      .split('')
      .map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghij'[at]}`)}]`)
      .join('\n')}`,
    'at most 100 aliases',
  ],
])('%s is a mistake, not a crash', async (_what, text, expected) => {
  const { suites, mistakes } = await load({ 'broken.yaml': text });

  expect(suites).toEqual([]);
  expect(mistakes[0]).toMatchObject({ file: 'broken.yaml', expected });
});

test('both `check` and `uses`, or neither, is a mistake', async () => {
  const { mistakes } = await load({
    'both.yaml': `suite: s
scope: turn
criteria:
  - { name: a, question: Q?, weight: 0.5, check: turn.ok, uses: answered }
  - { name: b, question: Q?, weight: 0.5 }
`,
  });

  expect(mistakes.map(({ line, problem }) => [line, problem])).toEqual([
    [4, 'there are both `check` and `uses`'],
    [5, 'nothing says how it is answered'],
  ]);
});

test('a rule that always holds hides those after it', async () => {
  const { mistakes } = await load({
    'rules.yaml': `suite: s
scope: turn
criteria: [{ name: a, question: Q?, weight: 1, check: turn.ok }]
outcomes:
  - outcome: graceful_failure
  - { outcome: hard_failure, when: failed }
`,
  });

  expect(mistakes.map(({ line, problem }) => [line, problem])).toEqual([
    [5, 'this rule always holds, so that the 1 after it never do'],
  ]);
});

describe('extracts', () => {
  test('may use those above them, not those below, and not take the name of a variable', async () => {
    const { mistakes } = await load({
      'extracts.yaml': `suite: s
scope: turn
extract:
  one: two
  two: size(steps)
  three: two + 1
  state: '1'
criteria: [{ name: a, question: Q?, weight: 1, check: three == 3 }]
`,
    });

    expect(mistakes.map(({ line, path: where, problem }) => [line, where, problem.split('\n')[0]])).toEqual([
      [4, 'extract.one', 'Unknown variable: two'],
      [7, 'extract.state', "'state' is the name of something else"],
    ]);
  });
});

describe('references', () => {
  test('a name that is no pack and a path that is no file say what was meant', async () => {
    const { mistakes } = await load({}, ['schedulin', 'no/such.yaml', 'default']);

    expect(mistakes.map(({ file, problem, expected }) => [file, problem, expected])).toEqual([
      [
        'schedulin',
        `there is no built-in pack 'schedulin', and no such file in ${folder}`,
        "did you mean 'scheduling'?",
      ],
      ['no/such.yaml', `there is no file ${path.join(folder, 'no/such.yaml')}`, 'a file or folder of suites'],
    ]);
  });

  test('a folder stands for the suites in it, and a file named twice is loaded once', async () => {
    const suite = (name: string) =>
      `suite: ${name}\nscope: turn\ncriteria: [{ name: a, question: Q?, weight: 1, check: turn.ok }]\n`;

    const { suites, mistakes } = await load(
      { 'mine/b.yml': suite('b'), 'mine/a.yaml': suite('a'), 'mine/notes.txt': '' },
      ['mine', 'mine/a.yaml'],
    );

    expect(mistakes).toEqual([]);
    expect(suites.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe('TypeScript', () => {
  test('a suite in a module runs through the same engine, its extracts typed', async () => {
    const { suites, mistakes } = await load({
      'refunds.ts': `import { defineSuite, notApplicable } from ${JSON.stringify(DEFINE_SUITE)};
export default defineSuite({
  name: 'refunds',
  scope: 'conversation',
  match: { agent: 'sched*' },
  extract: { refunds: (c) => c.tools('refund') },
  criteria: [
    { name: 'once', question: 'Did it refund once?', weight: 0.5, check: (c) => c.extracts.refunds.length === 1 },
    { name: 'right', question: 'The right sum?', weight: 0.5, check: (c) => c.truth === undefined ? notApplicable('No truth.') : false },
  ],
});
`,
    });
    expect(formatMistakes(mistakes)).toBe('');
    const [suite] = suites;
    if (suite === undefined) throw new Error('there is no suite');
    const conversation = aConversation([aTurn({ toolCalls: [aToolCall('refund')] })]);

    const evaluation = evaluate(suite, { conversation, turnId: undefined, revision: 1 });

    expect(suite.matches(conversation)).toBe(true);
    expect([...evaluation.verdicts].map(([name, { verdict }]) => [name, verdict])).toEqual([
      ['once', 'pass'],
      ['right', 'not_applicable'],
    ]);
    expect(evaluation.score).toBe(1_000_000);
  });

  test.each([
    ['exports no suite', 'export const x = 1;', 'the module exports no suite'],
    ['does not compile', 'export default {{', 'the module could not be loaded: '],
    ['throws', "throw new Error('not today');", 'the module could not be loaded: Error: not today'],
  ])('a module that %s is a mistake', async (what, text, problem) => {
    const { suites, mistakes } = await load({ [`${what.replaceAll(' ', '-')}.js`]: text });

    expect(suites).toEqual([]);
    expect(mistakes.map((mistake) => mistake.problem.slice(0, problem.length))).toEqual([problem]);
  });

  test('what a module exports is checked for its form like YAML is', async () => {
    const { mistakes } = await load({
      'wrong.js': `import { defineSuite } from ${JSON.stringify(DEFINE_SUITE)};
export default defineSuite({ name: 'x', scope: 'turns', criteria: [{ name: 'a', question: 'Q?', weight: '1', chek: 5 }] });
`,
    });

    expect(mistakes.map(({ path: where, problem }) => [where, problem])).toEqual([
      ['scope', '"turns" is not allowed here'],
      ['criteria[0].weight', '"1" is of the wrong type'],
      ['criteria[0].chek', "unknown field 'chek'"],
      ['criteria[0]', 'nothing says how it is answered'],
    ]);
  });
});

test.each<[string, string, boolean]>([
  ['no match', '', true],
  ['a glob of the agent', 'match: { agent: "sched*" }', true],
  ['another agent', 'match: { agent: other }', false],
  ['one of a list of versions', 'match: { version: ["2.*", "1.?.0"] }', true],
  ['the environment', 'match: { environment: staging }', false],
  ['attributes', 'match: { attributes: { team: "blue*", tier: 1 } }', true],
  ['an attribute that is not there', 'match: { attributes: { nothing: "*" } }', false],
  ['an expression', 'match: { expression: "turn.ok && agent.name == \'scheduler\'" }', true],
  ['an expression that reads what is not there', 'match: { expression: state.x == 1 }', false],
  ['all of them', 'match: { agent: scheduler, expression: "!turn.ok" }', false],
])('match: %s', async (_what, match, matches) => {
  const { suites } = await load({
    'match.yaml': `suite: s\nscope: turn\n${match}\ncriteria: [{ name: a, question: Q?, weight: 1, check: turn.ok }]\n`,
  });
  const attributes = new Map<string, string | number>([
    ['team', 'blue-2'],
    ['tier', 1],
  ]);
  const conversation = aConversation([aTurn()], { attributes });

  expect(suites[0]?.matches(conversation)).toBe(matches);
  expect(suites[0]?.whyNot(conversation) === undefined).toBe(matches);
});
