import { FAILURE_EXPECTED } from '../../../src/score/subject/failure-kind.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { testSuites } from '../../../src/offline/suite-tests.ts';
import { suiteTestsJUnit } from '../../../src/report/documents/suite-test-report.ts';
import { findSuiteTests } from '../../../src/score/suite-test/find-suite-tests.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';

const builtinDir = path.resolve(import.meta.dirname, '../../../suites');
const DEFINE_SUITE = path.resolve(import.meta.dirname, '../../../src/score/define-suite.ts');

const REFUNDS = `suite: refunds
scope: conversation
match: { agent: refund-* }
extract: { refund: last(tools('refund_order')).result }
completed: refund.status == 'done'
criteria:
  - { name: right_amount, question: Right?, weight: 0.4, check: refund.amount == truth.amount }
  - { name: looked, question: Looked?, weight: 0.2, order: { before: [look_up, refund_order] } }
  - { name: kept, question: Kept?, weight: 0.2, check: state.open == false }
  - { name: tone, question: Civil?, weight: 0.1, about: form, judge: { shared: true } }
  - { name: helpful, question: Helpful?, weight: 0.1, judge: { shared: true } }
`;

const DONE = '{ tool: refund_order, args: { order: 17 }, result: { status: done, amount: 30 } }';

/** Writes the files into a folder, runs the tests of `refunds.test.yaml` in it, and gives them. */
async function tested(files: Readonly<Record<string, string>>) {
  const baseDir = tempDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(baseDir, name), text);
  const file = path.join(baseDir, 'refunds.test.yaml');
  return testSuites([file], { baseDir, builtinDir, conversationKeys: [], redaction: undefined });
}

async function unmetBy(theTest: string): Promise<readonly string[]> {
  const text = `agent: refund-bot\ntests:\n  - name: a test\n${theTest.replace(/^(?=.)/gm, '    ')}`;
  const { tests, mistakes } = await tested({ 'refunds.yaml': REFUNDS, 'refunds.test.yaml': text });
  if (mistakes.length > 0) throw new Error(formatMistakes(mistakes));
  return tests.flatMap(({ unmet }) =>
    unmet.map(({ line, what, expected, actual, at }) => [line, what, expected, actual, at ?? '-'].join(' | ')),
  );
}

const TESTED_PACKS = [
  'default',
  'error-recovery',
  'honesty',
  'judged',
  'response-clarity',
  'scheduling',
  'scheduling-article',
  'sql-agent',
];

test.each(TESTED_PACKS)('the tests of the built-in pack %s hold', async (pack) => {
  const { files } = findSuiteTests([pack], { baseDir: builtinDir, builtinDir });

  const options = { baseDir: builtinDir, builtinDir, conversationKeys: [], redaction: undefined };
  const { tests, mistakes } = await testSuites(files, options);

  expect(formatMistakes(mistakes)).toBe('');
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.filter(({ unmet }) => unmet.length > 0)).toEqual([]);
});

test('what is as expected passes: verdicts, reasons, score and outcome', async () => {
  const unmet = await unmetBy(`
user: My money back, please.
calls: [{ tool: look_up, result: { paid: 30 } }, ${DONE}]
answer: Done.
state: { open: false }
truth: { amount: 30 }
judge: { tone: { no: It is curt. }, helpful: yes }
expect: { right_amount: pass, looked: pass, kept: pass, helpful: pass, tone: { verdict: fail, reason: curt } }
score: 0.9
outcome: successful_completion
`);

  expect(unmet).toEqual([]);
});

test('what is not leads to the line where it was expected, and to the step that shows it', async () => {
  const unmet = await unmetBy(`
user: My money back, please.
calls: [${DONE}]
answer: Done.
truth: { amount: 20 }
expect:
  right_amount: pass
  looked: { verdict: fail, reason: there is no reason like this }
  kept: fail
  tone: pass
score: 0.25
outcome: hard_failure
`);

  expect(unmet).toEqual([
    '10 | right_amount | pass | fail | turn 1, tool refund_order',
    '11 | looked | fail because of "there is no reason like this" | fail | turn 1, tool refund_order',
    '12 | kept | fail | not_applicable | -',
    '13 | tone | pass | skipped | -',
    '14 | score | 0.25 | 0.00 | -',
    '15 | outcome | hard_failure | partial_failure | -',
  ]);
});

test('calls in a list of their own ran side by side', async () => {
  const side = await unmetBy(`
calls: [[{ tool: look_up }, ${DONE}]]
answer: Done.
expect: { looked: { verdict: fail, reason: ran side by side } }
`);
  const inTurn = await unmetBy(`
calls: [{ tool: look_up }, ${DONE}]
answer: Done.
expect: { looked: pass }
`);

  expect([side, inTurn]).toEqual([[], []]);
});

