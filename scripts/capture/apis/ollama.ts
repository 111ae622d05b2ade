/** Ollama's chat. Its streams are JSON lines, and it counts neither cached nor reasoning tokens. */
import { type Answer, type ModelApi, pieces } from './api.ts';

export const ollama: ModelApi = {
  name: 'ollama',
  requestedModel: 'qwen3',
  respondedModel: 'qwen3',
  reportsReasoning: false,
  isAsked: (path) => path.endsWith('/api/chat'),
  // Streaming is the default of this API alone.
  isStreamed: (_, request) => request.stream !== false,
  linesOnly: true,
  whole: (answer) => chunk(answer, { content: answer.text, ...callsOf(answer) }, { isLast: true }),
  stream: (answer) => [
    ...pieces(answer.text).map((content) => ({ data: chunk(answer, { content }, { isLast: false }) })),
    { data: chunk(answer, { content: '', ...callsOf(answer) }, { isLast: true }) },
  ],
  error: (_, message) => ({ error: message }),
};

function callsOf({ calls }: Answer) {
  return calls.length === 0
    ? {}
    : { tool_calls: calls.map(({ name, args }) => ({ function: { name, arguments: args } })) };
}

function chunk({ model, usage }: Answer, message: object, { isLast }: { readonly isLast: boolean }) {
  return {
    model,
    created_at: '2026-05-05T10:00:00Z',
    message: { role: 'assistant', ...message },
    done: isLast,
    ...(isLast
      ? { done_reason: 'stop', prompt_eval_count: usage.input, eval_count: usage.output, total_duration: 15_000_000 }
      : {}),
  };
}
