/**
 * DSPy offers its tools in the prompt, and reads the model's text field by field: `[[ ## next_tool_name ## ]]` and a
 * line for each value.
 */
import type { Reply } from './script.ts';

export type FieldsAsked = 'tool' | 'answer';

/** The fields that a prompt asks for; undefined for a prompt that is not DSPy's. */
export function asksForFields(messages: unknown): FieldsAsked | undefined {
  const text = JSON.stringify(messages ?? '');
  if (!text.includes('[[ ## completed ## ]]')) return undefined;
  return text.includes('[[ ## next_tool_name ## ]]') ? 'tool' : 'answer';
}

/** Tokens of the call that says `finish`, which the script does not have. */
const FINISH_USAGE = { input: 45_001, output: 27_001, cached: 15_001, reasoning: 13_001 };

export function inFields(reply: Extract<Reply, { readonly kind: 'answer' }>, asked: FieldsAsked): Reply {
  if (asked === 'answer') return { ...reply, text: written({ reasoning: 'All is known.', answer: reply.text }) };
  const [call] = reply.calls;
  const fields = {
    next_thought: 'One step further.',
    next_tool_name: call?.name ?? 'finish',
    next_tool_args: JSON.stringify(call?.args ?? {}),
  };
  const isFinish = call === undefined;
  return {
    ...reply,
    text: written(fields),
    calls: [],
    ...(isFinish ? { id: `${reply.id}-finish`, usage: FINISH_USAGE } : {}),
  };
}

function written(fields: Readonly<Record<string, string>>): string {
  const parts = Object.entries(fields).map(([name, value]) => `[[ ## ${name} ## ]]\n${value}`);
  return [...parts, '[[ ## completed ## ]]'].join('\n\n');
}
