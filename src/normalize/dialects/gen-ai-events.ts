/**
 * Messages as events, the form of the GenAI conventions up to 1.36, still the default of most instrumentations. There
 * is one event for each message, with the content in the body of a log record or in the attributes of a span event.
 *
 *     gen_ai.system.message     {content}
 *     gen_ai.user.message       {content}
 *     gen_ai.assistant.message  {content, tool_calls: [{id, type, function: {name, arguments}}]}
 *     gen_ai.tool.message       {content, id}                  id is the tool call's
 *     gen_ai.choice             {index, finish_reason, message: {content, tool_calls}}      Google: {…, content: {role, parts}}
 *
 * A redelivered log record is the same record, not a second message.
 */
import type { Message } from '../../model/step.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import { contentOf } from '../content.ts';
import type { EventView, Evidence } from '../evidence.ts';
import { finishReasonOf } from '../finish-reason.ts';
import { decodeJsonish, member, toJson } from '../jsonish.ts';
import { messageOf, type MessageList } from '../chat-messages.ts';

const INPUT_ROLES: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
]);
const CHOICE = 'gen_ai.choice';

interface TimedMessage {
  readonly timeMs: number;
  readonly index: number;
  readonly message: Message;
}

export function inputFromEvents(evidence: Evidence): MessageList | undefined {
  return collect(evidence, (event) => {
    const role = INPUT_ROLES.get(event.name);
    return role === undefined ? undefined : inputMessage(event, role);
  });
}

export function outputFromEvents(evidence: Evidence): MessageList | undefined {
  return collect(evidence, (event) => (event.name === CHOICE ? choiceMessage(event) : undefined));
}

function inputMessage(event: EventView, role: string): Message | undefined {
  const content = plain(event.get('content'));
  if (role === 'tool') {
    const id = event.get('id');
    return {
      role,
      name: undefined,
      parts: [{ type: 'tool_result', id: typeof id === 'string' ? id : undefined, result: contentOf(content) }],
      finishReason: undefined,
    };
  }
  // Google writes its own content, {role, parts}, in place of the message's: all of them as what the user said.
  if (Array.isArray(member(content, 'parts'))) return messageOf(content, role)[0];
  return messageOf({ role: event.get('role') ?? role, content, tool_calls: plain(event.get('tool_calls')) }, role)[0];
}

function choiceMessage(event: EventView): Message | undefined {
  const written = event.get('message') ?? event.get('content');
  if (written === undefined || written === null) return undefined;
  const said = plain(written);
  // Strands writes the message's parts alone.
  const [message] = messageOf(Array.isArray(said) ? { parts: said } : said, 'assistant');
  const finishReason = finishReasonOf(event.get('finish_reason'));
  return message === undefined ? undefined : { ...message, finishReason: finishReason ?? message.finishReason };
}

function plain(value: AttributeValue | undefined): unknown {
  return value === undefined ? undefined : decodeJsonish(value).value;
}

function collect(evidence: Evidence, read: (event: EventView) => Message | undefined): MessageList | undefined {
  const found: TimedMessage[] = [];
  const seen = new Set<string>();
  evidence.someEvent((event) => {
    const message = read(event);
    if (message === undefined) return false;
    const fingerprint = `${event.timeMs} ${event.name} ${JSON.stringify(toJson(withoutLaziness(message)))}`;
    if (!seen.has(fingerprint)) {
      seen.add(fingerprint);
      found.push({ timeMs: event.timeMs, index: Number(event.get('index') ?? 0) || 0, message });
    }
    return false;
  });
  if (found.length === 0) return undefined;
  // Stable: records of the same millisecond stay in the order in which they were sent.
  found.sort((a, b) => a.timeMs - b.timeMs || a.index - b.index);
  return { state: 'whole', messages: found.map((item) => item.message) };
}

function withoutLaziness(message: Message): unknown {
  return message.parts.map((part) => {
    switch (part.type) {
      case 'tool_call':
        return [part.type, part.id, part.name, part.args.text];
      case 'tool_result':
        return [part.type, part.id, part.result.text];
      default:
        return part;
    }
  });
}
