import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { BUILT_IN_JUDGMENTS } from '../../../src/score/judge/built-in-judgments.ts';
import { JUDGING } from '../../../src/score/judge/judged-criterion.ts';
import { readSuite } from '../../../src/score/suite/read-suite.ts';
import { aConversation } from '../conversations.ts';
import { loadPack } from '../packs/packs.ts';
import { evaluated, judgesWho, suiteOf } from './judging-suite.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/score/judges.md'), 'utf8');

function mistakesIn(judge: string, more = ''): unknown[] {
  const text = `suite: s
scope: turn
criteria:
  - name: polite
    question: Is it polite?
    weight: 1
    judge: ${judge}
${more}`;
  return readSuite(text, 's.yaml').mistakes.map(({ line, path: at, problem, expected }) => [
    line,
    at,
    problem,
    expected,
  ]);
}

test.each<[string, string, string, string, string | RegExp]>([
  [
    'a mistyped field',
    '{ guidence: x }',
    'criteria[0].judge.guidence',
    "unknown field 'guidence'",
    "did you mean 'guidance'?",
  ],
  [
    'a mistyped sight',
    '{ sees: [tools] }',
    'criteria[0].judge.sees[0]',
    '"tools" is not allowed here',
    /did you mean 'tool'\?$/,
  ],
  [
    'a question that there is not',
    '{ uses: helpfull }',
    'criteria[0].judge.uses',
    '"helpfull" is not allowed here',
    /did you mean 'helpful'\?$/,
  ],
  ['an empty question', '{ question: " " }', 'criteria[0].judge.question', '" " is not right', 'a yes/no question'],
  ['a priority out of range', '{ priority: 101 }', 'criteria[0].judge.priority', '101 is not right', 'from 0 to 100'],
  ['half a priority', '{ priority: 1.5 }', 'criteria[0].judge.priority', '1.5 is of the wrong type', 'a whole number'],
  [
    'shared by a text',
    '{ shared: always }',
    'criteria[0].judge.shared',
    '"always" is of the wrong type',
    'true or false',
  ],
  [
    'a name that can be none',
    '{ by: "my judge" }',
    'criteria[0].judge.by',
    '"my judge" is not right',
    /^the name of a judge/,
  ],
  ['a list', '[tool]', 'criteria[0].judge', 'a list is of the wrong type', 'a mapping of fields'],
])('%s is a mistake with its line', (_what, judge, at, problem, expected) => {
  const wanted = typeof expected === 'string' ? expected : expect.stringMatching(expected);
  expect(mistakesIn(judge)).toEqual([[7, at, problem, wanted]]);
});

test('what belongs to checks is a mistake next to a judge, each field with its line', () => {
  expect(mistakesIn('{}', '    reason: It was rude.\n    evidence: turn\n    with: { a: 1 }\n')).toEqual([
    [
      8,
      'criteria[0].reason',
      '`reason` does not belong to `judge`: the judge gives the reason',
      'no `reason` next to `judge`',
    ],
    [
      9,
      'criteria[0].evidence',
      '`evidence` does not belong to `judge`: the judge quotes what shows it',
      'no `evidence` next to `judge`',
    ],
    [
      10,
      'criteria[0].with',
      '`with` does not belong to `judge`: `judge: { uses: … }` takes no parameters',
      'no `with` next to `judge`',
    ],
  ]);
});

test('a judge and a check are one too many', () => {
  expect(mistakesIn('{}', '    check: turn.ok\n')).toMatchObject([
    [4, 'criteria[0]', 'there are both `check` and `judge`', /./],
  ]);
});

test('a question for judges among the built-in checks is shown its place', () => {
  const text = 'suite: s\nscope: turn\ncriteria:\n  - { name: a, question: Q?, weight: 1, uses: helpful }\n';

  expect(readSuite(text, 's.yaml').mistakes[0]?.expected).toBe('it is for judges: `judge: { uses: helpful }`');
});

test('`judge:` alone and a bare name are enough', () => {
  const suite = suiteOf(`
- name: a
  question: A?
  weight: 1
  judge:
- { name: b, question: B?, weight: 1, judge: strict }`);

  expect(suite.criteria.map(({ judged }) => judged?.judge)).toEqual(['default', 'strict']);
});

test('the pack of judged criteria makes one call for a conversation', async () => {
  const pack = await loadPack('judged');

  const { waiting } = evaluated(pack, aConversation(), judgesWho());

  expect(waiting.map(({ criteria }) => criteria.map(({ name }) => name))).toEqual([
    ['task_done', 'grounded_in_context', 'helpful', 'addresses_the_request', 'tone'],
  ]);
});

test('the documentation has every field and every question that comes with its guidance, and its suite has no mistakes', () => {
  const names = [...Object.keys(JUDGING), ...BUILT_IN_JUDGMENTS.keys()];
  expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);

  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  expect(formatMistakes(readSuite(example, 'docs/score/judges.md').mistakes)).toBe('');
  expect(example).not.toBe('');
});

test.each([
  ['uses: task_done', 'task'],
  ['uses: helpful', 'task'],
  ['uses: within_policy', 'rules'],
  ['uses: grounded_in_context', 'rules'],
  ['uses: addresses_the_request', 'form'],
  ['uses: tone', 'form'],
  ['uses: tone, question: Was it sold?', 'task'],
  ['guidance: Sold is a yes.', 'task'],
])('a question with %s is about %s', (judge, about) => {
  const { suite } = readSuite(
    `suite: s\nscope: turn\ncriteria: [{ name: a, question: Q?, weight: 1, judge: { ${judge} } }]\n`,
    's.yaml',
  );

  expect(suite?.criteria.map((criterion) => criterion.about)).toEqual([about]);
});
