import { describe, expect, test } from 'vitest';
import { defineSuite } from '../../src/score/define-suite.ts';
import { compileSuite } from '../../src/score/suite/compile-suite.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';

const suiteWith = (criterion: string, extract = "code: final_answer.contains('A-')") => `suite: s
version: 1
scope: conversation
extract: { ${extract} }
criteria:
  - { name: a, question: Is it?, weight: 1, ${criterion} }
`;

function aboutOf(criterion: string, extract?: string) {
  const { suite, mistakes } = readSuite(suiteWith(criterion, extract), 'a.yaml');
  return suite?.about ?? mistakes.map(({ path, problem }) => `${path}: ${problem}`);
}

describe('an expression that reads the answer, errors, counts, times and tokens alone is about form', () => {
  test.each([
    ["final_answer.contains('BOOKED-')"],
    ['size(trim(final_answer)) > 20 && words(final_answer) < 200'],
    ["!contains_any(final_answer, ['sorry', 'cannot'])"],
    ["['a', 'b'].exists(word, lower(final_answer).contains(word))"],
    ["turn.final_answer != ''"],
    ["told('BOOKED')"],
    ["ending == 'answered' && usage.total_tokens < 5000"],
    ['1 < 2'],
    ['code'],
    ['size(last(turns).final_answer) > 0'],
    ["turns.all(t, t.final_answer != '')"],
    ["turns.exists(t, t.final_answer.contains('BOOKED-'))"],
    ['size(tool_calls) < 50 && size(turns) >= 0'],
    ['!steps.exists(s, s.error != null)'],
    ['tool_calls.all(c, c.ok && !c.failed)'],
    ["size(steps_of('retrieval')) > 0"],
    ["turn.ok && agent.name == 'a'"],
  ])('%s', (check) => {
    expect(aboutOf(`check: ${JSON.stringify(check)}`)).toBe('form');
  });
});

describe('one that looks at anything else is about the task', () => {
  test.each([
    ['final_answer.contains(truth.code)'],
    ["final_answer.contains(user_input) || final_answer == ''"],
    ["tools('book').exists(c, c.ok) && final_answer != ''"],
    ["steps_of('retrieval').exists(s, s.output.contains('policy'))"],
    ['tool_calls.all(c, !writes(c.name))'],
    ["tool_calls.exists(c, c.name == 'book')"],
    ["tool_calls.exists(c, c.?result.orValue('') != '')"],
    ['turns.exists(t, final_answer.contains(t.user_input))'],
    ['told(truth.code)'],
    ["attributes['feedback'] == 'good'"],
  ])('%s', (check) => {
    expect(aboutOf(`check: ${JSON.stringify(check)}`)).toBe('task');
  });

  test('by an extract, or by the condition on which it is asked', () => {
    expect(aboutOf('check: code', "code: final_answer.contains(first(tools('book')).result.code)")).toBe('task');
    expect(aboutOf(`check: "final_answer.contains('refund')", when: "tools('refund').exists(c, c.ok)"`)).toBe('task');
    expect(aboutOf(`check: "final_answer.contains('refund')", when: "final_answer != ''"`)).toBe('form');
  });
});

test('a criterion may say what it is about, and never more than a built-in check or a judge can know', () => {
  expect(aboutOf(`check: "final_answer.contains('BOOKED-')", about: task`)).toBe('task');
  expect(aboutOf(`check: "tools('book').exists(c, c.ok)", about: rules`)).toBe('rules');
  expect(aboutOf('judge: { question: Is it?, by: main }, about: form')).toBe('form');
  expect(aboutOf('uses: answered, about: task')).toEqual([
    "criteria[0].about: 'task' is more than it can know: it is about form",
  ]);
  const inCode = defineSuite({
    name: 's',
    scope: 'conversation',
    criteria: [{ name: 'a', question: 'A?', weight: 1, about: 'form', check: (c) => c.finalAnswer !== '' }],
  });
  const compiled = compileSuite(inCode, { file: 'a.ts', placeOf: nowhere });
  expect(compiled.suite?.about).toBe('form');
});

function nowhere() {
  return { line: undefined, column: undefined };
}
