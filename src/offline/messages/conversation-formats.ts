/** Conversations in other formats than spans, recognised by what is in them. All are brought into messages. */
import type { Json } from '../../model/json.ts';
import { messagesOfItems } from '../../reader/response-items.ts';
import { messagesOfAtif } from './atif-messages.ts';
import { member } from './turns-of-messages.ts';

export const ACCEPTED =
  'one OTLP/JSON export request, or a conversation as {"messages": […]} (chat API), {"input": […], "output": […]} (Responses API) or {"schema_version": "ATIF-v1.7", …}';

/** Undefined for a format that is not known. Throws where it is known and something in it is wrong. */
export function inMessages(value: Json): Json | undefined {
  if (member(value, 'messages') !== undefined) return value;
  const isListOfMessages = Array.isArray(value) && value.length > 0 && member(value[0], 'type') === undefined;
  if (isListOfMessages) return { messages: value };
  const trajectory = messagesOfAtif(value);
  if (trajectory !== undefined) return trajectory;
  const messages = messagesOfItems(value);
  // A spread of a list has only numbers for names, which nobody asks for.
  return messages && { ...(typeof value === 'object' ? value : {}), messages };
}
