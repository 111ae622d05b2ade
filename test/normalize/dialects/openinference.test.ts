import { describe, expect, test } from 'vitest';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

type Attributes = Readonly<Record<string, unknown>>;

const llm = (attributes: Attributes, dropped = 0) =>
  stepOf({ 'openinference.span.kind': 'LLM', ...attributes }, { dropped });
const tool = (attributes: Attributes) => stepOf({ 'openinference.span.kind': 'TOOL', ...attributes });
const agent = (attributes: Attributes) => stepOf({ 'openinference.span.kind': 'AGENT', ...attributes });

/** `{0: {role: 'user'}}` under `llm.input_messages` gives `llm.input_messages.0.message.role`. */
function flat(prefix: string, messages: Readonly<Record<string, Attributes>>): Attributes {
  return Object.fromEntries(
    Object.entries(messages).flatMap(([index, fields]) =>
      Object.entries(fields).map(([path, value]) => [`${prefix}.${index}.message.${path}`, value]),
    ),
  );
}
const asked = (messages: Readonly<Record<string, Attributes>>) => flat('llm.input_messages', messages);
const answered = (messages: Readonly<Record<string, Attributes>>) => flat('llm.output_messages', messages);

describe('the kind of an OpenInference span', () => {
  test.each([
    ['LLM', 'llm'],
    ['llm', 'llm'],
    ['EMBEDDING', 'embedding'],
    ['RETRIEVER', 'retrieval'],
    ['RERANKER', 'rerank'],
    ['TOOL', 'tool'],
    ['Agent', 'agent'],
    ['GUARDRAIL', 'guardrail'],
    ['EVALUATOR', 'evaluator'],
    ['PROMPT', 'step'],
    ['UNKNOWN', 'other'],
  ])('%s is %s', (written, kind) => {
    expect(stepOf({ 'openinference.span.kind': written }, { parent: 'f' }).kind).toBe(kind);
  });

  test('CHAIN is a step, and a workflow where nothing is around it', () => {
    const chain = { 'openinference.span.kind': 'CHAIN' };

    expect([stepOf(chain, { parent: 'f' }).kind, stepOf(chain).kind]).toEqual(['step', 'workflow']);
  });

  test.each(['handoff to billing', 'handoff_to_billing'])('TOOL named %s is no tool call', (name) => {
    const step = stepOf({ 'openinference.span.kind': 'TOOL', 'tool.name': name }, { name });

    expect([step.kind, step.tool]).toEqual(['step', undefined]);
  });
});

