import { describe, expect, test } from 'vitest';
import { toolMessageIn } from '../../src/normalize/langchain.ts';
import { decodeMessages } from '../../src/normalize/chat-messages.ts';
import { said } from './support/said.ts';

function decode(value: unknown, role: 'user' | 'assistant' = 'user'): readonly string[] {
  return said(decodeMessages(JSON.stringify(value), role).messages);
}

const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', name],
  kwargs,
});

describe('what a model was asked, raw, as', () => {
  test.each<[string, unknown, readonly string[]]>([
    [
      'Anthropic writes it, with the system beside the messages and the results of several tools in one',
      {
        model: 'claude',
        system: [{ type: 'text', text: 'Be kind.' }],
        messages: [
          { role: 'user', content: 'Compare.' },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'a', name: 'get', input: { n: 1 } },
              { type: 'tool_use', id: 'b', name: 'get', input: { n: 2 } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'a', content: '[1]' },
              { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: '[2]' }] },
            ],
          },
        ],
      },
      ['system Be kind.', 'user Compare.', 'assistant get#a({"n":1}) get#b({"n":2})', 'tool #a=[1] #b=[2]'],
    ],
    [
      'the Responses API writes it',
      {
        model: 'gpt',
        instructions: 'Be kind.',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
          { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"q":1}' },
          { type: 'function_call_output', call_id: 'c1', output: '{"ok":true}' },
        ],
      },
      ['system Be kind.', 'user hi', 'assistant (hm)', 'assistant f#c1({"q":1})', 'tool #c1={"ok":true}'],
    ],
    [
      'the Responses API continues an answer: results only, which are not one message',
      { model: 'gpt', input: [{ type: 'function_call_output', call_id: 'c1', output: '7' }] },
      ['tool #c1=7'],
    ],
    ['the Responses API allows, plain text', { model: 'gpt', input: 'hi' }, ['user hi']],
    [
      'the OpenAI Agents SDK writes it',
      [
        { role: 'user', content: 'hi' },
        { type: 'function_call', id: 'fc_1', callId: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_result', name: 'f', callId: 'c1', output: { type: 'text', text: '{"ok":true}' } },
      ],
      ['user hi', 'assistant f#c1({})', 'tool #c1={"ok":true}'],
    ],
    [
      'Gemini writes it',
      {
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          { role: 'model', parts: [{ text: 'hm', thought: true }, { functionCall: { name: 'f', args: { q: 1 } } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'f', response: { ok: true } } }] },
        ],
        config: { systemInstruction: { parts: [{ text: 'Be kind.' }] } },
      },
      ['system Be kind.', 'user hi', 'assistant (hm) f#undefined({"q":1})', 'tool #undefined={"ok":true}'],
    ],
    [
      'Bedrock writes it',
      {
        system: [{ text: 'Be kind.' }],
        messages: [
          { role: 'user', content: [{ text: 'hi' }] },
          { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'f', input: {} } }] },
          { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ json: { ok: true } }] } }] },
        ],
      },
      ['system Be kind.', 'user hi', 'assistant f#t({})', 'tool #t={"ok":true}'],
    ],
    [
      'LangChain hands it to a model: a list of conversations',
      {
        messages: [
          [
            lc('SystemMessage', { content: [{ type: 'text', text: 'Be kind.' }] }),
            lc('HumanMessage', { content: 'hi' }),
            lc('AIMessage', { content: '', tool_calls: [{ name: 'f', args: { q: 1 }, id: 'c1', type: 'tool_call' }] }),
            lc('ToolMessage', { content: '{"ok":true}', tool_call_id: 'c1', name: 'f' }),
          ],
        ],
      },
      ['system Be kind.', 'user hi', 'assistant f#c1({"q":1})', 'tool #c1={"ok":true}'],
    ],
    [
      'LangChain for Python dumps it',
      {
        messages: [
          { type: 'human', data: { content: 'hi' } },
          { type: 'ai', content: '', tool_calls: [{ name: 'f', args: {}, id: 'c1' }] },
          { type: 'tool', content: [{ type: 'text', text: 'ok' }], tool_call_id: 'c1' },
        ],
      },
      ['user hi', 'assistant f#c1({})', 'tool #c1="ok"'],
    ],
    [
      'LangChain allows, tuples',
      {
        messages: [
          ['system', 'Be kind.'],
          ['human', 'hi'],
        ],
      },
      ['system Be kind.', 'user hi'],
    ],
    ['one tuple', ['human', 'hi'], ['user hi']],
  ])('%s', (_what, asked, expected) => {
    expect(decode(asked)).toEqual(expected);
  });
});

