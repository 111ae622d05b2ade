import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Step } from '../../src/model/step.ts';
import type { Turn } from '../../src/model/turn.ts';
import { doubtsOf } from '../../src/assemble/turns/doubts.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { damageRuns } from '../normalize/recorded/damage.ts';
import {
  aConversation,
  aStep,
  aToolCall,
  aTurn,
  content,
  MISSING,
  spanId,
  type TurnParts,
} from '../score/conversations.ts';

const doubts = (parts: TurnParts) => doubtsOf(aTurn(parts));
const said = (text: string) => [
  { role: 'assistant', name: undefined, parts: [{ type: 'text' as const, text }], finishReason: 'stop' },
];

describe('prints of objects', () => {
  test.each([
    "ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='Hi')])",
    "[Message(role='user', content='Hi')]",
    "AgentOutput(response='Hi')",
    '<generator object Agent.run at 0x7f00>',
    '<haystack.Agent object at 0x7f0012ab>',
    '[object Object]',
    "content='Hi' additional_kwargs={} response_metadata={}",
    "{'output': AIMessage(content='Hi')}",
    'ChatResponse [metadata=none]',
    'com.acme.bot.Answer@6d06d69c',
    '{"messages": [{"role": "user", "content": "Hi"}]}',
    "[{'role': 'user', 'content': 'Hi'}]",
  ])('%s is no question and no answer', (text) => {
    expect(doubts({ asked: text })).toEqual(['question-misread']);
    expect(doubts({ answered: text })).toEqual(['answer-misread']);
  });

  test.each([
    'Call Point(x=1) for it.',
    'OK (see below).',
    'Your total (with tax) is 12.',
    '{"status": "shipped"}',
    '[1, 2, 3]',
    'Set(a, b) is a set.',
    'Field(default=None) makes it optional.',
    '{"content": "Where is my parcel?"}',
  ])('%s may be an answer', (text) => {
    expect(doubts({ answered: text })).toEqual([]);
  });

  test('a transcript that the model itself wrote is its answer', () => {
    const text = '[{"role": "user", "content": "Hi"}]';
    const steps = [aStep({ output: content(text), messagesOut: said(text) })];
    expect(doubts({ answered: text, steps })).toEqual([]);
  });

  test('an answer with the instructions in it is a dump', () => {
    const instructions = 'You look up orders for customers, and say where they are.';
    const steps = [aStep({ systemInstructions: instructions, output: content('On its way.') })];
    expect(doubts({ answered: `system: ${instructions} user: Hi`, steps })).toEqual(['answer-misread']);
  });
});

test('a tool that is called after a method, or whose arguments are wrapped, was not understood', () => {
  const call = (name: string, args: object): Turn['toolCalls'][number] => ({
    id: 'c',
    name,
    args: content(JSON.stringify(args)),
    result: content('ok'),
    error: undefined,
    spanId: undefined,
    requestedBy: undefined,
    answered: true,
    startedAtMs: 1,
    endedAtMs: 2,
  });
  expect(doubts({ toolCalls: [call('look_up.__call__', { order: '17' })] })).toEqual(['tool-misread']);
  expect(doubts({ toolCalls: [call('', { order: '17' })] })).toEqual(['tool-misread']);
  expect(doubts({ toolCalls: [call('run', { args: ['ls', '-l'] })] })).toEqual([]);
});

