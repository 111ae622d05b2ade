/** Cases 11 to 13: frameworks with their own forms, in all their versions. */
import { describe, expect, test } from 'vitest';
import { logsOf, type SpanSpec, traceOf } from '../support/otlp.ts';
import {
  ANSWER,
  ARGS,
  asked,
  type Attributes,
  CALL,
  inspected,
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

describe('case 11: AWS Strands', () => {
  const strands = (name: string, attributes: Attributes, events: SpanSpec['events'] = []): Partial<SpanSpec> => ({
    name,
    scope: 'strands.telemetry.tracer',
    attributes: { 'gen_ai.system': 'strands-agents', 'gen_ai.event.start_time': '2026-01-01T00:00:00Z', ...attributes },
    events,
  });
  const agent = (usage: Attributes) =>
    strands('invoke_agent desk', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'desk', ...usage });
  const model = (events: SpanSpec['events']) =>
    strands(
      'chat',
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'm',
        'gen_ai.usage.input_tokens': 5,
        'gen_ai.usage.output_tokens': 2,
      },
      events,
    );
  const tool = (events: SpanSpec['events']) =>
    strands(
      'execute_tool is_free',
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'is_free',
        'gen_ai.tool.call.id': CALL,
        'gen_ai.tool.status': 'success',
      },
      events,
    );
  // Sums over the lifetime of the agent object, which must not be counted.
  const CUMULATIVE = { 'gen_ai.usage.input_tokens': 500, 'gen_ai.usage.output_tokens': 200 };

  test('with an event for each message, in Bedrock’s blocks', () => {
    const user = { name: 'gen_ai.user.message', attributes: { content: json([{ text: QUESTION }]) } };
    const use = [{ toolUse: { toolUseId: CALL, name: 'is_free', input: ARGS } }];
    const result = {
      name: 'gen_ai.tool.message',
      attributes: {
        content: json([{ toolResult: { toolUseId: CALL, status: 'success', content: [{ json: RESULT }] } }]),
      },
    };

    expect(
      turnOf(
        ...loop({
          agent: agent(CUMULATIVE),
          first: model([
            user,
            { name: 'gen_ai.choice', attributes: { message: json(use), finish_reason: 'tool_use' } },
          ]),
          tool: tool([
            { name: 'gen_ai.tool.message', attributes: { role: 'tool', content: json(ARGS), id: CALL } },
            { name: 'gen_ai.choice', attributes: { message: json([{ json: RESULT }]), id: CALL } },
          ]),
          second: model([
            user,
            { name: 'gen_ai.assistant.message', attributes: { content: json(use) } },
            result,
            { name: 'gen_ai.choice', attributes: { message: json([{ text: ANSWER }]), finish_reason: 'end_turn' } },
          ]),
        }),
      ),
    ).toMatchObject({ ...ONE_CALL, llm_calls: 2, tokens: { input: 10, output: 4 } });
  });

  test('with one event of details for each attribute', () => {
    const details = (attributes: Attributes) => ({ name: 'gen_ai.client.inference.operation.details', attributes });

    expect(
      turnOf(
        ...loop({
          agent: agent(CUMULATIVE),
          first: model([
            details({ 'gen_ai.input.messages': json([said('user', QUESTION)]) }),
            details({ 'gen_ai.output.messages': json([asked]) }),
          ]),
          tool: tool([
            details({ 'gen_ai.input.messages': json([{ role: 'tool', parts: asked.parts }]) }),
            details({ 'gen_ai.output.messages': json([shown]) }),
          ]),
          second: model([
            details({ 'gen_ai.input.messages': json([said('user', QUESTION), asked, shown]) }),
            details({ 'gen_ai.output.messages': json([said('assistant', ANSWER)]) }),
          ]),
        }),
      ),
    ).toMatchObject({ ...ONE_CALL, tokens: { input: 10, output: 4 } });
  });
});

