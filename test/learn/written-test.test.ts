/** Conversations that are hard to write as a test: texts that break YAML, texts that are no text, many turns, and gaps. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildConversation } from '../../src/assemble/build-conversation.ts';
import { turnsOfTrace } from '../../src/engine/turns-of-trace.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import type { Excerpt } from '../../src/model/excerpt.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { retell } from '../../src/mutate/retell.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { excerptRequest } from '../../src/score/suite-test/excerpt-request.ts';
import { writtenTest } from '../../src/learn/written-test.ts';
import { BUILTIN } from '../engine/log-driver.ts';
import { tempDirectory } from '../temp-directory.ts';

interface Turn {
  readonly user?: string;
  readonly answer?: string;
  readonly error?: string;
  readonly calls?: readonly { readonly tool: string; readonly args: object; readonly result?: string }[];
}

/** As an agent would have sent it, turn by turn. */
function conversationOf(id: string, turns: readonly Turn[]): Conversation {
  const built = turns.flatMap((turn, index) => {
    const excerpt: Excerpt = {
      is: 'excerpt',
      agent: 'writer',
      version: undefined,
      environment: undefined,
      attributes: new Map([['assay.tags', 'a, b']]),
      state: undefined,
      turns: [
        {
          user: turn.user,
          answer: turn.answer,
          error: turn.error,
          state: undefined,
          finish: 'stop',
          // The cast widens: these arguments are JSON.
          calls: (turn.calls ?? []).map((call) => [{ ...call, result: call.result, error: undefined } as never]),
        },
      ],
    };
    const identity = {
      conversationId: id,
      traceIdOf: () => (index + 1).toString(16).padStart(32, 'a'),
      startedAtMs: 1_790_000_000_000 + index * 60_000,
    };
    const traces = transcodeTraces(Buffer.from(excerptRequest(excerpt, undefined, identity)));
    return turnsOfTrace({ traces, logs: undefined });
  });
  // The cast is the brand.
  return buildConversation(id as unknown as ConversationId, built);
}

async function defaultSuite(): Promise<CompiledSuite> {
  const { suites } = await loadSuites(['default'], { baseDir: tempDirectory(), builtinDir: BUILTIN });
  const [suite] = suites;
  if (suite === undefined) throw new Error('there is no default suite');
  return suite;
}

async function written(conversation: Conversation) {
  const suite = await defaultSuite();
  const evaluation = evaluate(suite, { conversation, turnId: undefined, revision: 1 });
  const excerpt = retell(conversation);
  if (typeof excerpt === 'string') return excerpt;
  return writtenTest({ conversation, excerpt, evaluation, suite });
}

test.for([
  ['YAML of its own', 'tests:\n  - name: x\n# comment\n--- !!js/function >\n&a *a {{ %TAG'],
  ['characters that nobody sees', 'a\u202Eb\u200Bc\u0085\u2028d\ufeff'],
  ['control characters', 'a\u0001\u001b[31mred\u0007'],
  ['NUL', 'a\u0000b'],
  ['quotes and tabs', '\t"\'`\\ \\u0000 \r\n end '],
  ['a number, a date and a word of YAML', 'yes'],
  ['half of a pair', 'a\ud800b'],
  ['a long text', 'lorem '.repeat(20_000)],
] as const)('a conversation with %s is a test that passes and holds the text', async ([, text]) => {
  const conversation = conversationOf(`id ${text.slice(0, 40)}`, [
    { user: text, calls: [{ tool: 'look', args: { text, [text.slice(0, 20)]: 1 }, result: text }], answer: text },
  ]);
  const answer = await written(conversation);

  expect(answer).toEqual({ text: expect.not.stringContaining('Not expected') });
  const yaml = typeof answer === 'string' ? '' : answer.text;
  const [one] = (parse(yaml) as { tests: { user: string; answer: string; calls: { args: object }[] }[] }).tests;
  const held = text.toWellFormed().replaceAll('\0', '');
  expect([one?.user, one?.answer, Object.values(one?.calls[0]?.args ?? {})[0]]).toEqual([held, held, held]);
  // No id can end a remark.
  for (const line of yaml.split('\n').slice(0, 3)) expect(line).toMatch(/^#/);
});

test('turns stay turns, and a turn that failed still fails', async () => {
  const conversation = conversationOf('three', [
    { user: 'One?', answer: 'One.' },
    { user: 'Two?', calls: [{ tool: 'look', args: {} }], answer: 'Two.' },
    { user: 'Three?', error: 'the model is down' },
  ]);
  const answer = await written(conversation);
  const parsed: unknown = parse(typeof answer === 'string' ? '' : answer.text);

  expect(parsed).toMatchObject({
    tests: [
      {
        attributes: { 'assay.tags': 'a, b' },
        turns: [{ user: 'One?' }, { user: 'Two?', calls: [{ tool: 'look' }] }, { error: 'the model is down' }],
        outcome: 'hard_failure',
      },
    ],
  });
});

test.for([
  ['was cut', '[{"role": "user", "parts": [{"type": "te', 'some of its content was cut or redacted'],
  ['was withheld', '__REDACTED__', 'some of its content was cut or redacted'],
] as const)('a conversation whose content %s is no test, and it says why', async ([, args, why]) => {
  const conversation = conversationOf('x', [
    { user: 'Hi', calls: [{ tool: 'f', args: {}, result: args }], answer: 'ok' },
  ]);

  expect(await written(conversation)).toBe(why);
});

test('one that is too long to copy says how long it would be', async () => {
  const conversation = conversationOf('x', [{ user: 'x'.repeat(1_000_001), answer: 'ok' }]);

  expect(await written(conversation)).toMatch(/^it would have 100[01]\d+ characters, and 1000000 are the most$/);
});

test('a conversation of thousands of tool calls is written, or refused with the reason', {
  timeout: 60_000,
}, async () => {
  const calls = Array.from({ length: 3_000 }, (_, id) => ({ tool: 'find', args: { id }, result: 'found' }));
  const conversation = conversationOf('long', [{ user: 'Find them.', answer: 'Found.', calls }]);
  const suite = await defaultSuite();
  const evaluation = evaluate(suite, { conversation, turnId: undefined, revision: 1 });
  const excerpt = retell(conversation);
  if (typeof excerpt === 'string') throw new Error(excerpt);

  const all = writtenTest({ conversation, excerpt, evaluation, suite }, { cpuMsMax: 60_000 });
  const cut = writtenTest({ conversation, excerpt, evaluation, suite }, { cpuMsMax: 0 });

  expect(all).toMatchObject({ text: expect.stringContaining('Find them.') });
  expect(cut).toMatch(/^with 3000 tool calls and \d+ characters it takes too long; take a shorter one$/);
});

test('a conversation of more characters than a person copies is refused before it is written', async () => {
  const conversation = conversationOf('large', [{ user: 'x'.repeat(4_100_000), answer: 'Yes.' }]);
  const suite = await defaultSuite();
  const evaluation = evaluate(suite, { conversation, turnId: undefined, revision: 1 });
  const excerpt = retell(conversation);
  if (typeof excerpt === 'string') throw new Error(excerpt);

  expect(writtenTest({ conversation, excerpt, evaluation, suite })).toMatch(/^it has about 41\d+ characters/);
});
