/** An export of one turn by the GenAI conventions, and the script behind it. */
import type { Json } from '../../scripts/capture/otlp-json.ts';
import { behavioursOf } from '../../scripts/conformance/behaviours.ts';
import type { Script } from '../../scripts/conformance/compare.ts';

const behaviour = behavioursOf('none', { reasoning: true }).find(({ name }) => name === 'unrecovered');
if (behaviour === undefined) throw new Error('the behaviour is gone');
const [turn] = behaviour.turns;
if (turn === undefined) throw new Error('the turn is gone');

export const SCRIPT: Script = {
  turns: behaviour.turns,
  agent: behaviour.agent.name,
  inner: null,
  conversationId: 'conv_0123456789ab',
  served: turn.replies.map((reply) => ({ turn: 0, reply })),
  answers: new Map([[0, turn.finalAnswer]]),
};

export type Attributes = Readonly<Record<string, string | number>>;

/** `change` gets the attributes of each span, by the span's name. */
export function exportOf(change: (name: string, attributes: Attributes) => Attributes = (_, given) => given): Json {
  if (turn === undefined) return {};
  const [call] = turn.tools;
  const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': SCRIPT.agent };
  const spans = [
    span('agent', { ...agent, 'gen_ai.conversation.id': SCRIPT.conversationId }, change),
    ...turn.replies.map((reply, at) => {
      if (reply.kind === 'error') return {};
      const asked = reply.calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args }));
      const said = reply.text === '' ? [] : [{ type: 'text', content: reply.text }];
      const attributes = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'm',
        'gen_ai.usage.input_tokens': reply.usage.input,
        'gen_ai.usage.output_tokens': reply.usage.output,
        'gen_ai.input.messages': messages('user', [{ type: 'text', content: turn.user }]),
        'gen_ai.output.messages': messages('assistant', [...said, ...asked]),
      };
      return span(`chat ${at}`, attributes, change);
    }),
    span(
      'tool',
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call?.name ?? '',
        'gen_ai.tool.call.id': call?.id ?? '',
        'gen_ai.tool.call.arguments': JSON.stringify(call?.args),
        'error.type': 'LedgerLocked',
      },
      change,
      call?.error,
    ),
  ];
  return { resourceSpans: [{ scopeSpans: [{ scope: { name: 'example' }, spans }] }] };
}

let spans = 0;
function span(
  name: string,
  given: Attributes,
  change: (name: string, given: Attributes) => Attributes,
  error?: string,
) {
  spans += 1;
  const attributes = Object.entries(change(name, given)).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
  const isRoot = name === 'agent';
  const order = isRoot ? 0 : name === 'tool' ? 15 : Number(name.at(-1)) * 20 + 1;
  return {
    traceId: 'a'.repeat(32),
    spanId: isRoot ? 'b'.repeat(16) : String(spans).padStart(16, '0'),
    ...(isRoot ? {} : { parentSpanId: 'b'.repeat(16) }),
    name,
    startTimeUnixNano: `17780000000${String(order).padStart(2, '0')}000000`,
    endTimeUnixNano: `17780000000${String(isRoot ? 99 : order + 3).padStart(2, '0')}000000`,
    attributes,
    ...(error === undefined ? {} : { status: { code: 2, message: error } }),
  };
}

function messages(role: string, parts: readonly object[]): string {
  return JSON.stringify([{ role, parts }]);
}
