/** Conversations that come in other formats than spans, recognised by what is in them. Each becomes an export request. */
import type { Json } from '../../model/json.ts';
import { fromAtif } from '../../reader/from-atif.ts';
import { CONVERSATION_FORMAT, type PlainConversation, plainConversation } from '../../reader/plain-conversation.ts';
import { messagesOfItems } from '../../reader/response-items.ts';
import { EXAMPLE_START_MS } from '../../score/suite-test/excerpt-request.ts';
import { CONVERSATION_EVERY_MS, conversationIdOf, requestOfMessages } from '../messages/recorded-messages.ts';
import { member } from '../messages/turns-of-messages.ts';
import { requestOfPlain } from './request-of-plain.ts';

interface Place {
  /** Name of the file, and the line. */
  readonly place: string;
  readonly lineNumber: number;
}

interface Recognised {
  /** Undefined where the conversation is not named. */
  readonly id: string | undefined;
  /** OTLP/JSON. */
  readonly request: string;
}

export const ACCEPTED =
  'one OTLP/JSON export request, or a conversation as {"messages": […]} (chat API), {"input": […], "output": […]} (Responses API), {"schema_version": "ATIF-v1.7", …} or {"format": "assay.conversation/1", …}';

/** Undefined for a format that is not known. Throws where it is known and something in it is wrong. */
export function requestOfConversation(value: Json, at: Place): Recognised | undefined {
  const plain = plainIn(value, at.place);
  if (plain !== undefined) {
    const startedAtMs = EXAMPLE_START_MS + at.lineNumber * CONVERSATION_EVERY_MS;
    const id = plain.conversation_id === at.place ? undefined : plain.conversation_id;
    return { id, request: requestOfPlain(plain, { place: at.place, startedAtMs }) };
  }
  const messages = withMessages(value);
  if (messages === undefined) return undefined;
  const request = requestOfMessages({ value: messages, ...at });
  return request === undefined ? undefined : { id: conversationIdOf(messages), request };
}

function plainIn(value: Json, place: string): PlainConversation | undefined {
  const [version, format] = [member(value, 'schema_version'), member(value, 'format')];
  if (typeof version === 'string' && version.startsWith('ATIF')) return fromAtif(value, place);
  if (typeof format !== 'string' || !format.startsWith('assay.conversation/')) return undefined;
  if (format !== CONVERSATION_FORMAT) throw new Error(`its format is ${format}: expected ${CONVERSATION_FORMAT}`);
  const parsed = plainConversation.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `no conversation as docs/conversation.schema.json has it: ${issue?.path.join('.')}: ${issue?.message}`,
  );
}

/** The conversation with its messages in the form of the chat API. */
function withMessages(value: Json): Json | undefined {
  if (member(value, 'messages') !== undefined) return value;
  if (Array.isArray(value) && value.length > 0 && value.every((one) => member(one, 'type') === undefined))
    return { messages: value };
  const messages = messagesOfItems(value);
  // A spread of a list has only numbers for names, which nobody asks for.
  return messages && { ...(typeof value === 'object' ? value : {}), messages };
}
