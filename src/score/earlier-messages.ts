/**
 * What had been said and done before a turn, as the model was shown it. A suite of scope turn has one turn and no others; the messages that
 * its model calls were given hold the rest.
 */
import type { Message, Part } from '../model/step.ts';
import type { Turn } from '../model/turn.ts';
import { hasFailed } from './failed-call.ts';

/** The messages of the last model call; empty where none were recorded. */
export function messagesShownTo({ steps }: Turn): readonly Message[] {
  return steps.findLast(({ kind, messagesIn }) => kind === 'llm' && messagesIn.length > 0)?.messagesIn ?? [];
}

/** Tools that were called and did not fail, by name, as far as the messages show. */
export function toolsDoneBefore(turn: Turn): readonly string[] {
  const parts = messagesShownTo(turn).flatMap((message) => message.parts);
  const calls = new Map(parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part]] : [])));
  const failedIds = new Set<string | undefined>();
  for (const part of parts)
    if (part.type === 'tool_result' && isFailure(part, calls.get(part.id))) failedIds.add(part.id);
  return parts.flatMap((part) => (part.type === 'tool_call' && !failedIds.has(part.id) ? [part.name] : []));
}

/** What the agent said last before the user's last message, and that message. */
export function lastExchange(turn: Turn): { readonly agent: string; readonly user: string } | undefined {
  const messages = messagesShownTo(turn);
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const agent = messages
    .slice(0, Math.max(0, asked))
    .findLast(({ role, parts }) => role === 'assistant' && textOf(parts) !== '');
  const user = turn.userInput.state === 'whole' ? turn.userInput.text : textOf(messages[asked]?.parts ?? []);
  return agent === undefined || user.trim() === '' ? undefined : { agent: textOf(agent.parts), user };
}

function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

function isFailure(
  { result, failed }: Extract<Part, { type: 'tool_result' }>,
  call: Extract<Part, { type: 'tool_call' }> | undefined,
): boolean {
  return failed === true || hasFailed({ ...call, error: undefined, result });
}
