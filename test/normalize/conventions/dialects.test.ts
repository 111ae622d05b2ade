/** Cases 1 to 10, 14 and 21: one for each way of writing spans. */
import { describe, expect, test } from 'vitest';
import { logsOf, type SpanSpec, traceOf } from '../support/otlp.ts';
import { stepOf } from '../support/step-of.ts';
import {
  ANSWER,
  ARGS,
  asked,
  type Attributes,
  CALL,
  json,
  loop,
  ONE_CALL,
  onlyTurn,
  QUESTION,
  RESULT,
  said,
  shown,
  turnOf,
} from './support.ts';

const chat = (attributes: Attributes): Partial<SpanSpec> => ({
  name: 'chat m',
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', ...attributes },
});
const AGENT = { attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'desk' } };
const tool = (attributes: Attributes): Partial<SpanSpec> => ({
  attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'is_free', ...attributes },
});
const GENAI_TOOL = tool({
  'gen_ai.tool.call.id': CALL,
  'gen_ai.tool.call.arguments': json(ARGS),
  'gen_ai.tool.call.result': json(RESULT),
});
const FIRST = { in: [said('user', QUESTION)], out: [asked] };
const SECOND = { in: [said('user', QUESTION), asked, shown], out: [said('assistant', ANSWER)] };

describe('case 1: GenAI with messages as JSON text', () => {
  test('is one turn with one tool call', () => {
    const call = ({ in: input, out }: { in: unknown; out: unknown }) =>
      chat({ 'gen_ai.input.messages': json(input), 'gen_ai.output.messages': json(out) });

    expect(turnOf(...loop({ agent: AGENT, first: call(FIRST), tool: GENAI_TOOL, second: call(SECOND) }))).toMatchObject(
      { ...ONE_CALL, llm_calls: 2 },
    );
  });
});

describe('case 2: GenAI with messages as structured values', () => {
  test('is the same turn', () => {
    const call = ({ in: input, out }: { in: unknown; out: unknown }) =>
      chat({ 'gen_ai.input.messages': input, 'gen_ai.output.messages': out });
    const structured = tool({
      'gen_ai.tool.call.id': CALL,
      'gen_ai.tool.call.arguments': ARGS,
      'gen_ai.tool.call.result': RESULT,
    });

    expect(turnOf(...loop({ agent: AGENT, first: call(FIRST), tool: structured, second: call(SECOND) }))).toMatchObject(
      ONE_CALL,
    );
  });
});

describe('case 3: messages as log records, joined by span id', () => {
  test('are the messages of the span', () => {
    const called = [{ id: CALL, type: 'function', function: { name: 'is_free', arguments: json(ARGS) } }];
    const logs = logsOf(
      { span: '1', name: 'gen_ai.user.message', at: 10, body: { content: QUESTION } },
      {
        span: '1',
        name: 'gen_ai.choice',
        at: 20,
        body: { index: 0, message: { tool_calls: called }, finish_reason: 'tool_calls' },
      },
      { span: '3', name: 'gen_ai.user.message', at: 50, body: { content: QUESTION } },
      { span: '3', name: 'gen_ai.assistant.message', at: 51, body: { tool_calls: called } },
      { span: '3', name: 'gen_ai.tool.message', at: 52, body: { id: CALL, content: json(RESULT) } },
      {
        span: '3',
        name: 'gen_ai.choice',
        at: 90,
        body: { index: 0, message: { content: ANSWER }, finish_reason: 'stop' },
      },
    );
    const { traces } = traceOf(...loop({ agent: AGENT, first: chat({}), tool: tool({}), second: chat({}) }));

    expect(onlyTurn({ traces, logs })).toMatchObject(ONE_CALL);
  });
});

describe('case 4: span events whose content is text and not JSON, as Semantic Kernel writes', () => {
  test('are what was asked and answered', () => {
    const turn = turnOf({
      id: '1',
      name: 'chat.completions m',
      attributes: {
        'gen_ai.operation.name': 'chat.completions',
        'gen_ai.request.model': 'm',
        'gen_ai.response.id': 'N/A',
        'gen_ai.response.finish_reason': '[Stop]',
        'gen_ai.response.prompt_tokens': -1,
      },
      events: [
        { name: 'gen_ai.content.prompt', attributes: { 'gen_ai.prompt': QUESTION } },
        { name: 'gen_ai.content.completion', attributes: { 'gen_ai.completion': ANSWER } },
      ],
    });

    expect(turn).toMatchObject({ user_input: QUESTION, final_answer: ANSWER, tokens: { input: null } });
  });
});

