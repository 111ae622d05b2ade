/**
 * Writes a conversation as messages of OpenAI's chat API, in the form that `assay score` reads. Messages have no model,
 * tokens, times and errors of turns.
 */
import { failureIn } from '../model/tool-failure.ts';
import { answersElsewhere, exchangesOf, textOf } from './exchanges.ts';
import type { PlainConversation, PlainToolCall, PlainTurn } from './plain-conversation.ts';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** The conversation's own fields, without the turns. Fields that are not known are left out. */
export function headOf(conversation: PlainConversation) {
  const {
    conversation_id,
    agent,
    agent_version: version,
    environment,
    user_id: user,
    state,
    truth,
    started_at,
  } = conversation;
  const fields = { agent, version, environment, user, state, truth, started_at };
  return { conversation_id, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) };
}

export function toMessages({ instructions, turns }: PlainConversation): readonly ChatMessage[] {
  return [
    ...(instructions === null ? [] : [{ role: 'system', content: instructions } as const]),
    ...turns.flatMap(turnMessages),
  ];
}

function turnMessages(turn: PlainTurn, index: number): readonly ChatMessage[] {
  const { user_input: asked, final_answer: answer } = turn;
  const messages = exchangesOf(turn).flatMap(({ call, tools }, place): readonly ChatMessage[] => {
    // Sub-agents, guardrails and tools speak to the agent, not to the user.
    const said = call?.main === true ? call.text : null;
    if (said === null && tools.length === 0) return [];
    const calls = tools.map((tool, at) => ({ tool, id: tool.id ?? `call_${index + 1}_${place + 1}_${at + 1}` }));
    return [
      {
        role: 'assistant',
        content: said,
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ tool: { name, args }, id }) => ({
            id,
            type: 'function',
            function: { name, arguments: textOf(args ?? {}) },
          })),
        }),
      },
      ...calls.flatMap(({ tool, id }): readonly ChatMessage[] =>
        tool.answered ? [{ role: 'tool', tool_call_id: id, content: resultOf(tool) }] : [],
      ),
    ];
  });
  return [
    ...(asked === null ? [] : [{ role: 'user', content: asked } as const]),
    ...messages,
    ...(answersElsewhere(turn) ? [{ role: 'assistant', content: answer } as const] : []),
  ];
}

/** A result as text; that of a failed call says so as MCP's does. */
export function resultOf({ result, error }: PlainToolCall): string {
  if (error === null || failureIn(result) !== undefined) return result === null ? '' : textOf(result);
  return JSON.stringify({ is_error: true, content: error.message });
}
