/**
 * Reads what was said and done before a turn, as the model was shown it. A suite of scope turn has one turn and no
 * others; the messages that its model calls were given hold the rest.
 */
import type { Content, Message, Part } from '../../model/step.ts';
import type { Turn } from '../../model/turn.ts';
import { hasFailed } from './failed-call.ts';

/** The messages of the last model call; empty where none were recorded. */
export function messagesShownTo({ steps }: Turn): readonly Message[] {
  // Not destructured, because messages are decoded when they are read.
  return steps.findLast((step) => step.kind === 'llm' && step.messagesIn.length > 0)?.messagesIn ?? [];
}

/** Tools that were called and did not fail, by name, as far as the messages show. */
export function toolsDoneBefore(turn: Turn): readonly string[] {
  const { calls, failed } = callsBefore(turn);
  const failedIds = new Set(failed.map(({ id }) => id));
  return calls.flatMap(({ id, name }) => (failedIds.has(id) ? [] : [name]));
}

/** Results of calls that did not fail, as far as the messages show. */
export function resultsBefore(turn: Turn): readonly Content[] {
  const { results, failed } = callsBefore(turn);
  return results.filter((part) => !failed.includes(part)).map(({ result }) => result);
}

type CallPart = Extract<Part, { type: 'tool_call' }>;
type ResultPart = Extract<Part, { type: 'tool_result' }>;

/** The last model call was also shown the calls of this turn, which the turn itself knows better. */
function callsBefore(turn: Turn) {
  const ofTheTurn = new Set(turn.toolCalls.flatMap(({ id }) => id ?? []));
  const parts = messagesShownTo(turn)
    .flatMap((message) => message.parts)
    .filter((part) => !('id' in part) || part.id === undefined || !ofTheTurn.has(part.id));
  const calls = parts.filter((part): part is CallPart => part.type === 'tool_call');
  const results = parts.filter((part): part is ResultPart => part.type === 'tool_result');
  const byId = new Map(calls.map((part) => [part.id, part]));
  return { calls, results, failed: results.filter((part) => isFailure(part, byId.get(part.id))) };
}

/** The agent's last text before the user's last message, and that message. */
export function lastExchange(turn: Turn): { readonly agent: string; readonly user: string } | undefined {
  const messages = messagesShownTo(turn);
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const agent = messages
    .slice(0, Math.max(0, asked))
    .findLast(({ role, parts }) => role === 'assistant' && textOf(parts) !== '');
  const user = turn.userInput.state === 'whole' ? turn.userInput.text : textOf(messages[asked]?.parts ?? []);
  return agent === undefined || user.trim() === '' ? undefined : { agent: textOf(agent.parts), user };
}

/** Messages of the user, as far as they are shown; the last one is the request of the turn. */
export function userMessages(turn: Turn): readonly string[] {
  return messagesShownTo(turn).flatMap(({ role, parts }) => (role === 'user' ? [textOf(parts)] : []));
}

function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

function isFailure({ result, failed }: ResultPart, call: CallPart | undefined): boolean {
  return failed === true || hasFailed({ ...call, error: undefined, result });
}