describe('case 5: OpenInference with a message for each attribute, and a gap in their numbers', () => {
  test('reads them in the order of their numbers', () => {
    const turn = turnOf({
      id: '1',
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'm',
        'llm.input_messages.10.message.role': 'user',
        'llm.input_messages.10.message.content': QUESTION,
        'llm.input_messages.2.message.role': 'user',
        'llm.input_messages.2.message.content': 'Good morning.',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': ANSWER,
        'llm.token_count.prompt': 12,
        'llm.token_count.completion': 5,
      },
    });

    expect(turn).toMatchObject({ user_input: QUESTION, final_answer: ANSWER, tokens: { input: 12, output: 5 } });
  });
});

describe('case 6: OpenAI Agents through OpenInference, with a hand-off and a failed tool on spans that say OK', () => {
  const kind = (value: string, attributes: Attributes = {}) => ({ 'openinference.span.kind': value, ...attributes });

  test('is one turn whose hand-off is no tool call', () => {
    const turn = turnOf(
      {
        id: 'a',
        name: 'Agent workflow',
        status: 'ok',
        from: 0,
        to: 100,
        attributes: kind('AGENT', { 'input.value': QUESTION, 'output.value': ANSWER }),
      },
      { id: 'b', parent: 'a', name: 'front desk', status: 'ok', from: 1, to: 40, attributes: kind('AGENT') },
      {
        id: '1',
        parent: 'b',
        name: 'is_free',
        status: 'ok',
        from: 5,
        to: 9,
        attributes: kind('TOOL', {
          'tool.name': 'is_free',
          'input.value': json(ARGS),
          'output.value': json({ isError: true, content: [{ type: 'text', text: 'timed out' }] }),
        }),
      },
      {
        id: '2',
        parent: 'b',
        name: 'handoff to Booking',
        status: 'ok',
        from: 20,
        to: 21,
        attributes: kind('TOOL', { 'input.value': 'front desk', 'output.value': 'Booking' }),
      },
      { id: 'c', parent: 'a', name: 'Booking', status: 'ok', from: 41, to: 99, attributes: kind('AGENT') },
    );

    expect(turn).toMatchObject({
      user_input: QUESTION,
      final_answer: ANSWER,
      error: null,
      tool_calls: [{ name: 'is_free', args: ARGS, error: 'timed out' }],
    });
    expect(turn.tool_calls).toHaveLength(1);
  });
});

