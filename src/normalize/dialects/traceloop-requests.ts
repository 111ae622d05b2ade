/**
 * OpenLLMetry for JavaScript writes what the Responses API was asked, a list of items, as the text of one message of the
 * user. Only its own spans are read so: from anybody else, a text that looks like messages is what the user typed.
 */
import type { Evidence } from '../evidence.ts';
import type { MessageList } from '../chat-messages.ts';
import { transcriptIn } from '../plain-text.ts';

const SCOPE = '@traceloop/instrumentation-openai';

export function requestInText(list: MessageList, evidence: Evidence): MessageList {
  const [only, ...others] = list.messages;
  if (only === undefined || others.length > 0 || only.parts.length !== 1) return list;
  const [part] = only.parts;
  if (part?.type !== 'text' || !part.text.startsWith('[{') || evidence.span.scope.name !== SCOPE) return list;
  return transcriptIn(part.text, 'user') ?? list;
}
