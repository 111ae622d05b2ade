/** The condition on single turns that follows from a suite's match: implied by the match, and never stronger. */
import { expect, test } from 'vitest';
import { buildConversation } from '../../src/assemble/build-conversation.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import type { Json } from '../../src/model/json.ts';
import type { Turn } from '../../src/model/turn.ts';
import { checkEnvironment } from '../../src/score/cel/environment.ts';
import { compileExpression } from '../../src/score/cel/compile-expression.ts';
import { Scope } from '../../src/score/cel/scope.ts';
import { subjectOf } from '../../src/score/subject/subject.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import { randomFrom } from '../random.ts';
import { aFailedCall, anError, aStep, aToolCall, aTurn, REDACTED } from './conversations.ts';

test.each<[expression: string, condition: string | undefined]>([
  ['steps.exists(s, s.error != null)', 'steps.exists(s, s.error != null)'],
  ["tool_calls.exists(c, c.name == 'a') || has(state.b)", "(tool_calls.exists(c, c.name == 'a')) || (has(state.b))"],
  ['has(truth.a) && has(truth.b)', 'has(truth.a)'],
  ['turn.ok && has(truth.b)', 'has(truth.b)'],
  [
    "steps.exists(s, s.name.matches('a') && s.output.contains('b'))",
    "steps.exists(s, s.name.matches('a') && s.output.contains('b'))",
  ],
  ['size(steps) > 3', undefined],
  ['!steps.exists(s, s.error != null)', undefined],
  ['steps.all(s, s.ok)', undefined],
  ['steps.exists(s, s.name == agent.name)', undefined],
  ["steps.exists(s, size(tools('a')) > 1)", undefined],
  ['steps.exists(s, steps.exists(t, t.name == s.name))', undefined],
  ["tools('a').exists(c, c.ok)", undefined],
  ['has(state.a.b)', undefined],
  ['has(state.a) || turn.ok', undefined],
  ['state.a == 1', undefined],
])('of %s it is %s', (expression, condition) => {
  const compiled = compileExpression(checkEnvironment(), expression, { gives: 'bool' });
  if (!('program' in compiled)) throw new Error(compiled.mistake.problem);
  expect(compiled.program.turnCondition).toBe(condition);
});

const MATCHES = [
  'steps.exists(s, s.error != null) || tool_calls.exists(c, c.error != null)',
  "tool_calls.exists(c, c.name == 'book' && c.result.contains('x'))",
  "tool_calls.exists(c, c.name == 'book') || has(state.a) || (has(truth.a) && has(truth.b))",
  'has(state.a) && steps.exists(s, s.error != null)',
];

const TESTS = [
  'steps.exists(s, s.error != null)',
  'tool_calls.exists(c, c.error != null || c.ok) || steps.exists(s, s.ok)',
  'tool_calls.exists(c, c.ok)',
  'steps.exists(s, s.error != null) || tool_calls.exists(c, c.failed)',
  "tool_calls.exists(c, c.failed && c.name == 'book')",
  "tool_calls.exists(c, c.name == 'book' && c.ok) || steps.exists(s, s.kind == 'tool')",
  'has(state.a)',
  'has(state.constructor) || has(truth.b)',
];

test('what is asked without evaluating is answered as by evaluating', () => {
  let held = 0;
  for (let seed = 1; seed <= 300; seed += 1) {
    const conversation = buildConversation('c' as ConversationId, [someTurn(randomFrom(seed), 0)]);
    for (const text of TESTS) {
      const compiled = compileExpression(checkEnvironment(), text, { gives: 'bool' });
      if (!('program' in compiled)) throw new Error(compiled.mistake.problem);
      const { program } = compiled;
      const end = program.run(new Scope(subjectOf(conversation, undefined)));
      const holds = end.kind === 'value' && end.value === true;
      if (holds) held += 1;
      expect(program.turnTest?.(conversation), text).toBe(holds);
    }
  }
  expect(held).toBeGreaterThan(300);
});

test('holds for one of the turns of every conversation that the suite is for', () => {
  let matched = 0;
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = randomFrom(seed);
    const turns = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => someTurn(random, index));
    const id = 'c' as ConversationId;
    for (const match of MATCHES) {
      const text = `suite: s\nscope: conversation\nmatch: { expression: ${JSON.stringify(match)} }\ncriteria: [{ name: a, question: Q?, weight: 1, check: turn.ok }]\n`;
      const { suite } = readSuite(text, 'test.yaml');
      if (suite?.matchesTurn === undefined) throw new Error(`${match} asks nothing of a turn`);
      if (!suite.matches(buildConversation(id, turns))) continue;
      matched += 1;
      expect(turns.some((turn) => suite.matchesTurn?.(buildConversation(id, [turn])))).toBe(true);
    }
  }
  expect(matched).toBeGreaterThan(300);
});

function someTurn(random: () => number, index: number): Turn {
  const marks: readonly (Json | undefined)[] = [
    undefined,
    undefined,
    {},
    { a: 1 },
    { b: null },
    { a: null, b: 2 },
    { constructor: 1 },
    ['a'],
    null,
    'text',
  ];
  const calls = [
    aToolCall('find'),
    aToolCall('book'),
    aToolCall('book', { result: REDACTED }),
    aToolCall('book', { answered: false }),
    aFailedCall('find', 'no'),
  ];
  return aTurn({
    startedAtMs: index * 1000,
    state: pick(random, marks),
    truth: pick(random, marks),
    steps: [aStep(random() < 0.2 ? { error: anError('no') } : { kind: pick(random, ['llm', 'tool'] as const) })],
    toolCalls: [pick(random, calls)],
  });
}

function pick<T>(random: () => number, items: readonly T[]): T {
  // The cast holds: the index is one of the list.
  return items[Math.floor(random() * items.length)] as T;
}
