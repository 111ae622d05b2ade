import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testSuites } from '../../src/offline/suite-tests.ts';
import { VARIABLES } from '../../src/score/cel/scope.ts';
import { StepView, ToolCallView, TurnView, UsageView } from '../../src/score/cel/views.ts';
import { BUILT_IN_CHECKS } from '../../src/score/checks/built-in-checks.ts';
import { formatMistakes } from '../../src/model/mistake.ts';
import { PREDICATES, STEP_FIELDS } from '../../src/score/yaml/read-order.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import type { ToolCall } from '../../src/model/turn.ts';
import { tempDirectory } from '../temp-directory.ts';
import { aConversation, aToolCall, aTurn, content } from './conversations.ts';
import { loadPack, run } from './packs/packs.ts';

const PAGES = ['score/suites.md', 'reference/suite-language.md', 'reference/packs.md'];
const text = PAGES.map((page) => readFileSync(path.resolve(import.meta.dirname, '../../docs', page), 'utf8')).join(
  '\n',
);

const examples = [...text.matchAll(/```yaml\n(suite: [\s\S]*?)```/g)].map(([, example = '']) => example);

test.each(examples.map((example) => [example.split('\n', 1)[0], example] as const))(
  'an example of the documentation has no mistakes: %s',
  (_name, example) => {
    expect(formatMistakes(readSuite(example, 'docs/score/suites.md').mistakes)).toBe('');
  },
);

test('each built-in check has cases, in code or by a built-in suite with tests', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const cases = globSync(['test/{score,offline}/**/*.ts', 'suites/*.yaml'], { cwd: root })
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n');
  const inCode = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

  expect([...BUILT_IN_CHECKS.keys()].filter((name) => !cases.includes(name) && !cases.includes(inCode(name)))).toEqual(
    [],
  );
});

test('the suite that the documentation begins with passes the tests beside it', async () => {
  const [, suite = ''] = /```yaml\n(suite: refunds\n[\s\S]*?)```/.exec(text) ?? [];
  const [, tests = ''] = /```yaml\n(agent: refund-bot\ntests:[\s\S]*?)```/.exec(text) ?? [];
  const baseDir = tempDirectory();
  writeFileSync(path.join(baseDir, 'refunds.yaml'), suite);
  writeFileSync(path.join(baseDir, 'refunds.test.yaml'), tests);

  const tested = await testSuites([path.join(baseDir, 'refunds.test.yaml')], {
    baseDir,
    builtinDir: baseDir,
    conversationKeys: [],
    redaction: undefined,
  });

  expect(formatMistakes(tested.mistakes)).toBe('');
  expect(tested.tests.map(({ unmet }) => unmet)).toEqual([[], [], [], [], []]);
});

test('the example of order criteria says what it seems to', () => {
  const example = examples.find((suite) => suite.startsWith('suite: booking-order')) ?? '';
  const { suite } = readSuite(example, 'docs/score/suites.md');
  const calls = (...names: readonly string[]) =>
    names.map((name, at) =>
      aToolCall(name, {
        args: content({ amount: 200 }),
        startedAtMs: 2000 + at * 10,
        endedAtMs: 2005 + at * 10,
      }),
    );
  const verdictsOf = (toolCalls: readonly ToolCall[]) =>
    suite && [...run(suite, aConversation([aTurn({ toolCalls })])).verdicts.values()].map(({ verdict }) => verdict);

  expect(verdictsOf(calls('login', 'check_availability', 'book_meeting', 'confirm', 'pay'))).toEqual([
    'pass',
    'pass',
    'pass',
  ]);
  expect(verdictsOf(calls('book_meeting', 'confirm', 'search_a', 'pay'))).toEqual(['fail', 'fail', 'fail']);
  expect(verdictsOf(calls('login'))).toEqual(['not_applicable', 'pass', 'pass']);
});

test('every predicate and every field of a step is documented', () => {
  const names = [...PREDICATES, ...STEP_FIELDS];

  expect(names.filter((name) => !new RegExp(`\`${name}[:\`]`).test(text))).toEqual([]);
});

test('every variable, field and built-in check there is, is documented', () => {
  const names = [
    ...Object.keys(VARIABLES),
    ...[TurnView, StepView, ToolCallView, UsageView].flatMap(({ fields }) => Object.keys(fields)),
    ...BUILT_IN_CHECKS.keys(),
  ];

  expect(names.filter((name) => !text.includes(`\`${name}\``) && !text.includes(`\`.${name}\``))).toEqual([]);
});

test.each(['default', 'scheduling', 'response-clarity', 'error-recovery', 'honesty', 'judged', 'sql-agent'])(
  'the documentation has the criteria of %s with their weights',
  async (name) => {
    const { criteria } = await loadPack(name);

    const rows = criteria.map((criterion) => `| \`${criterion.name}\` | ${shown(criterion.weight)} |`);
    expect(rows.filter((row) => !text.includes(row))).toEqual([]);
  },
);

/** With as many places as it takes, and two at least. */
function shown(weight: number): string {
  const text = String(weight / 1e6);
  return text.length < 4 ? (weight / 1e6).toFixed(2) : text;
}
