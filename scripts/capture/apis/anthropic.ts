/** Anthropic's Messages API. Its input tokens exclude cached ones. */
import { type Answer, type ModelApi, pieces, type StreamEvent } from './api.ts';

export const anthropic: ModelApi = {
  name: 'anthropic',
  requestedModel: 'claude-sonnet-4-5',
  respondedModel: 'claude-sonnet-4-5-20250929',
  reportsReasoning: false,
  isAsked: (path) => path.endsWith('/messages'),
  isStreamed: (_, request) => request.stream === true,
  whole: (answer) => ({ ...message(answer), content: contentOf(answer), ...stop(answer), usage: usageOf(answer) }),
  stream: (answer) => [
    named('message_start', {
      message: {
        ...message(answer),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usageOf(answer), output_tokens: 1 },
      },
    }),
    ...contentOf(answer).flatMap((block, index) => [
      named('content_block_start', {
        index,
        content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
      }),
      ...pieces(block.type === 'text' ? block.text : JSON.stringify(block.input)).map((piece) =>
        named('content_block_delta', {
          index,
          delta:
            block.type === 'text'
              ? { type: 'text_delta', text: piece }
              : { type: 'input_json_delta', partial_json: piece },
        }),
      ),
      named('content_block_stop', { index }),
    ]),
    named('message_delta', { delta: stop(answer), usage: { output_tokens: answer.usage.output } }),
    named('message_stop', {}),
  ],
  error: (_, text) => ({ type: 'error', error: { type: 'api_error', message: text } }),
};

function named(type: string, data: object): StreamEvent {
  return { event: type, data: { type, ...data } };
}

function message(answer: Answer) {
  return { id: `msg_${answer.id}`, type: 'message', role: 'assistant', model: answer.model };
}

function contentOf(answer: Answer) {
  const said = answer.text === '' ? [] : [{ type: 'text' as const, text: answer.text }];
  return [...said, ...answer.calls.map(({ id, name, args }) => ({ type: 'tool_use' as const, id, name, input: args }))];
}

function stop(answer: Answer) {
  return { stop_reason: answer.calls.length === 0 ? 'end_turn' : 'tool_use', stop_sequence: null };
}

function usageOf({ usage }: Answer) {
  return {
    input_tokens: usage.input - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output,
    service_tier: 'standard',
  };
}
