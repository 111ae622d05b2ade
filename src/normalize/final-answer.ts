/**
 * Some frameworks have the model answer through a tool of their own, `final_answer`: its only argument is the answer. It is
 * no tool of the agent's, so a criterion on tool calls must not see it.
 */
import type { Message, Part } from '../model/step.ts';
import type { MessageList } from './chat-messages.ts';
import type { Finder } from './dialect.ts';
import type { Evidence } from './evidence.ts';

export const FINAL_ANSWER = 'final_answer';

/** The messages with such a call as the text that it is. */
export function withFinalAnswer(list: MessageList): MessageList {
  return { ...list, messages: list.messages.map(spoken) };
}

/** The finder for spans of one emitter only, with its list changed. */
export function changed(
  finder: Finder<MessageList>,
  emitter: { readonly name: string; readonly wrote: (evidence: Evidence) => boolean },
  change: (list: MessageList) => MessageList,
): Finder<MessageList> {
  return {
    ...finder,
    rule: `${emitter.name} ${finder.rule}`,
    find: (evidence) => {
      const list = emitter.wrote(evidence) ? finder.find(evidence) : undefined;
      return list === undefined ? undefined : change(list);
    },
  };
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