describe('flattened messages', () => {
  test('are put together in the order of their indices, whatever the order of the attributes', () => {
    const step = llm({
      ...asked({ 7: { content: 'And?', role: 'user' } }),
      ...asked({
        3: {
          role: 'assistant',
          'tool_calls.1.tool_call.id': 'b',
          'tool_calls.1.tool_call.function.name': 'g',
          'tool_calls.1.tool_call.function.arguments': '{"n":2}',
          'tool_calls.0.tool_call.id': 'a',
          'tool_calls.0.tool_call.function.name': 'f',
          'tool_calls.0.tool_call.function.arguments': '{"n":1}',
        },
      }),
      ...asked({ 1: { role: 'system', content: 'Be kind.' } }),
      ...asked({ 4: { role: 'tool', content: '[1]', tool_call_id: 'a' } }),
      ...asked({ 5: { role: 'user', content: '[2]', tool_call_id: 'b' } }),
    });

    expect(said(step.messagesIn)).toEqual([
      'system Be kind.',
      'assistant f#a({"n":1}) g#b({"n":2})',
      'tool #a=[1]',
      'tool #b=[2]',
      'user And?',
    ]);
    expect(step.systemInstructions).toBe('Be kind.');
    expect(step.rules.get('messagesIn')).toBe('llm.input_messages.*');
  });

  test('have contents of several kinds, and each call once though it is written twice', () => {
    const step = llm(
      answered({
        0: {
          role: 'assistant',
          'contents.0.message_content.type': 'reasoning',
          'contents.0.message_content.text': 'hm',
          'contents.1.message_content.type': 'text',
          'contents.1.message_content.text': 'Wait.',
          'contents.2.message_content.type': 'tool_use',
          'contents.2.tool_call.id': 'a',
          'contents.2.tool_call.function.name': 'f',
          'contents.2.tool_call.function.arguments': '{}',
          'contents.3.message_content.type': 'image',
          'contents.3.message_content.image.image.url': 'https://x',
          'tool_calls.0.tool_call.id': 'a',
          'tool_calls.0.tool_call.function.name': 'f',
          'tool_calls.0.tool_call.function.arguments': '{}',
        },
      }),
    );

    expect(said(step.messagesOut)).toEqual(['assistant (hm) Wait. f#a({}) media']);
  });

  test('keep parallel calls that are alike and have no id', () => {
    const call = { 'tool_call.function.name': 'f', 'tool_call.function.arguments': '{}' };
    const calls = (at: number) =>
      Object.fromEntries(Object.entries(call).map(([key, value]) => [`tool_calls.${at}.${key}`, value]));

    expect(said(llm(answered({ 0: { role: 'assistant', ...calls(0), ...calls(1) } })).messagesOut)).toEqual([
      'assistant f#undefined({}) f#undefined({})',
    ]);
  });

  test('have a function call in the older form', () => {
    const step = llm(answered({ 0: { function_call_name: 'f', function_call_arguments_json: '{"q":1}' } }));

    expect(said(step.messagesOut)).toEqual(['assistant f#undefined({"q":1})']);
  });

  test('that were redacted are redacted, and the raw record is not looked at instead', () => {
    const step = llm({
      ...asked({ 0: { role: 'user', content: '__REDACTED__' } }),
      'input.value': '{"messages":[{"role":"user","content":"secret"}]}',
    });

    expect([step.input.state, step.flags]).toEqual(['redacted', ['redacted']]);
  });

  test('with hostile keys change nothing but themselves', () => {
    const step = llm({
      ...asked({ 999999999: { role: 'user', content: 'far' }, 0: { role: 'user', content: 'near' } }),
      'llm.input_messages.99999999999999999999.message.content': 'too far',
      'llm.input_messages.-1.message.content': 'below',
      'llm.input_messages.1e3.message.content': 'no number',
      'llm.input_messages.__proto__.message.content': 'polluted',
      'llm.input_messages.2.message.__proto__': 'polluted',
      'llm.input_messages.2.message.constructor': 'polluted',
      'llm.input_messages.2.message.tool_calls.__proto__.tool_call.id': 'polluted',
      'llm.input_messages.2.message.tool_calls.88888888.tool_call.function.name': 'f',
      'llm.input_messages.2.message.contents.__proto__.message_content.text': 'polluted',
      'llm.input_messages': 'not a list',
    });

    expect(said(step.messagesIn)).toEqual(['user near', 'user f#undefined(null)', 'user far']);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('of twenty thousand are the newest ten thousand, read in a moment', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`llm.input_messages.${at}.message.content`, `m${at}`]),
    );
    const step = llm(many);
    const begun = performance.now();

    expect(step.messagesIn).toHaveLength(10_000);
    expect(said(step.messagesIn.slice(-1))).toEqual(['user m19999']);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe('the raw record of a model call', () => {
  const request = {
    model: 'claude',
    system: 'Be kind.',
    messages: [
      { role: 'user', content: 'Compare.' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } },
          { type: 'tool_use', id: 'b', name: 'f', input: { n: 2 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'one' },
          { type: 'tool_result', tool_use_id: 'b', content: 'two' },
        ],
      },
    ],
  };
  const answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 1 },
  };

  test('is all there is where the attributes after the 128th were dropped', () => {
    const step = llm(
      { 'output.value': JSON.stringify(answer), ...asked({ 0: { role: 'user', content: 'Compare.' } }) },
      9,
    );

    expect(said(step.messagesOut)).toEqual(['assistant hi [stop]']);
    expect(step.model).toMatchObject({ responseId: 'msg_1', finishReasons: ['stop'] });
    expect(step.usage).toEqual({
      inputTokens: 15,
      outputTokens: 3,
      cacheReadTokens: 4,
      cacheWriteTokens: 1,
      reasoningTokens: 0,
    });
    expect(step.flags).toContain('attributes-dropped');
  });

  test('does not count again what was counted', () => {
    const step = llm({ 'output.value': JSON.stringify(answer), 'llm.token_count.prompt': 15 });

    expect(step.usage).toMatchObject({ inputTokens: 15, outputTokens: 0 });
  });

  test('says what of the tokens was cached and thought where only their sum was counted', () => {
    const response = {
      object: 'response',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
      text: { format: { type: 'text' } },
      usage: {
        input_tokens: 15,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 5 },
      },
    };
    const step = llm({
      'output.value': JSON.stringify([response]),
      'llm.token_count.prompt': 15,
      'llm.token_count.completion': 9,
    });

    expect(step.usage).toMatchObject({ inputTokens: 15, outputTokens: 9, reasoningTokens: 5 });
    expect(said(step.messagesOut)).toEqual(['assistant Hello']);
  });

  test.each<[string, Attributes, number]>([
    ['messages were dropped', asked({ 0: { role: 'user', content: 'Compare.' } }), 3],
    [
      'the result of a call is missing',
      asked({
        0: { role: 'user', content: 'Compare.' },
        1: { role: 'assistant', 'tool_calls.0.tool_call.id': 'a', 'tool_calls.0.tool_call.function.name': 'f' },
      }),
      0,
    ],
    ['a call has no id', asked({ 0: { role: 'assistant', 'tool_calls.0.tool_call.function.name': 'f' } }), 0],
    ['a message is empty', asked({ 0: { role: 'user', content: 'Compare.' }, 1: { role: 'assistant' } }), 0],
  ])('is read where %s', (_what, attributes, dropped) => {
    const step = llm({ 'input.value': JSON.stringify(request), ...attributes }, dropped);

    expect(said(step.messagesIn)).toEqual([
      'system Be kind.',
      'user Compare.',
      'assistant f#a({"n":1}) f#b({"n":2})',
      'tool #a="one" #b="two"',
    ]);
    expect(step.rules.get('messagesIn')).toBe('input.value, fuller than llm.input_messages.*');
  });

  test('is not read where it says less, or nothing', () => {
    const call = { role: 'assistant', 'tool_calls.0.tool_call.function.name': 'f', content: 'Wait.' };

    for (const raw of ['{"messages":[]}', '{"messages":["ChatMessage(role=user)"]}', 'text', '{"messages":[{']) {
      expect(said(llm({ ...asked({ 0: call }), 'input.value': raw }).messagesIn)).toEqual([
        'assistant Wait. f#undefined(null)',
      ]);
    }
  });

  test('has the instructions that the Anthropic messages lack', () => {
    const step = llm({ 'input.value': JSON.stringify(request), ...asked({ 0: { role: 'user', content: 'Hi' } }) });

    expect(step.systemInstructions).toBe('Be kind.');
  });

  test('keeps the instructions that only the flattened messages have', () => {
    const step = llm({
      ...asked({
        0: { role: 'system', content: 'Be kind.' },
        1: { role: 'user', content: 'Hi' },
        2: { role: 'assistant' },
      }),
      'input.value': '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]',
    });

    expect(said(step.messagesIn)).toEqual(['system Be kind.', 'user Hi', 'assistant Hello']);
  });

  test('is plain text where a stream was put together', () => {
    const step = llm({ 'output.value': 'Hello there', 'output.mime_type': 'text/plain' });

    expect(said(step.messagesOut)).toEqual(['assistant Hello there']);
  });
});

