/** OpenAI's chat completions. */
import { type Answer, type ModelApi, pieces, type StreamEvent } from './api.ts';

const CREATED = 1_778_000_000;

export const openaiChat: ModelApi = {
  name: 'openai-chat',
  requestedModel: 'gpt-4.1-mini',
  respondedModel: 'gpt-4.1-mini-2025-04-14',
  reportsReasoning: true,
  isAsked: (path) => path.endsWith('/chat/completions'),
  isStreamed: (_, request) => request.stream === true,
  whole: (answer) => ({
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion',
    created: CREATED,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text === '' ? null : answer.text,
          refusal: null,
          ...(answer.calls.length === 0 ? {} : { tool_calls: answer.calls.map(toolCall) }),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    usage: usageOf(answer),
    service_tier: 'default',
    system_fingerprint: 'fp_scripted',
  }),
  stream: (answer) => {
    const chunk = (delta: unknown, finish: string | null = null): StreamEvent => ({
      data: {
        ...head(answer),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        usage: null,
      },
    });
    return [
      chunk({ role: 'assistant', content: answer.text === '' ? null : '', refusal: null }),
      ...pieces(answer.text).map((content) => chunk({ content })),
      ...answer.calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, ...toolCall({ ...call, args: undefined }) }] }),
        ...pieces(JSON.stringify(call.args)).map((part) =>
          chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
      chunk({}, finishReason(answer)),
      { data: { ...head(answer), choices: [], usage: usageOf(answer) } },
    ];
  },
  endOfStream: '[DONE]',
  error: (_, message) => ({ error: { message, type: 'server_error', param: null, code: null } }),
};

function head(answer: Answer) {
  return {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion.chunk',
    created: CREATED,
    model: answer.model,
    service_tier: 'default',
    system_fingerprint: 'fp_scripted',
  };
}

function toolCall(call: { readonly id: string; readonly name: string; readonly args: unknown }) {
  const text = call.args === undefined ? '' : JSON.stringify(call.args);
  return { id: call.id, type: 'function', function: { name: call.name, arguments: text } };
}

function finishReason(answer: Answer): string {
  return answer.calls.length === 0 ? 'stop' : 'tool_calls';
}

function usageOf({ usage }: Answer) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
