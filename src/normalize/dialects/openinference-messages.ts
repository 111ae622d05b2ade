/**
 * Reads requests to a model and its answers from the two records that OpenInference keeps: the messages flattened into
 * attributes, and the raw request and answer in `input.value` and `output.value`.
 *
 * The flattened ones come first. But they are lossy. Instrumentations leave out call ids (LangChain), results of
 * parallel calls after the first (Anthropic), and earlier answers (OpenAI Agents). A plain OTel SDK drops all
 * attributes after the 128th, so a long history lacks its end and the answer. Where they lack something and the raw
 * record understands more, that one is taken.
 */
import type { Message } from '../../model/step.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Finder } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';
import { flattenedMessages, leavesUnder } from '../flattened.ts';
import { unglued } from '../glued-calls.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { decodeMessages, messageList, type MessageList } from '../chat-messages.ts';
import { afterQuestion, transcriptIn } from '../plain-text.ts';

export const messagesInOfOpenInference: readonly Finder<MessageList>[] = [
  fuller({ prefix: 'llm.input_messages.', rawKey: 'input.value', side: 'user' }),
  flattened('llm.input_messages.', 'user'),
  prompts(),
  promptList(),
  raw('input.value', 'user'),
];

export const messagesOutOfOpenInference: readonly Finder<MessageList>[] = [
  fuller({ prefix: 'llm.output_messages.', rawKey: 'output.value', side: 'assistant' }),
  flattened('llm.output_messages.', 'assistant'),
  completions(),
  raw('output.value', 'assistant'),
];

type Side = 'user' | 'assistant';

function flattened(prefix: string, side: Side): Finder<MessageList> {
  return attributeFinder(`${prefix}*`, (evidence) => flatList(evidence, prefix, side));
}

/** Two finders ask for the same list, one after the other. */
const lastRead = new WeakMap<Evidence, { readonly prefix: string; readonly list: MessageList | undefined }>();

function flatList(evidence: Evidence, prefix: string, side: Side): MessageList | undefined {
  const last = lastRead.get(evidence);
  if (last?.prefix === prefix) return last.list;
  const list = readFlatList(evidence, prefix, side);
  lastRead.set(evidence, { prefix, list });
  return list;
}

function readFlatList(evidence: Evidence, prefix: string, side: Side): MessageList | undefined {
  const list = flattenedMessages(evidence.span.attributes, { prefix, defaultRole: side });
  if (list === undefined || list.state === 'missing') return undefined;
  return side === 'assistant' ? unglued(list, () => toolNames(evidence)) : list;
}

function fuller({
  prefix,
  rawKey,
  side,
}: {
  readonly prefix: string;
  readonly rawKey: string;
  readonly side: Side;
}): Finder<MessageList> {
  return {
    rule: `${rawKey}, fuller than ${prefix}*`,
    key: `${prefix}*`,
    find: (evidence) => {
      const flat = flatList(evidence, prefix, side);
      if (flat === undefined || flat.state === 'redacted') return undefined;
      const isWhole =
        evidence.span.droppedAttributes === 0 && !lacks(flat.messages, side) && !isBentAnthropic(flat, evidence);
      // LangChain's instrumentation flattens only the first message of an agent's or a chain's input.
      if (isWhole && kindOf(evidence) === 'LLM') return undefined;
      const whole = transcriptIn(evidence.attribute(rawKey), side);
      if (whole === undefined) return undefined;
      const instructed = withInstructionsOf(flat.messages, whole.messages);
      const isFuller = partsOf(instructed) - partsOf(flat.messages) >= (isWhole ? 1 : 0);
      return isFuller ? { state: whole.state, messages: instructed } : undefined;
    },
  };
}

/** Whether the list itself shows that something is missing in it. */
function lacks(messages: readonly Message[], side: Side): boolean {
  const asked = new Set<string>();
  for (const message of messages) {
    if (message.parts.length === 0) return true;
    for (const part of message.parts) {
      if (part.type === 'tool_call') {
        if (part.id === undefined) return true;
        asked.add(part.id);
      } else if (part.type === 'tool_result') {
        if (part.id === undefined) return true;
        asked.delete(part.id);
      }
    }
  }
  return side === 'user' && asked.size > 0;
}

/** The last result in a message of Anthropic's is kept, and never whether the tool failed. */
function isBentAnthropic(flat: MessageList, evidence: Evidence): boolean {
  const hasResults = flat.messages.some(({ parts }) => parts.some(({ type }) => type === 'tool_result'));
  return hasResults && evidence.span.attributes.text('llm.system') === 'anthropic';
}

/** Raw input of an agent framework begins with the user's message; the flattened one has the instructions. */
function withInstructionsOf(flat: readonly Message[], whole: readonly Message[]): readonly Message[] {
  if (whole.some(({ role }) => role === 'system')) return whole;
  return [...flat.filter(({ role, parts }) => role === 'system' && parts.length > 0), ...whole];
}

function partsOf(messages: readonly Message[]): number {
  return messages.reduce((count, { parts }) => count + parts.length, 0);
}

/** Form of LangChain for Python: a list of texts, not flattened. */
function promptList(): Finder<MessageList> {
  return attributeFinder('llm.prompts', (evidence) => {
    const value = evidence.attribute('llm.prompts');
    return isPresent(value) ? decodeMessages(value, 'user') : undefined;
  });
}

function prompts(): Finder<MessageList> {
  return { rule: 'llm.prompts', key: 'llm.prompts.*', find: (evidence) => texts(evidence, 'llm.prompts.', 'user') };
}

function completions(): Finder<MessageList> {
  return {
    rule: 'llm.choices',
    key: 'llm.choices.*',
    find: (evidence) => texts(evidence, 'llm.choices.', 'assistant'),
  };
}

function texts(evidence: Evidence, prefix: string, side: Side): MessageList | undefined {
  const found = leavesUnder(evidence.span.attributes, prefix).filter(({ path }) => path.endsWith('.text'));
  const list = messageList(
    found
      .toSorted((a, b) => a.index - b.index)
      .flatMap(({ value }) => decodeMessages([{ role: side, content: value }], side).messages),
  );
  return list.state === 'missing' ? undefined : list;
}

/**
 * The raw record where nothing was flattened. On a model call all of it is what was said, also where it is plain text; what
 * an agent or a chain was given need not be messages.
 */
function raw(key: string, side: Side): Finder<MessageList> {
  return attributeFinder(key, (evidence) => {
    const kind = kindOf(evidence);
    if (kind === undefined || kind === 'TOOL') return undefined;
    const value = evidence.attribute(key);
    const whole = transcriptIn(value, side);
    if (whole !== undefined && side === 'assistant') return afterQuestion(whole);
    if (whole !== undefined || kind !== 'LLM' || !isPresent(value)) return whole;
    const list = decodeMessages(value, side);
    const isThere = list.messages.some(({ parts }) => parts.length > 0);
    return isThere || list.state === 'truncated' || list.state === 'redacted' ? list : undefined;
  });
}

export function kindOf(evidence: Evidence): string | undefined {
  return evidence.span.attributes.text('openinference.span.kind')?.toUpperCase();
}

function toolNames(evidence: Evidence): readonly string[] {
  return leavesUnder(evidence.span.attributes, 'llm.tools.').flatMap(({ value }) => {
    const tool = decodeJsonish(value).value;
    return memberText(member(tool, 'function'), 'name') ?? memberText(tool, 'name') ?? [];
  });
}