describe('case 7: OpenLLMetry with flat prompts', () => {
  test('is one turn with one tool call', () => {
    const flat = (attributes: Attributes) => ({
      name: 'openai.chat',
      attributes: { 'llm.request.type': 'chat', 'gen_ai.request.model': 'm', ...attributes },
    });
    const called = (prefix: string) => ({
      [`${prefix}.role`]: 'assistant',
      [`${prefix}.tool_calls.0.id`]: CALL,
      [`${prefix}.tool_calls.0.name`]: 'is_free',
      [`${prefix}.tool_calls.0.arguments`]: json(ARGS),
    });
    const user = { 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': QUESTION };

    const turn = turnOf(
      ...loop({
        agent: {
          name: 'desk.workflow',
          attributes: { 'traceloop.span.kind': 'workflow', 'traceloop.entity.name': 'desk' },
        },
        first: flat({
          ...user,
          ...called('gen_ai.completion.0'),
          'gen_ai.usage.prompt_tokens': 9,
          'gen_ai.usage.completion_tokens': 2,
        }),
        tool: {
          name: 'is_free.tool',
          attributes: {
            'traceloop.span.kind': 'tool',
            'traceloop.entity.name': 'is_free',
            'traceloop.entity.input': json({ args: [], kwargs: ARGS }),
            'traceloop.entity.output': json(RESULT),
          },
        },
        second: flat({
          ...user,
          ...called('gen_ai.prompt.1'),
          'gen_ai.prompt.2.role': 'tool',
          'gen_ai.prompt.2.tool_call_id': CALL,
          'gen_ai.prompt.2.content': json(RESULT),
          'gen_ai.completion.0.role': 'assistant',
          'gen_ai.completion.0.content': ANSWER,
        }),
      }),
    );

    expect(turn).toMatchObject({ ...ONE_CALL, llm_calls: 2, tokens: { input: 9, output: 2 } });
  });
});

describe('case 8: the Vercel AI SDK with one tool call', () => {
  const history = [
    { role: 'user', content: [{ type: 'text', text: QUESTION }] },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: CALL, toolName: 'is_free', input: ARGS }] },
  ];
  const legacy = (version: { readonly args: string; readonly result: unknown; readonly tokens: Attributes }) =>
    loop({
      agent: {
        name: 'ai.generateText',
        scope: 'ai',
        attributes: {
          'ai.operationId': 'ai.generateText',
          'ai.telemetry.functionId': 'desk',
          'ai.prompt': json({ prompt: QUESTION }),
          'ai.response.text': ANSWER,
        },
      },
      first: {
        name: 'ai.generateText.doGenerate',
        scope: 'ai',
        attributes: {
          'ai.operationId': 'ai.generateText.doGenerate',
          'ai.prompt.messages': json(history.slice(0, 1)),
          'ai.response.toolCalls': json([
            { toolCallType: 'function', toolCallId: CALL, toolName: 'is_free', [version.args]: json(ARGS) },
          ]),
          'ai.response.finishReason': 'tool-calls',
        },
      },
      tool: {
        name: 'ai.toolCall',
        scope: 'ai',
        attributes: {
          'ai.operationId': 'ai.toolCall',
          'ai.toolCall.name': 'is_free',
          'ai.toolCall.id': CALL,
          'ai.toolCall.args': json(ARGS),
          'ai.toolCall.result': json(RESULT),
        },
      },
      second: {
        name: 'ai.generateText.doGenerate',
        scope: 'ai',
        attributes: {
          'ai.operationId': 'ai.generateText.doGenerate',
          'ai.prompt.messages': json([...history, { role: 'tool', content: [version.result] }]),
          'ai.response.text': ANSWER,
          'ai.response.finishReason': 'stop',
          ...version.tokens,
        },
      },
    });
  const result = { type: 'tool-result', toolCallId: CALL, toolName: 'is_free' };

  test.each([
    [
      '4',
      {
        args: 'args',
        result: { ...result, result: RESULT },
        tokens: { 'ai.usage.promptTokens': 7, 'ai.usage.completionTokens': 3 },
      },
    ],
    [
      '5',
      {
        args: 'input',
        result: { ...result, output: { type: 'json', value: RESULT } },
        tokens: { 'ai.usage.promptTokens': 7, 'ai.usage.completionTokens': 3 },
      },
    ],
    [
      '6',
      {
        args: 'input',
        result: { ...result, output: { type: 'json', value: RESULT } },
        tokens: {
          'ai.usage.inputTokens': 7,
          'ai.usage.outputTokens': 3,
          'ai.usage.inputTokenDetails.cacheReadTokens': 2,
        },
      },
    ],
  ])('version %s', (_version, written) => {
    expect(turnOf(...legacy(written))).toMatchObject({ ...ONE_CALL, llm_calls: 2, tokens: { input: 7, output: 3 } });
  });

  test('version 7: the root has the answer first, then the calls of the turn', () => {
    const root = {
      role: 'assistant',
      parts: [{ type: 'text', content: ANSWER }, ...asked.parts, ...shown.parts],
    };
    const turn = turnOf(
      ...loop({
        agent: {
          name: 'invoke_agent desk',
          scope: 'gen_ai',
          attributes: {
            ...AGENT.attributes,
            'gen_ai.input.messages': json([said('user', QUESTION)]),
            'gen_ai.output.messages': json([root]),
          },
        },
        first: chat({ 'gen_ai.input.messages': json(FIRST.in), 'gen_ai.output.messages': json(FIRST.out) }),
        tool: GENAI_TOOL,
        second: chat({ 'gen_ai.input.messages': json(SECOND.in), 'gen_ai.output.messages': json(SECOND.out) }),
      }),
    );

    expect(turn).toMatchObject(ONE_CALL);
  });
});

