/**
 * Some frameworks have the model answer through a tool of their own, `final_answer`: its only argument is the answer. It is
 * no tool of the agent's, so a criterion on tool calls must not see it.
 */
import type { Message, Part } from '../model/step.ts';
import type { MessageList } from './chat-messages.ts';

export const FINAL_ANSWER = 'final_answer';

/** The messages with such a call as the text that it is. */
export function withFinalAnswer(list: MessageList): MessageList {
  return { ...list, messages: list.messages.map(spoken) };
}

function spoken(message: Message): Message {
  return { ...message, parts: message.parts.map(asText) };
}

function asText(part: Part): Part {
  if (part.type !== 'tool_call' || part.name !== FINAL_ANSWER) return part;
  const args = part.args.json;
  const given = typeof args === 'object' && args !== null && !Array.isArray(args) ? Object.values(args) : [];
  const [said] = given;
  return { type: 'text', text: given.length === 1 && typeof said === 'string' ? said : part.args.text };
}