test('an agent was asked the last message, though only the first is flattened', () => {
  const step = agent({
    ...asked({ 0: { role: 'user', content: 'First' } }),
    'input.value': JSON.stringify({
      messages: [
        { type: 'human', data: { content: 'First' } },
        { type: 'ai', data: { content: 'Yes?' } },
        { role: 'user', content: 'Second' },
      ],
    }),
  });

  expect(step.input.text).toBe('Second');
});

describe('prompts and completions', () => {
  test('without roles are what user and model said', () => {
    const step = llm({ 'llm.prompts.0.prompt.text': 'Say hi', 'llm.choices.0.completion.text': 'hi' });

    expect([said(step.messagesIn), said(step.messagesOut)]).toEqual([['user Say hi'], ['assistant hi']]);
  });
});

test('prompts are a list of texts with LangChain for Python', () => {
  expect(said(llm({ 'llm.prompts': ['Say hi'] }).messagesIn)).toEqual(['user Say hi']);
});

describe('parallel calls that a stream glued together', () => {
  const glued = (id: string, name: string, args: string) =>
    llm({
      ...answered({
        0: {
          role: 'assistant',
          'tool_calls.0.tool_call.id': id,
          'tool_calls.0.tool_call.function.name': name,
          'tool_calls.0.tool_call.function.arguments': args,
        },
      }),
      'llm.tools.0.tool.json_schema': '{"type":"function","function":{"name":"get"}}',
      'llm.tools.1.tool.json_schema': '{"name":"get_all"}',
    });

  test.each([
    [
      'the same tool',
      'call_1call_22',
      'findfind',
      '{"a":"}{"}{"a":2}',
      'find#call_1({"a":"}{"}) find#call_22({"a":2})',
    ],
    ['offered tools', 'toolu_1toolu_2', 'get_allget', '{}{"a":1}', 'get_all#toolu_1({}) get#toolu_2({"a":1})'],
    ['ids of one length', 'aaaabbbb', 'getget', '{}{}', 'get#aaaa({}) get#bbbb({})'],
    ['ids that do not tell', 'aaabb', 'getget', '{}{}', 'get#undefined({}) get#undefined({})'],
  ])('are told apart: %s', (_what, id, name, args, expected) => {
    expect(said(glued(id, name, args).messagesOut)).toEqual([`assistant ${expected}`]);
  });

  test.each([
    ['names that nobody offered', 'onetwo', '{}{}'],
    ['arguments that are not all whole', 'getget', '{}{"a":'],
    ['text between', 'getget', '{} and {}'],
  ])('stay one with %s', (_what, name, args) => {
    expect(glued('call_1', name, args).messagesOut[0]?.parts).toHaveLength(1);
  });

  test('are not looked for in arguments that are one object', () => {
    expect(said(glued('call_1call_2', 'getget', '{"code":"a}{b"}').messagesOut)).toEqual([
      'assistant getget#call_1call_2({"code":"a}{b"})',
    ]);
  });
});