describe('case 12: Pydantic AI, whose run has the messages of earlier turns too', () => {
  const earlier = [said('user', 'Good morning.'), said('assistant', 'Good morning!')];
  const result = { role: 'user', parts: [{ type: 'tool_call_response', id: CALL, name: 'is_free', result: RESULT }] };
  const messages = [...earlier, said('user', QUESTION), asked, result, said('assistant', ANSWER)];
  const chat = (input: readonly object[], output: readonly object[]): Partial<SpanSpec> => ({
    name: 'chat m',
    scope: 'pydantic-ai',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.input.messages': json(input),
      'gen_ai.output.messages': json(output),
    },
  });
  const run = {
    'pydantic_ai.all_messages': json(messages),
    'pydantic_ai.new_message_index': earlier.length,
    final_result: ANSWER,
  };

  test.each([
    [
      '5',
      {
        name: 'invoke_agent desk',
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'desk',
          'gen_ai.conversation.id': 'c',
          ...run,
        },
      },
      'execute_tool is_free',
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.call.arguments': json(ARGS),
        'gen_ai.tool.call.result': json(RESULT),
      },
    ],
    [
      '2',
      { name: 'agent run', attributes: { agent_name: 'desk', model_name: 'm', ...run } },
      'running tool',
      { tool_arguments: json(ARGS), tool_response: json(RESULT) },
    ],
  ] as const)('format %s', (_format, agent, toolName, tool) => {
    const turn = turnOf(
      ...loop({
        agent: { ...agent, scope: 'pydantic-ai' },
        first: chat(messages.slice(0, 3), [asked]),
        tool: {
          name: toolName,
          scope: 'pydantic-ai',
          attributes: { 'gen_ai.tool.name': 'is_free', 'gen_ai.tool.call.id': CALL, ...tool },
        },
        second: chat(messages.slice(0, 5), [said('assistant', ANSWER)]),
      }),
    );

    expect(turn).toMatchObject({ ...ONE_CALL, llm_calls: 2 });
  });

  test('from the run’s span alone, only what is new belongs to the turn', () => {
    const turn = turnOf({
      id: 'a',
      name: 'invoke_agent desk',
      scope: 'pydantic-ai',
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'desk', ...run },
    });

    expect([turn.user_input, turn.final_answer]).toEqual([QUESTION, ANSWER]);
  });
});

describe('case 13: Claude Code', () => {
  const span = (type: string, attributes: Attributes): Partial<SpanSpec> => ({
    name: `claude_code.${type}`,
    scope: 'com.anthropic.claude_code.tracing',
    attributes: { 'span.type': type, 'session.id': 's-1', ...attributes },
  });
  const trace = (content: { readonly prompt: string; readonly tool: Attributes; readonly output: string }) =>
    traceOf(
      { id: 'a', from: 0, to: 100, ...span('interaction', { user_prompt: content.prompt }) },
      {
        id: '1',
        parent: 'a',
        from: 10,
        to: 20,
        ...span('llm_request', {
          model: 'm',
          input_tokens: 10,
          output_tokens: 4,
          cache_read_tokens: 90,
          query_source: 'sdk',
        }),
      },
      {
        id: '2',
        parent: 'a',
        from: 30,
        to: 40,
        ...span('tool', { tool_name: 'is_free', tool_use_id: CALL, ...content.tool }),
        events: [{ name: 'tool.output', attributes: { output: content.output } }],
      },
      { id: '3', parent: '2', from: 31, to: 39, ...span('tool.execution', { tool_name: 'is_free', success: 'true' }) },
      {
        id: '4',
        parent: 'a',
        from: 50,
        to: 90,
        ...span('llm_request', { model: 'm', input_tokens: 12, output_tokens: 6, query_source: 'sdk' }),
      },
    );
  const answered = (response: string) =>
    logsOf({
      span: 'a',
      name: 'claude_code.assistant_response',
      at: 90,
      attributes: { 'event.name': 'assistant_response', response, query_source: 'sdk' },
    });

  test('with everything switched on', () => {
    const { traces } = trace({ prompt: QUESTION, tool: { tool_input: json(ARGS) }, output: json(RESULT) });
    const source = { traces, logs: answered(ANSWER) };

    expect(onlyTurn(source)).toMatchObject({
      ...ONE_CALL,
      llm_calls: 2,
      // The input excludes the cache: 10 + 90 + 12.
      tokens: { input: 112, output: 10, cached_input: 90 },
    });
    expect(inspected(source)[0]?.conversation_id).toBe('s-1');
  });

  test('with texts redacted: the calls are there, what was said is not', () => {
    const { traces } = trace({ prompt: '<REDACTED>', tool: {}, output: '<REDACTED>' });
    const turn = onlyTurn({ traces, logs: answered('<REDACTED>') });

    expect(turn.tool_calls.map(({ id, name }) => [id, name])).toEqual([[CALL, 'is_free']]);
    expect(turn.tokens).toMatchObject({ input: 112, output: 10 });
    expect(turn.flags).toContain('redacted');
    expect(json(turn)).not.toContain(QUESTION);
  });
});
