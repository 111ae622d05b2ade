/** Turns for tests of the engine. */
import type { TrafficSpan } from '../simulation/traffic.ts';

/** A turn of three spans: a root, a model call, and a tool call. */
export function smallTurn(
  trace: string,
  options: {
    readonly conversation?: string;
    readonly answer?: string;
    readonly end?: boolean;
    readonly version?: string;
  } = {},
) {
  const traceId = trace.padEnd(32, '0');
  const id = (name: string) => `${trace.slice(0, 8)}${name}`.padEnd(16, '0');
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const common = options.conversation === undefined ? [] : [text('gen_ai.conversation.id', options.conversation)];
  const base = {
    traceId,
    kind: 1,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    status: { code: 0 },
  };
  const answer = options.answer ?? 'The room is free at ten. Shall I book it?';
  const root: TrafficSpan = {
    ...base,
    spanId: id('aa'),
    name: 'invoke_agent helper',
    attributes: [
      ...common,
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', 'helper'),
      ...(options.end === true ? [{ key: 'assay.conversation.end', value: { boolValue: true } }] : []),
    ],
  };
  const chat: TrafficSpan = {
    ...base,
    spanId: id('bb'),
    parentSpanId: root.spanId,
    name: 'chat model',
    attributes: [
      ...common,
      text('gen_ai.operation.name', 'chat'),
      text(
        'gen_ai.input.messages',
        JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Is the room free?' }] }]),
      ),
      text(
        'gen_ai.output.messages',
        JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: answer }], finish_reason: 'stop' }]),
      ),
    ],
  };
  const failedTool: TrafficSpan = {
    ...base,
    spanId: id('cc'),
    parentSpanId: root.spanId,
    name: 'execute_tool lookup',
    attributes: [
      ...common,
      text('gen_ai.operation.name', 'execute_tool'),
      text('gen_ai.tool.name', 'lookup'),
      text('error.type', 'Timeout'),
    ],
    status: { code: 2, message: 'no answer' },
  };
  return { root, chat, failedTool };
}