describe('what a model answered, raw, as', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"q":1}' } };
  test.each<[string, unknown, readonly string[]]>([
    [
      'chat completions give it',
      {
        choices: [
          { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
        ],
      },
      ['assistant f#c1({"q":1}) [tool_call]'],
    ],
    [
      'chat completions refuse',
      { choices: [{ message: { role: 'assistant', content: null, refusal: 'No.' }, finish_reason: 'stop' }] },
      ['assistant No. [stop]'],
    ],
    [
      'chat completions give it, dumped by Python’s client with all that is null',
      {
        choices: [
          {
            message: { role: 'assistant', content: 'hi', function_call: null, tool_calls: null },
            finish_reason: 'stop',
          },
        ],
      },
      ['assistant hi [stop]'],
    ],
    ['completions give it', { choices: [{ text: 'hi', finish_reason: 'length' }] }, ['assistant hi [length]']],
    [
      'the Responses API gives it',
      {
        status: 'completed',
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi', annotations: [] }] },
        ],
      },
      ['assistant (hm)', 'assistant hi'],
    ],
    [
      'the Responses API breaks off',
      {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'h' }] }],
      },
      ['assistant h [length]'],
    ],
    [
      'Anthropic gives it',
      { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hi' }], stop_reason: 'end_turn' },
      ['assistant hi [stop]'],
    ],
    [
      'Gemini gives it',
      { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }] },
      ['assistant hi [stop]'],
    ],
    [
      'Bedrock gives it',
      { output: { message: { role: 'assistant', content: [{ text: 'hi' }] } }, stopReason: 'end_turn' },
      ['assistant hi [stop]'],
    ],
    [
      'Ollama gives it',
      { model: 'm', message: { role: 'assistant', content: 'hi' }, done_reason: 'stop' },
      ['assistant hi [stop]'],
    ],
    [
      'LangChain gives it',
      {
        generations: [
          [
            {
              text: '',
              message: lc('AIMessageChunk', { content: '', tool_calls: [{ name: 'f', args: { q: 1 }, id: 'c1' }] }),
              generationInfo: { finish_reason: 'tool_calls' },
            },
          ],
        ],
      },
      ['assistant f#c1({"q":1}) [tool_call]'],
    ],
    [
      'LangChain gives it where the model is no chat model',
      { generations: [[{ text: 'hi', generation_info: { finish_reason: 'stop' } }]] },
      ['assistant hi [stop]'],
    ],
    [
      'LangChain with Anthropic gives it: the call is in the content and beside it',
      lc('AIMessage', {
        content: [
          { type: 'text', text: 'Wait.' },
          { type: 'tool_use', id: 'c1', name: 'f', input: {} },
        ],
        tool_calls: [{ name: 'f', args: {}, id: 'c1' }],
        response_metadata: { stop_reason: 'tool_use' },
      }),
      ['assistant Wait. f#c1({}) [tool_call]'],
    ],
    [
      'a node of a LangGraph gives it',
      { output: [{ lg_name: 'Command', update: { messages: [lc('AIMessage', { content: 'hi' })] }, goto: [] }] },
      ['assistant hi'],
    ],
  ])('%s', (_what, answered, expected) => {
    expect(decode(answered, 'assistant')).toEqual(expected);
  });

  test('is not mistaken for a message nested in itself, however deep', () => {
    let value: unknown = { role: 'assistant', content: 'hi' };
    for (let depth = 0; depth < 3_000; depth++) value = { message: value, output: value === undefined ? [] : {} };

    expect(decode(value, 'assistant').length).toBeLessThanOrEqual(1);
  });
});

describe('the message of a tool', () => {
  const message = lc('ToolMessage', { content: '{"ok":true}', tool_call_id: 'c1', name: 'f', status: 'error' });

  test.each([
    ['alone', message],
    ['as the output of a run', { output: message }],
    ['in what a node of tools gave back', { messages: [message] }],
    ['in a command', { output: { lg_name: 'Command', update: { messages: [message] } } }],
  ])('is found %s', (_where, value) => {
    expect(toolMessageIn(value)).toMatchObject({ name: 'f', tool_call_id: 'c1', status: 'error' });
  });

  test.each([
    ['a model', lc('AIMessage', { content: 'hi' })],
    ['a tool that has an output', { output: { rows: 3 } }],
    ['several tools', { messages: [message, message] }],
  ])('is not what %s said', (_what, value) => {
    expect(toolMessageIn(value)).toBeUndefined();
  });
});