describe('a tool call', () => {
  test('has what went in and out', () => {
    const step = tool({ 'tool.name': 'f', 'tool.id': 'c1', 'input.value': '{"q":1}', 'output.value': '{"output":3}' });

    expect(step.tool).toMatchObject({ name: 'f', callId: 'c1' });
    expect([step.tool?.args.json, step.tool?.result.json]).toEqual([{ q: 1 }, { output: 3 }]);
  });

  test.each([
    ['arguments', '{"q":1}', { q: 1 }],
    ['a schema of arguments', '{"type":"object","properties":{"q":{"type":"number"}}}', null],
    ['a schema that says so', '{"$schema":"http://json-schema.org/draft-07/schema#"}', null],
    ['alternatives', '{"anyOf":[{"type":"null"}]}', null],
    ['arguments that are called like a schema', '{"type":"object"}', { type: 'object' }],
  ])('may have %s as its parameters', (_what, parameters, args) => {
    expect(tool({ 'tool.parameters': parameters }).tool?.args.json).toEqual(args);
  });

  test('of LangChain for Python has arguments as Python prints them, and a message as Python dumps it', () => {
    const step = tool({
      'input.value': "{'at': 1, 'who': ['Ann'], 'all': True}",
      'output.value': '{"content":"{\\"ok\\":true}","type":"tool","name":"f","tool_call_id":"c1","status":"success"}',
    });

    expect(step.tool?.args.json).toEqual({ at: 1, who: ['Ann'], all: true });
    expect([step.tool?.callId, step.tool?.result.json]).toEqual(['c1', { ok: true }]);
  });

  test.each(["{'at': now()}", '{at: 1}', 'plain'])('keeps arguments that nobody can read: %s', (value) => {
    expect(tool({ 'input.value': value }).tool?.args.text).toBe(value);
  });

  test('keeps an argument that is called like a wrapping', () => {
    expect(tool({ 'input.value': '{"input":"2+2"}' }).tool?.args.json).toEqual({ input: '2+2' });
  });

  const message = (status: string) =>
    JSON.stringify({
      output: {
        lc: 1,
        type: 'constructor',
        id: ['langchain_core', 'messages', 'ToolMessage'],
        kwargs: { status, content: '{"ok":true}', tool_call_id: 'c1', name: 'f' },
      },
    });

  test('of LangChain gives its result inside a message, with the id', () => {
    const step = tool({ 'output.value': message('success') });

    expect([step.tool?.callId, step.tool?.result.json, step.error]).toEqual(['c1', { ok: true }, undefined]);
  });

  test('of LangChain failed if the message says so', () => {
    expect(tool({ 'output.value': message('error') }).error).toMatchObject({ message: '{"ok":true}' });
  });
});

