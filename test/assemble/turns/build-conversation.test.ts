import { describe, expect, test } from 'vitest';
import { buildConversation } from '../../../src/assemble/build-conversation.ts';
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import type { ConversationId } from '../../../src/model/ids.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { type SpanSpec, traceOf } from '../../normalize/support/otlp.ts';

// The cast is the brand: any text may be a conversation's id.
const ID = 'c' as ConversationId;

function turn(id: string, from: number, attributes: SpanSpec['attributes'], resource: SpanSpec['resource'] = {}) {
  const span = { id, from, attributes: { 'gen_ai.operation.name': 'invoke_agent', ...attributes }, resource };
  return buildTurns(normalize(traceOf(span)));
}

describe('a conversation', () => {
  const turns = [
    ...turn('2', 20, { 'assay.conversation.state': '{"b":2,"c":3}', 'gen_ai.usage.output_tokens': 5, tier: 'gold' }),
    ...turn(
      '1',
      10,
      {
        'assay.conversation.state': '{"a":1,"b":1}',
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.agent.name': 'bob',
        tier: 'free',
      },
      { 'service.version': '1' },
    ),
    ...turn(
      '3',
      30,
      { 'assay.truth': '{"label":"good"}' },
      { 'service.version': '2', 'deployment.environment': 'prod' },
    ),
  ];
  const conversation = buildConversation(ID, turns);

  test('has its turns in the order of their start', () => {
    expect(conversation.turns.map(({ rootSpanId }) => Number(rootSpanId))).toEqual([1, 2, 3]);
    expect(conversation.endedAtMs - conversation.startedAtMs).toBeCloseTo(21, 2);
  });

  test('has what its turns recorded, later ones overriding earlier ones key by key', () => {
    expect(conversation.state).toEqual({ a: 1, b: 2, c: 3 });
    expect(conversation.truth).toEqual({ label: 'good' });
    expect(conversation.attributes.get('tier')).toBe('gold');
    expect(conversation.environment).toBe('prod');
    expect(conversation.agent).toMatchObject({ name: 'bob', version: '2' });
  });

  test('adds up what they used', () => {
    expect(conversation.usage).toMatchObject({ inputTokens: 7, outputTokens: 5 });
    expect(conversation.costUsd).toBeUndefined();
  });

  test('is the same in whatever order the turns are given', () => {
    const backwards = buildConversation(ID, turns.toReversed());

    expect([backwards.state, backwards.turns]).toEqual([conversation.state, conversation.turns]);
  });

  test('without turns is a mistake of the caller', () => {
    expect(() => buildConversation(ID, [])).toThrow('conversation c: it has no turns');
  });
});

describe("a conversation's agent", () => {
  const whole = turn('1', 10, { 'gen_ai.agent.name': 'desk' }, { 'service.name': 'shop' });
  const orphan = (name: string) =>
    buildTurns(
      normalize(
        traceOf({
          id: '2',
          parent: 'f',
          from: 20,
          attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' },
          resource: { 'service.name': name },
        }),
      ),
    );

  test('is not called by the service of a turn whose root never came', () => {
    expect(buildConversation(ID, [...whole, ...orphan('shop')]).agent.name).toBe('desk');
  });

  test('is called by its service where nothing else names it', () => {
    expect(buildConversation(ID, orphan('shop')).agent.name).toBe('shop');
  });

  test('has no name where nobody named the service either', () => {
    expect(buildConversation(ID, orphan('unknown_service:node')).agent.name).toBeUndefined();
  });
});

describe('an answer that the model call’s own span lost', () => {
  const say = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const call = (id: string, from: number, heard: readonly unknown[], said?: unknown) => {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': JSON.stringify(heard),
      ...(said === undefined ? {} : { 'gen_ai.output.messages': JSON.stringify([said]) }),
    };
    return buildTurns(normalize(traceOf({ id, from, to: from + 5, attributes })));
  };
  const answersOf = (...turns: ReturnType<typeof call>) =>
    buildConversation(ID, turns).turns.map(({ finalAnswer }) => finalAnswer.text);
  const [asked, askedMore] = [say('user', 'Free at 9?'), say('user', 'And at 10?')];

  test('is what the next turn’s model was shown', () => {
    const history = [asked, say('assistant', 'Yes.'), askedMore];

    expect(answersOf(...call('1', 10, [asked]), ...call('2', 20, history, say('assistant', 'No.')))).toEqual([
      'Yes.',
      'No.',
    ]);
  });

  test.each([
    ['another conversation', [say('user', 'Hello?'), say('assistant', 'Hi.'), askedMore]],
    ['a question without an answer', [asked, askedMore]],
    [
      'a call of a tool',
      [asked, { role: 'assistant', parts: [{ type: 'tool_call', id: 'x', name: 'f', arguments: {} }] }, askedMore],
    ],
  ])('is not there, where the next was shown %s', (_, history) => {
    expect(answersOf(...call('1', 10, [asked]), ...call('2', 20, history, say('assistant', 'No.')))[0]).toBe('');
  });

  test('is not looked for, where the call said something', () => {
    const history = [asked, say('assistant', 'Yes.'), askedMore];
    const first = call('1', 10, [asked], say('assistant', 'Maybe.'));

    expect(answersOf(...first, ...call('2', 20, history))).toEqual(['Maybe.', '']);
  });
});