test('a call that failed is no result, a later turn overrides what was there, and what is left out is not known', async () => {
  const unmet = await unmetBy(`
turns:
  - { user: Money back!, calls: [{ tool: refund_order, error: timeout }], answer: Wait., state: { open: true } }
  - { user: And?, calls: [{ tool: look_up }, ${DONE}], answer: Done., state: { open: false } }
expect: { kept: pass, right_amount: not_applicable, looked: fail }
`);

  expect(unmet).toEqual([]);
});

test('a suite that is not for the conversation says so, and may be expected to', async () => {
  const other = 'agent: scheduler\nuser: Hi\nanswer: Hello\n';

  const unexpected = await unmetBy(`${other}expect: { kept: pass }\n`);
  const expected = await unmetBy(`${other}applies: false\n`);

  expect(unexpected).toEqual(['3 | applies | it applies | it does not | -']);
  expect(expected).toEqual([]);
});

test('a recorded conversation is read as `assay score` reads it', async () => {
  const conversations = [...traffic({ seed: 5, conversations: 2, endMarks: 'all', turnsMax: 1 })];
  const spans = conversations
    .flatMap(({ turns, agentVersion }) => turns.map((turn) => exportRequest(turn, agentVersion)))
    .join('\n');
  const suite = `suite: refunds\nscope: turn\ncriteria:\n  - { name: free, question: Free?, weight: 1, check: "truth.free && size(tools('check_*')) > 0" }\n`;
  const id = conversations[1]?.id ?? '';
  const theTest = (which: string) =>
    `tests:\n  - { name: recorded, spans: run.jsonl${which}, truth: { free: true }, expect: { free: pass } }\n`;
  const run = (which: string) =>
    tested({ 'refunds.yaml': suite, 'run.jsonl': spans, 'refunds.test.yaml': theTest(which) });

  const found = await run(`, conversation: ${id}`);
  const ambiguous = await run('');
  const stranger = await run(', conversation: nobody');

  expect(found).toMatchObject({ mistakes: [], tests: [{ unmet: [] }] });
  expect(ambiguous.mistakes.map(({ problem }) => problem)).toEqual(['the recording has 2 conversations']);
  expect(stranger.mistakes.map(({ problem }) => problem)).toEqual(["the recording has no conversation 'nobody'"]);
});

test('suites in TypeScript are tested the same way, each of a module by its name', async () => {
  // Without types: vitest takes a module with a query for JavaScript.
  const module = `import { defineSuite } from ${JSON.stringify(DEFINE_SUITE)};
const suite = (name, atMost) => defineSuite({ name, scope: 'conversation', criteria: [
  { name: 'short', question: 'Short?', weight: 1, check: (c) => c.finalAnswer.length <= atMost },
] });
export const curt = suite('curt', 5);
export const chatty = suite('chatty', 50);
`;
  const theTest = (name: string, verdict: string) =>
    `  - { name: ${name}, suite: ${name}, user: Hi, answer: Hello there!, expect: { short: ${verdict} } }\n`;
  const { tests, mistakes } = await tested({
    'refunds.ts': module,
    'refunds.test.yaml': `tests:\n${theTest('curt', 'fail')}${theTest('chatty', 'pass')}`,
  });
  const unnamed = await tested({
    'refunds.ts': module,
    'refunds.test.yaml': 'tests: [{ name: a, user: Hi, score: 1 }]\n',
  });

  expect(formatMistakes(mistakes)).toBe('');
  expect(tests.map(({ suite, unmet }) => [suite, unmet.length])).toEqual([
    ['curt', 0],
    ['chatty', 0],
  ]);
  expect(unnamed.mistakes.map(({ line, problem, expected }) => [line, problem, expected])).toEqual([
    [1, 'the module has several suites', '`suite:` with one of curt, chatty'],
  ]);
});