describe('case 9: LangSmith', () => {
  test('goes by its own kind where the operation that it derives is wrong', () => {
    const retriever = stepOf({ 'langsmith.span.kind': 'retriever', 'gen_ai.operation.name': 'embeddings' });
    const prompt = stepOf({ 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' });

    expect([retriever.kind, prompt.kind]).toEqual(['retrieval', 'step']);
  });

  test('is one turn with one tool call', () => {
    const run = (kind: string, attributes: Attributes) => ({
      attributes: { 'langsmith.span.kind': kind, 'langsmith.metadata.thread_id': 'thread-7', ...attributes },
    });
    const human = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'HumanMessage'],
      kwargs: { content: QUESTION },
    };
    const ai = (kwargs: Attributes) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessage'],
      kwargs,
    });
    const request = ai({ content: '', tool_calls: [{ id: CALL, name: 'is_free', args: ARGS, type: 'tool_call' }] });
    const generation = (message: unknown) => json({ generations: [[{ text: '', message }]] });

    const turn = turnOf(
      ...loop({
        agent: {
          name: 'desk',
          ...run('chain', {
            'gen_ai.prompt': json({ input: QUESTION }),
            'gen_ai.completion': json({ output: ANSWER }),
          }),
        },
        first: run('llm', {
          'gen_ai.operation.name': 'chat',
          'gen_ai.prompt': json({ messages: [[human]] }),
          'gen_ai.completion': generation(request),
          'gen_ai.usage.input_tokens': 4,
          'gen_ai.usage.output_tokens': 1,
        }),
        tool: {
          name: 'is_free',
          ...run('tool', {
            'gen_ai.prompt': json({ input: json(ARGS) }),
            'gen_ai.completion': json({ output: json(RESULT) }),
          }),
        },
        second: run('llm', {
          'gen_ai.operation.name': 'chat',
          'gen_ai.prompt': json({ messages: [[human, request]] }),
          'gen_ai.completion': generation(ai({ content: ANSWER })),
        }),
      }),
    );

    expect(turn).toMatchObject({ ...ONE_CALL, tokens: { input: 4, output: 1 } });
  });
});

describe('case 10: Google ADK', () => {
  const adk = (name: string, attributes: Attributes): Partial<SpanSpec> => ({
    name,
    scope: 'gcp.vertex.agent',
    attributes: { 'gen_ai.system': 'gcp.vertex.agent', ...attributes },
  });
  const model = (contents: readonly object[], parts: readonly object[]) =>
    adk('call_llm', {
      'gen_ai.request.model': 'gemini',
      'gcp.vertex.agent.session_id': 's-1',
      'gcp.vertex.agent.llm_request': json({ contents, config: {} }),
      'gcp.vertex.agent.llm_response': json({
        content: { role: 'model', parts },
        usage_metadata: { prompt_token_count: 6, candidates_token_count: 2 },
      }),
    });
  const user = { role: 'user', parts: [{ text: QUESTION }] };
  const request = { function_call: { id: CALL, name: 'is_free', args: ARGS } };

  test('is one turn, without the synthetic span of merged tools, and "{}" is no content', () => {
    const turn = turnOf(
      ...loop({
        agent: adk('invoke_agent desk', {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'desk',
          'gen_ai.conversation.id': 's-1',
        }),
        first: model([user], [request]),
        tool: adk('execute_tool is_free', {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'is_free',
          'gen_ai.tool.call.id': CALL,
          'gcp.vertex.agent.tool_call_args': json(ARGS),
          'gcp.vertex.agent.tool_response': json(RESULT),
          'gcp.vertex.agent.llm_request': '{}',
          'gcp.vertex.agent.llm_response': '{}',
        }),
        second: model(
          [
            user,
            { role: 'model', parts: [request] },
            { role: 'user', parts: [{ function_response: { id: CALL, name: 'is_free', response: RESULT } }] },
          ],
          [{ text: ANSWER }],
        ),
      }),
      {
        id: '4',
        parent: 'a',
        from: 41,
        to: 42,
        ...adk('execute_tool (merged tools)', {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': '(merged tools)',
        }),
      },
    );

    expect(turn).toMatchObject({ ...ONE_CALL, llm_calls: 2 });
    expect(turn.tool_calls).toHaveLength(1);
  });
});

describe('case 14: one tool call seen by the framework, the MCP client and the MCP server', () => {
  test('is one tool call', () => {
    const mcp = (attributes: Attributes = {}) => ({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'is_free',
      ...attributes,
    });
    const turn = turnOf(
      { id: 'a', from: 0, to: 100, ...AGENT },
      { id: '1', parent: 'a', from: 10, to: 60, ...GENAI_TOOL },
      { id: '2', parent: '1', name: 'tools/call is_free', from: 15, to: 55, attributes: mcp() },
      {
        id: '3',
        parent: '2',
        name: 'tools/call is_free',
        from: 20,
        to: 50,
        attributes: mcp({ 'mcp.session.id': 'transport' }),
        scope: 'server',
      },
    );

    expect(turn.tool_calls).toEqual(ONE_CALL.tool_calls);
  });
});

describe('case 21: an OpenLIT model call that names the tools it asks for', () => {
  test('is a model call', () => {
    const step = stepOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.tool.name': 'is_free, is_free',
      'gen_ai.tool.call.id': `${CALL}, ${CALL}`,
      'gen_ai.tool.args': json(ARGS),
    });

    expect([step.kind, step.tool]).toEqual(['llm', undefined]);
  });
});
