/**
 * Google's Agent Development Kit under the names of the GenAI conventions, as its Python releases write since 2.x. Three
 * things are still its own: results are wrapped into `{"result": …}`, in the messages too; a streamed answer is one message
 * for each piece that came; and of a tool that failed the status says only `TOOL_ERROR`.
 */
import { failureIn } from '../../model/tool-failure.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { Message, Part, StepError } from '../../model/step.ts';
import { LazyContent } from '../content.ts';
import type { Finder } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent } from '../jsonish.ts';
import type { MessageList } from '../chat-messages.ts';
import { functionResult } from '../tool-results.ts';
import { otelGenAi } from './otel-genai.ts';

const SCOPE = 'gcp.vertex.agent';
const RESULT = 'gen_ai.tool.call.result';
const OLDER_RESULT = 'gcp.vertex.agent.tool_response';

export const messagesInOfSemconv: readonly Finder<MessageList>[] = (otelGenAi.messagesIn ?? []).map(
  ({ find, rule, ...finder }) => ({
    ...finder,
    rule: `${rule} of ADK`,
    find: (evidence) => ofAdk(evidence, find, ({ messages }) => messages.map(withPlainResults)),
  }),
);

export const messagesOutOfSemconv: readonly Finder<MessageList>[] = (otelGenAi.messagesOut ?? []).map(
  ({ find, rule, ...finder }) => ({
    ...finder,
    rule: `${rule} of ADK`,
    find: (evidence) => ofAdk(evidence, find, ({ messages }) => joined(messages)),
  }),
);

export const toolError: Finder<StepError> = {
  rule: `error.type and ${RESULT}`,
  key: 'error.type',
  find: (evidence) => {
    if (evidence.attribute('error.type') !== 'TOOL_ERROR' || evidence.span.scope.name !== SCOPE) return undefined;
    const written = evidence.attribute(RESULT) ?? evidence.attribute(OLDER_RESULT);
    const message = isPresent(written) ? failureIn(decodeJsonish(written).value) : undefined;
    return message === undefined || message === '' ? undefined : { type: 'TOOL_ERROR', message, source: RESULT };
  },
};

function ofAdk(
  evidence: Evidence,
  find: (evidence: Evidence) => MessageList | undefined,
  read: (list: MessageList) => readonly Message[],
): MessageList | undefined {
  if (evidence.span.scope.name !== SCOPE) return undefined;
  const list = find(evidence);
  return list === undefined ? undefined : { state: list.state, messages: read(list) };
}

function withPlainResults(message: Message): Message {
  if (message.role !== 'tool') return message;
  return { ...message, parts: message.parts.map(plainResult) };
}

function plainResult(part: Part): Part {
  if (part.type !== 'tool_result') return part;
  const { result } = part;
  // The cast holds: JSON consists of AttributeValues.
  return { ...part, result: new LazyContent(() => functionResult(result.json) as AttributeValue) };
}

/** The pieces of a stream, of which only the last says why the model stopped, as the message that they were. */
function joined(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const before = messages.slice(0, -1);
  const arePieces = before.every(({ role, finishReason }) => role === last?.role && finishReason === undefined);
  if (last === undefined || before.length === 0 || !arePieces) return messages;
  const parts: Part[] = [];
  for (const part of messages.flatMap((message) => message.parts)) {
    const previous = parts.at(-1);
    if (part.type === 'text' && previous?.type === 'text') {
      parts[parts.length - 1] = { type: 'text', text: previous.text + part.text };
    } else parts.push(part);
  }
  return [{ ...last, parts }];
}