test('every mistake has its line, and what was meant', async () => {
  const { mistakes: form } = await tested({
    'refunds.yaml': REFUNDS,
    'refunds.test.yaml': `tests:
  - { name: a, usr: Hi, expect: { kept: pass } }
  - { name: b, calls: [{ tol: x }], score: 2, outcome: great }
`,
  });
  const { mistakes: meaning } = await tested({
    'refunds.yaml': REFUNDS,
    'refunds.test.yaml': `tests:
  - { name: a, user: Hi, expect: { kept: passed } }
  - { name: a, score: 1 }
  - { name: c, user: Hi }
  - { name: d, user: Hi, turns: [{ user: Ho }], judge: { tone: maybe }, score: 1 }
  - { name: e, user: Hi, spans: x.jsonl, score: 1 }
  - { name: f, user: Hi, applies: false, score: 1 }
  - { name: g, user: Hi, because: success }
`,
  });
  const { mistakes: strangers } = await tested({
    'refunds.yaml': REFUNDS,
    'refunds.test.yaml': `tests:
  - { name: a, user: Hi, expect: { kep: pass }, judge: { ton: yes, kept: no } }
  - { name: b, spans: nowhere.jsonl, score: 1 }
`,
  });

  const shown = [form, meaning, strangers].map((all) =>
    all.map(({ line, path: at, problem, expected }) => [line, at, problem.split(':')[0], expected].join(' | ')),
  );
  expect(shown).toEqual([
    [
      "2 | tests[0].usr | unknown field 'usr' | did you mean 'user'?",
      "3 | tests[1].calls[0][0].tool | 'tool' is missing | a text",
      "3 | tests[1].calls[0][0].tol | unknown field 'tol' | did you mean 'tool'?",
      '3 | tests[1].score | 2 is not right | from 0 to 1',
      '3 | tests[1].outcome | "great" is not allowed here | one of successful_completion, graceful_failure, partial_failure, hard_failure, unscored, no_fault_found, handed_over',
    ],
    [
      "3 | tests[1].name | 'a' is the name of tests[0] too | a name of its own",
      "2 | tests[0].expect.kept | this is no verdict | one of pass, fail, not_applicable, error, skipped, or { verdict, reason }; did you mean 'pass'?",
      '3 | tests[1] | there is no conversation | `user`, `calls` and `answer`; or `turns`; or `spans`',
      '4 | tests[2] | nothing is expected | `expect: { <criterion>: pass }`, `score` or `outcome`',
      '5 | tests[3].user | `user` does not go with `turns` | it within one of the turns',
      '5 | tests[3].judge.tone | this is no answer | `yes`, `no`, or `{ no: why }`',
      '6 | tests[4].user | `user` does not go with `spans` | what the recording says',
      '7 | tests[5].applies | a suite that does not apply says nothing | `applies: false` alone',
      `8 | tests[6].because | 'success' is no kind of failure | ${FAILURE_EXPECTED}`,
    ],
    [
      "2 | expect.kep | refunds has no criterion 'kep' | did you mean 'kept'?",
      "2 | judge.ton | refunds has no criterion 'ton' | did you mean 'tone'?",
      "2 | judge.kept | 'kept' is not for a judge | one of tone, helpful",
      expect.stringMatching(/^3 \| spans \| there is no file \S+nowhere\.jsonl \| spans that `assay score` can read$/),
    ],
  ]);
});

test('mistakes of the suite itself are told, and nothing is run', async () => {
  const { tests, mistakes } = await tested({
    'refunds.yaml': REFUNDS.replace('weight: 0.4', 'weight: 0.5'),
    'refunds.test.yaml': 'tests: [{ name: a, user: Hi, score: 1 }]\n',
  });
  const without = await tested({ 'refunds.test.yaml': 'tests: [{ name: a, user: Hi, score: 1 }]\n' });

  expect(tests).toEqual([]);
  expect(mistakes.map(({ file, problem }) => [file, problem.split(':')[0]])).toEqual([
    ['refunds.yaml', 'the weights sum to 1.10'],
  ]);
  expect(without.mistakes.map(({ problem }) => problem)).toEqual(['no suite lies beside these tests']);
});

test('files of tests lie beside suites without being taken for one', async () => {
  const baseDir = tempDirectory();
  mkdirSync(path.join(baseDir, 'mine'));
  writeFileSync(path.join(baseDir, 'mine', 'refunds.yaml'), REFUNDS);
  writeFileSync(path.join(baseDir, 'mine', 'refunds.test.yaml'), 'tests: []\n');
  writeFileSync(path.join(baseDir, 'mine', 'refunds.test.ts'), 'throw new Error("not a suite");\n');
  writeFileSync(path.join(baseDir, 'mine', 'other.yaml'), REFUNDS.replace('refunds', 'other'));

  const { suites, mistakes } = await loadSuites(['mine'], { baseDir, builtinDir });
  const found = findSuiteTests(['mine', 'mine/refunds.yaml', 'mine/other.yaml', 'nix'], { baseDir, builtinDir });

  expect(formatMistakes(mistakes)).toBe('');
  expect(suites.map(({ name }) => name)).toEqual(['other', 'refunds']);
  expect({ ...found, files: found.files.map((file) => path.relative(baseDir, file)) }).toEqual({
    files: ['mine/refunds.test.yaml'],
    untested: ['mine/other.yaml'],
    missing: ['nix'],
  });
});

test('what spans or tests hold cannot break out of the XML', async () => {
  const xml = suiteTestsJUnit([
    {
      file: 'a<b.test.yaml',
      line: 3,
      suite: 's',
      name: '"quoted" & <tagged>',
      unmet: [{ what: 'x', expected: 'pass', actual: 'fail', reason: ']]></failure>\u0000', line: 7, at: undefined }],
    },
  ]);

  expect(xml).toContain('name="&quot;quoted&quot; &amp; &lt;tagged&gt;" file="a&lt;b.test.yaml" line="3"');
  expect(xml).toContain('a&lt;b.test.yaml:7: x: expected pass, was fail: ]]&gt;&lt;/failure&gt;\ufffd');
});