test('a record of use that is taken for a call is counted twice', () => {
  const usage = { inputTokens: 50, outputTokens: 12, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const call = aStep({ usage, messagesOut: said('Hi'), output: content('Hi') });
  const record = aStep({ usage });
  expect(doubts({ steps: [call, record] })).toContain('counted-twice');
  expect(doubts({ steps: [call, aStep({ usage: { ...usage, outputTokens: 1 } })] })).not.toContain('counted-twice');
});

test('calls that two exporters watched side by side are counted twice; calls of two exporters in turn are not', () => {
  const usage = { inputTokens: 50, outputTokens: 12, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const at = (scopeName: string, startedAtMs: number) =>
    aStep({
      scopeName,
      usage,
      startedAtMs,
      endedAtMs: startedAtMs + 10,
      output: content('Hi'),
      messagesOut: said('Hi'),
    });
  expect(doubts({ steps: [at('one', 0), at('two', 1), at('one', 50), at('two', 51)] })).toContain('counted-twice');
  expect(doubts({ steps: [at('one', 0), at('two', 20)] })).not.toContain('counted-twice');
  expect(doubts({ steps: [at('one', 0), at('one', 1)] })).not.toContain('counted-twice');
});

test('spans of others that hold messages are no doubt where question and answer are there', () => {
  const strange = aStep({ kind: 'other', flags: ['not-understood'] });
  expect(doubts({ steps: [aStep(), strange] })).toEqual([]);
  expect(doubts({ asked: MISSING, answered: MISSING, steps: [aStep(), strange] })).toContain('not-understood');
});

test('a call of an agent that is there as a step is no tool that is unseen', () => {
  const call = aToolCall('flights', { answered: false, spanId: undefined, startedAtMs: 1000, endedAtMs: 1010 });
  const next = aStep({ spanId: spanId(9), startedAtMs: 2000 });
  const flights = aStep({
    kind: 'agent',
    spanId: spanId(8),
    agent: { name: 'flights', id: undefined, version: undefined },
  });
  expect(doubts({ toolCalls: [call], steps: [next] })).toContain('tools-unseen');
  expect(doubts({ toolCalls: [call], steps: [flights, next] })).toEqual([]);
});

test('code that a model was asked for is its answer, though it looks like a print', () => {
  const saying = (text: string) => ({
    answered: text,
    steps: [aStep({ output: content(text), messagesOut: said(text) })],
  });
  expect(doubts(saying('Point(x=1, y=2)'))).toEqual([]);
  expect(doubts({ answered: 'Point(x=1, y=2)' })).toEqual(['answer-misread']);
  expect(doubts(saying("ChatMessage(role='assistant', content='Hi')"))).toEqual(['answer-misread']);
  expect(doubts(saying('[object Object]'))).toEqual(['answer-misread']);
});

test('an answer that a model gave and the turn has not is unseen; one call alone that asks for a tool is a fragment', () => {
  const answer = aStep({ output: content('Hi'), messagesOut: said('Hi') });
  const root = aStep({ kind: 'agent', name: 'scheduler' });
  expect(doubts({ answered: MISSING, steps: [root, answer] })).toEqual(['answer-unseen']);
  const model = { ...NO_MODEL, finishReasons: ['tool_call'] };
  const alone = { answered: MISSING, conversationId: undefined, steps: [aStep({ model })] };
  expect(doubts(alone)).toEqual(['tools-unseen', 'fragment']);
  expect(doubts({ ...alone, conversationId: 'c1' })).toEqual(['tools-unseen']);
  expect(doubts({ ...alone, flags: ['root-missing'] })).toEqual(['tools-unseen']);
});

const NO_MODEL = {
  request: 'm',
  response: 'm',
  provider: undefined,
  responseId: undefined,
  previousResponseId: undefined,
};

describe('verdicts', async () => {
  const builtinDir = path.resolve(import.meta.dirname, '../../suites');
  const { suites } = await loadSuites(['default'], { baseDir: builtinDir, builtinDir });
  const verdicts = (turn: Turn) => {
    const [suite] = suites;
    if (suite === undefined) throw new Error('there is no suite `default`');
    return evaluate(suite, { conversation: aConversation([turn]), turnId: turn.id, revision: 1 });
  };

  test('criteria of tools are not applicable for an exporter of which nobody knows whether it sends them', () => {
    const steps = [aStep({ kind: 'agent', scopeName: 'ours' }), aStep({ scopeName: 'ours' })];
    const { verdicts: given } = verdicts(aTurn({ steps }));

    for (const criterion of ['no_unrecovered_tool_error', 'no_identical_loop', 'every_tool_call_answered']) {
      expect(given.get(criterion)).toMatchObject({
        verdict: 'not_applicable',
        undecided: 'not_recorded',
        reason: expect.stringContaining('(ours)'),
      });
    }
    expect(given.get('answered')?.verdict).toBe('pass');
    expect(verdicts(aTurn()).verdicts.get('no_identical_loop')?.verdict).toBe('pass');
  });

  test('a check that asks for steps of tools is not applicable there, nor do conditions that ask for calls hold', () => {
    const text = `suite: own
scope: conversation
completed: "!tool_calls.exists(c, c.failed)"
extract: { works: "steps_of('tool')" }
criteria:
  - { name: looked_up, question: Was it?, weight: 0.2, check: "!steps.exists(s, s.kind == 'tool' && s.name == 'delete')" }
  - { name: by_extract, question: Was it?, weight: 0.2, check: "size(works) == 0" }
  - { name: asked, question: Was it?, weight: 0.6, check: "steps.exists(s, s.kind == 'llm')" }
`;
    const { suite } = readSuite(text, 'own.yaml');
    if (suite === undefined) throw new Error('it has mistakes');
    const given = (scopeName: string) => {
      const conversation = aConversation([aTurn({ steps: [aStep({ scopeName })] })]);
      const { verdicts: all, explanation } = evaluate(suite, { conversation, turnId: undefined, revision: 1 });
      return { kinds: [...all.values()].map(({ verdict }) => verdict), explanation };
    };

    expect(given('pydantic-ai').kinds).toEqual(['pass', 'pass', 'pass']);
    expect(given('ours').kinds).toEqual(['not_applicable', 'not_applicable', 'pass']);
    expect(given('ours').explanation).toContain('completed could not be worked out (No tool call was seen');
  });

  test('an exporter of model calls beside a root that nobody knows shows tools only in what models say', () => {
    const calls = 'opentelemetry.instrumentation.openai.v1';
    const root = aStep({ kind: 'agent', scopeName: 'ours', spanId: spanId(8) });
    const kindOf = (call: Partial<Step>) =>
      verdicts(aTurn({ steps: [root, aStep({ scopeName: calls, ...call })] })).verdicts.get('no_identical_loop')
        ?.verdict;
    expect(kindOf({ messagesOut: said('Hi') })).toBe('pass');
    expect(kindOf({ flags: ['content-missing'] })).toBe('not_applicable');
  });

  test('models that were given tools, and whose answers are all here, show that none was called', () => {
    const attributes = new Map([['gen_ai.tool.definitions', '[{"name":"look_up"}]']]);
    const steps = [aStep({ scopeName: 'ours', attributes, messagesOut: said('Hi') })];
    expect(verdicts(aTurn({ steps })).verdicts.get('no_identical_loop')?.verdict).toBe('pass');
  });

  test('an answer that was not understood is not taken for none', () => {
    const { verdicts: given, outcome } = verdicts(aTurn({ answered: '[object Object]', doubts: ['answer-misread'] }));
    expect(given.get('answered')?.verdict).toBe('not_applicable');
    expect(outcome).not.toBe('hard_failure');
  });

  test('a turn whose answer is unseen has no score, and no hard failure', () => {
    const steps = [aStep({ kind: 'agent' }), aStep({ output: content('Hi'), messagesOut: said('Hi') })];
    const { outcome, score } = verdicts(aTurn({ answered: MISSING, steps, doubts: ['answer-unseen'] }));
    expect([outcome, score]).toEqual(['unscored', undefined]);
  });
});

test('what is scored wrong of damaged exports is said of most, and hardly an undamaged one has a doubt', {
  timeout: 120_000,
}, async () => {
  const builtinDir = path.resolve(import.meta.dirname, '../../suites');
  const { suites } = await loadSuites(['default'], { baseDir: builtinDir, builtinDir });
  const { results, doubted, runs } = await damageRuns({ suites, isIn: (number) => number % 40 === 0 });
  const count = (is: string) => results.filter((result) => result.is === is).length;

  expect(runs).toBeGreaterThan(8);
  expect(count('said')).toBeGreaterThan(20);
  expect(count('silent')).toBeLessThan(count('said') / 6);
  expect(doubted.length).toBeLessThanOrEqual(1);
});
