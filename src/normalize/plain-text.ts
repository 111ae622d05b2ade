/**
 * Finds the text in an agent's JSON input or output: the last message of that side in a transcript, or the one text in
 * an object such as `{"input": "…"}` or `{"args": ["…"], "kwargs": {}}`. JSON that says nothing in words is left as it
 * is.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Content } from '../model/step.ts';
import { contentOf, textContent } from './content.ts';
import { messagesInside } from './exchanges.ts';
import { decodeJsonish, isPresent, member } from './jsonish.ts';
import { isMessageLike } from './message-forms.ts';
import { answerIn, decodeMessages, lastSaid, type MessageList } from './chat-messages.ts';
import { withoutRunDetails } from './wrappings.ts';

export type Side = 'user' | 'assistant';

/** Members that hold the text, if there are others beside them. */
const NAMES: Readonly<Record<Side, readonly string[]>> = {
  user: [
    'input',
    'question',
    'query',
    'prompt',
    'user_input',
    'userInput',
    'user_message',
    'user_msg',
    'message',
    'task',
    'text',
  ],
  assistant: ['output', 'answer', 'response', 'final_output', 'finalOutput', 'text'],
};

export function wordsIn(value: AttributeValue | undefined, side: Side): Content | undefined {
  if (!isPresent(value)) return undefined;
  const decoded = decodeJsonish(value);
  if (decoded.state !== 'whole' || typeof decoded.value !== 'object') return contentOf(value);
  const given = withoutRunDetails(decoded.value);
  if (typeof given === 'string') return textContent(given);
  const transcript = transcriptOf(given, side);
  if (transcript !== undefined) {
    // A transcript without an answer has none; the request is not it.
    return side === 'assistant' ? answerIn(transcript) : lastSaid(transcript, side);
  }
  if (isEmptyThroughout(given)) return undefined;
  const text = textIn(given, side, 0);
  return text === undefined ? contentOf(value) : textContent(text);
}

/** The messages, if the value is made of messages, or is what a model's API takes and gives. */
export function transcriptIn(value: AttributeValue | undefined, side: Side): MessageList | undefined {
  if (!isPresent(value)) return undefined;
  const decoded = decodeJsonish(value);
  return decoded.state === 'whole' ? transcriptOf(withoutRunDetails(decoded.value), side) : undefined;
}

/** The part after the question, in a transcript that an agent returned with the whole conversation. */
export function afterQuestion(list: MessageList): MessageList | undefined {
  const question = list.messages.findLastIndex(({ role }) => role === 'user');
  const messages = list.messages.slice(question + 1);
  return messages.length === 0 ? undefined : { state: list.state, messages };
}

function transcriptOf(value: unknown, side: Side): MessageList | undefined {
  const items = messagesInside(value) ?? (Array.isArray(value) ? value : undefined);
  const isTranscript = items === undefined ? isMessageLike(value) : items.length > 0 && items.every(isMessageLike);
  if (!isTranscript) return undefined;
  // The cast holds: parsed JSON consists of AttributeValues.
  const list = decodeMessages(value as AttributeValue, side);
  return list.state === 'missing' ? undefined : list;
}

const DEPTH_MAX = 4;

function textIn(value: unknown, side: Side, depth: number): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return undefined;
  const transcript = depth === 0 ? undefined : transcriptOf(value, side);
  if (transcript !== undefined)
    return side === 'assistant' ? answerIn(transcript).text : lastSaid(transcript, side).text;
  if (Array.isArray(value)) {
    const [only, ...others] = value.length === 1 ? value : value.filter((item) => typeof item === 'string');
    return others.length === 0 ? textIn(only, side, depth + 1) : undefined;
  }
  for (const name of NAMES[side]) {
    const text = textIn(member(value, name), side, depth + 1);
    if (text !== undefined) return text;
  }
  const filled = Object.values(value).filter((item) => !isEmpty(item));
  return filled.length === 1 ? textIn(filled[0], side, depth + 1) : undefined;
}

/** `{"args": [], "kwargs": {}}`: a function without parameters. */
function isEmptyThroughout(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isEmpty);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
