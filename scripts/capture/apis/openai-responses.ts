/** OpenAI's Responses API. */
import { type Answer, type ModelApi, pieces, type StreamEvent } from './api.ts';

export const openaiResponses: ModelApi = {
  name: 'openai-responses',
  requestedModel: 'gpt-4.1-mini',
  respondedModel: 'gpt-4.1-mini-2025-04-14',
  reportsReasoning: true,
  isAsked: (path) => path.endsWith('/responses'),
  isStreamed: (_, request) => request.stream === true,
  whole: (answer) => response(answer, 'completed', outputOf(answer)),
  stream: (answer) => {
    let sequence = 0;
    const event = (type: string, data: object): StreamEvent => ({
      event: type,
      data: { type, sequence_number: sequence++, ...data },
    });
    return [
      event('response.created', { response: response(answer, 'in_progress', []) }),
      event('response.in_progress', { response: response(answer, 'in_progress', []) }),
      ...outputOf(answer).flatMap((item, output_index) => [
        event('response.output_item.added', { output_index, item: started(item) }),
        ...(item.type === 'message' ? textEvents(answer, item.id, output_index) : callEvents(item, output_index)).map(
          ([type, data]) => event(type, data),
        ),
        event('response.output_item.done', { output_index, item }),
      ]),
      event('response.completed', { response: response(answer, 'completed', outputOf(answer)) }),
    ];
  },
  error: (_, message) => ({ error: { message, type: 'server_error', param: null, code: 'server_error' } }),
};

type Item = ReturnType<typeof message> | ReturnType<typeof functionCall>;
type Named = readonly [type: string, data: object];

function outputOf(answer: Answer): readonly Item[] {
  const said = answer.text === '' ? [] : [message(answer)];
  return [...said, ...answer.calls.map(functionCall)];
}

function message(answer: Answer) {
  return {
    type: 'message' as const,
    id: `msg_${answer.id}`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: answer.text, annotations: [], logprobs: [] }],
  };
}

function functionCall(call: Answer['calls'][number]) {
  return {
    type: 'function_call' as const,
    id: call.id.replace('call_', 'fc_'),
    status: 'completed',
    call_id: call.id,
    name: call.name,
    arguments: JSON.stringify(call.args),
  };
}

function started(item: Item) {
  return item.type === 'message'
    ? { ...item, status: 'in_progress', content: [] }
    : { ...item, status: 'in_progress', arguments: '' };
}

function textEvents(answer: Answer, item_id: string, output_index: number): readonly Named[] {
  const place = { item_id, output_index, content_index: 0 };
  const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  return [
    ['response.content_part.added', { ...place, part: part('') }],
    ...pieces(answer.text).map((delta): Named => ['response.output_text.delta', { ...place, delta, logprobs: [] }]),
    ['response.output_text.done', { ...place, text: answer.text, logprobs: [] }],
    ['response.content_part.done', { ...place, part: part(answer.text) }],
  ];
}

function callEvents(item: ReturnType<typeof functionCall>, output_index: number): readonly Named[] {
  const place = { item_id: item.id, output_index };
  return [
    ...pieces(item.arguments).map((delta): Named => ['response.function_call_arguments.delta', { ...place, delta }]),
    ['response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments }],
  ];
}

function response({ id, model, usage }: Answer, status: string, output: readonly unknown[]) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1_778_000_000,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage:
      status === 'completed'
        ? {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cached },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning },
            total_tokens: usage.input + usage.output,
          }
        : null,
    metadata: {},
  };
}
