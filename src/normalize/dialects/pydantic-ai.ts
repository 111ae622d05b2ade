/**
 * Pydantic AI, also through Logfire. Model calls and tools follow the GenAI conventions; of its own are
 *
 *     pydantic_ai.all_messages, pydantic_ai.new_message_index      on a run: the whole conversation, and where this turn begins
 *     gen_ai.aggregated_usage.*                                    on a run: what its model calls used
 *     all_messages_events, events, prompt                          format 1: lists of the older conventions' events, as JSON
 *
 * The index counts messages of Pydantic AI's, of which one may be several here: it comes at the question or shortly before.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { Message } from '../../model/step.ts';
import { textContent } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { decodeMessages, messageList, type MessageList, textOf } from '../chat-messages.ts';
import { asCount, rows } from '../rows.ts';

const ALL = 'pydantic_ai.all_messages';
const ALL_EVENTS = 'all_messages_events';
const EVENTS = 'events';
const NEW_INDEX = 'pydantic_ai.new_message_index';
const USAGE = 'gen_ai.aggregated_usage';
const CHOICE = 'gen_ai.choice';

export const pydanticAi: Dialect = {
  name: 'pydantic-ai',
  rows: [
    ...rows('inputTokens', asCount, [`${USAGE}.input_tokens`]),
    ...rows('outputTokens', asCount, [`${USAGE}.output_tokens`]),
    ...rows('cacheReadTokens', asCount, [
      `${USAGE}.cache_read.input_tokens`,
      `${USAGE}.details.cache_read_tokens`,
      `${USAGE}.details.cached_tokens`,
    ]),
    ...rows('reasoningTokens', asCount, [`${USAGE}.reasoning.output_tokens`, `${USAGE}.details.reasoning_tokens`]),
  ],
  captured: [
    ['input', ALL],
    ['input', ALL_EVENTS],
    ['input', EVENTS],
    ['output', 'final_result'],
  ],
  messagesIn: [asked(ALL), asked(ALL_EVENTS), attributeFinder(EVENTS, (evidence) => said(evidence, 'asked'))],
  messagesOut: [answered(ALL), answered(ALL_EVENTS), attributeFinder(EVENTS, (evidence) => said(evidence, 'answered'))],
  input: [
    {
      rule: 'prompt',
      key: 'agent_name',
      find: ({ span }) => {
        const text = span.attributes.text('prompt');
        return text === undefined || text === '' ? undefined : textContent(text);
      },
    },
  ],
};

/** All up to this turn's question. */
function asked(key: string): Finder<MessageList> {
  return attributeFinder(key, (evidence) => {
    const list = conversation(evidence, key);
    return list === undefined ? undefined : part(list, 0, questionIn(list, evidence) + 1);
  });
}

/** Messages after it. */
function answered(key: string): Finder<MessageList> {
  return attributeFinder(key, (evidence) => {
    const list = conversation(evidence, key);
    return list === undefined ? undefined : part(list, questionIn(list, evidence) + 1, list.messages.length);
  });
}

function conversation(evidence: Evidence, key: string): MessageList | undefined {
  const value = evidence.attribute(key);
  if (!isPresent(value)) return undefined;
  const list = key === ALL ? decodeMessages(value, 'user') : eventMessages(value);
  return list === undefined || list.state === 'missing' ? undefined : list;
}

/** Later words of the user’s are what the framework asks a model to try again. */
function questionIn({ messages }: MessageList, { span }: Evidence): number {
  const from = span.attributes.get(NEW_INDEX);
  const start = (isPresent(from) ? asCount(from) : undefined) ?? 0;
  const isQuestion = (message: Message) => message.role === 'user' && textOf(message) !== '';
  const first = messages.findIndex((message, at) => at >= start && isQuestion(message));
  return first === -1 ? messages.findLastIndex(isQuestion) : first;
}

function part(list: MessageList, from: number, to: number): MessageList | undefined {
  const messages = list.messages.slice(from, to);
  return messages.length === 0 ? undefined : { state: list.state, messages };
}

function said(evidence: Evidence, side: 'asked' | 'answered'): MessageList | undefined {
  const value = evidence.attribute(EVENTS);
  return isPresent(value)
    ? eventMessages(value, (event) => (isChoice(event) ? side === 'answered' : side === 'asked'))
    : undefined;
}

function isChoice(event: unknown): boolean {
  return memberText(event, 'event.name') === CHOICE;
}

/** `[{"event.name": "gen_ai.user.message", role, content}, …, {"event.name": "gen_ai.choice", message: {…}}]` */
function eventMessages(value: AttributeValue, isWanted = (_: unknown) => true): MessageList | undefined {
  const events = decodeJsonish(value).value;
  if (!Array.isArray(events) || !events.every((event) => memberText(event, 'event.name') !== undefined))
    return undefined;
  const written = events.filter(isWanted).map((event) => {
    if (isChoice(event)) return member(event, 'message');
    const id = memberText(event, 'id');
    return id === undefined ? event : { ...event, tool_call_id: id };
  });
  // The cast holds: parsed JSON consists of AttributeValues.
  const list = messageList(decodeMessages(written as AttributeValue, 'assistant').messages);
  return list.state === 'missing' ? undefined : list;
}