describe('what an agent was given and gave back', () => {
  test.each<[string, string, string]>([
    ['plain text', 'Hi', 'Hi'],
    [
      'a history',
      '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Bye"}]',
      'Bye',
    ],
    ['messages', '{"messages":[{"type":"human","content":"Hi"}]}', 'Hi'],
    ['an object with a question', '{"input":"Hi","chat_history":[]}', 'Hi'],
    ['an object with one text', '{"topic":"Hi"}', 'Hi'],
    ['JSON that says nothing in words', '{"a":1,"b":2}', '{"a":1,"b":2}'],
  ])('is read from %s', (_what, value, text) => {
    expect(agent({ 'input.value': value }).input.text).toBe(text);
  });

  const human = {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'HumanMessage'],
    kwargs: { content: 'Hi' },
  };
  const ai = (kwargs: Attributes) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'AIMessage'],
    kwargs,
  });
  const asks = ai({ content: 'Wait.', tool_calls: [{ name: 'f', args: {}, id: 'c1' }] });

  test.each<[string, readonly unknown[], string]>([
    ['the last of the thread', [human, ai({ content: 'One' }), human, asks, ai({ content: 'Two' })], 'Two'],
    ['nothing, where the last question was not answered', [human, ai({ content: 'One' }), human], ''],
    ['nothing, where the agent was still asking for tools', [human, ai({ content: 'One' }), human, asks], ''],
  ])('is %s', (_what, messages, text) => {
    expect(agent({ 'output.value': JSON.stringify({ messages }) }).output.text).toBe(text);
  });

  test('of a thread is only what came after the last question', () => {
    const step = agent({
      'output.value': JSON.stringify({
        messages: [human, asks, ai({ content: 'One' }), human, ai({ content: 'Two' })],
      }),
    });

    expect(said(step.messagesOut)).toEqual(['assistant Two']);
  });
});

describe('other fields', () => {
  test('have names of their own', () => {
    const step = llm({
      'llm.model_name': 'gpt-4.1-mini-2025',
      'llm.request.model_name': 'gpt-4.1-mini',
      'llm.provider': 'openai',
      'llm.finish_reason': 'tool_calls',
      'llm.token_count.prompt': 10,
      'llm.token_count.completion': 5,
      'llm.token_count.total': 15,
      'llm.token_count.prompt_details.cache_read': 4,
      'llm.token_count.prompt_details.cache_write': 1,
      'llm.token_count.completion_details.reasoning': 2,
      'llm.cost.total': 0.25,
      'session.id': 's',
      'user.id': 'u',
    });

    expect(step.model).toEqual({
      request: 'gpt-4.1-mini',
      response: 'gpt-4.1-mini-2025',
      provider: 'openai',
      responseId: undefined,
      finishReasons: ['tool_call'],
    });
    expect(step.usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 4,
      cacheWriteTokens: 1,
      reasoningTokens: 2,
    });
    expect([step.costUsd, step.conversationId, step.userId]).toEqual([0.25, 's', 'u']);
  });

  test.each<[string, Attributes, string]>([
    ['a node of a graph', { 'graph.node.id': 'planner' }, 'planner'],
    ['its own name rather than the node', { 'agent.name': 'bob', 'graph.node.id': 'planner' }, 'bob'],
    ['LangChain', { metadata: '{"lc_agent_name":"bob"}' }, 'bob'],
  ])('name an agent by %s', (_what, attributes, name) => {
    expect(agent(attributes).agent.name).toBe(name);
  });

  test('find the conversation in the metadata', () => {
    expect(llm({ metadata: '{"thread_id":"t"}' }).conversationId).toBe('t');
  });

  test('give what was retrieved, in order', () => {
    const step = stepOf({
      'openinference.span.kind': 'RETRIEVER',
      'input.value': 'cats',
      'retrieval.documents.1.document.content': 'second',
      'retrieval.documents.0.document.content': 'first',
      'retrieval.documents.0.document.score': 0.5,
    });

    expect([step.input.text, step.output.text]).toEqual(['cats', 'first\n\nsecond']);
  });
});
