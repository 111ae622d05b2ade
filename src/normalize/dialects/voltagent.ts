/**
 * VoltAgent (scope `@voltagent/core`), with keys of its own:
 *
 *     entity.type      agent or workflow: what the whole trace belongs to, on every span of it
 *     span.type        llm, tool, memory, retriever, …; the span of the agent itself has none
 *     entity.name      the agent, and on the spans of a sub-agent its caller; there subagent.name is the sub-agent
 *     conversation.id, voltagent.conversation_id, input, output, llm.messages, tool.call.id
 *
 * A model span stands for the whole loop of model calls and tools of a turn, has no output, and counts only the tokens of
 * the last of those calls. The agent's span has the sum, so that is what is counted. `tool.parameters` is a schema.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { StepKind } from '../../model/step.ts';
import { contentOf } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import { type Draft, TOKEN_FIELDS } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { isPresent } from '../jsonish.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import { asCount, asText, row, rows } from '../rows.ts';

const ENTITY = 'entity.type';
const SPAN_TYPE = 'span.type';
const MESSAGES = 'llm.messages';

const SPAN_TYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['llm', 'llm'],
  ['tool', 'tool'],
  ['memory', 'memory'],
  ['retriever', 'retrieval'],
  ['embedding', 'embedding'],
  ['vector', 'retrieval'],
  ['guardrail', 'guardrail'],
  ['middleware', 'guardrail'],
  ['scorer', 'evaluator'],
  ['summary', 'memory'],
  ['agent', 'agent'],
  ['workflow-step', 'step'],
]);

export const voltAgent: Dialect = {
  name: 'voltagent',
  rows: [
    row('agentName', 'subagent.name', asText),
    row('agentId', 'subagent.id', asText),
    ...rows('conversationId', asText, ['conversation.id', 'voltagent.conversation_id']),
    ...rows('toolCallId', asText, ['tool.call.id']),
    row('requestModel', 'llm.model', asText),
    ...rows('inputTokens', asCount, ['usage.prompt_tokens']),
    ...rows('outputTokens', asCount, ['usage.completion_tokens']),
    ...rows('cacheReadTokens', asCount, ['usage.cached_tokens']),
    ...rows('reasoningTokens', asCount, ['usage.reasoning_tokens']),
  ],
  captured: [
    ['input', MESSAGES],
    ['input', 'input'],
    ['output', 'output'],
    ['toolArgs', 'input'],
    ['toolResult', 'output'],
  ],
  infer,
  inferDetails,
  messagesIn: [attributeFinder(MESSAGES, asked), { rule: 'input', key: ENTITY, find: given }],
  input: [
    {
      rule: 'input',
      key: ENTITY,
      find: (evidence) => {
        const value = read(evidence, 'input');
        return value === undefined ? undefined : contentOf(value);
      },
    },
  ],
  output: [
    {
      rule: 'output',
      key: ENTITY,
      find: (evidence) => {
        const value = read(evidence, 'output');
        return value === undefined ? undefined : contentOf(value);
      },
    },
  ],
  toolArgs: [plain('input')],
  toolResult: [plain('output')],
};

/** `span.type` and `entity.type` are words that anybody may use; together they are VoltAgent's. */
function infer(draft: Draft, { attributes, name }: SpanView): void {
  if (draft.kind !== undefined && draft.kind !== 'tool') return;
  const entity = attributes.text(ENTITY);
  if (entity === undefined) return;
  const type = attributes.text(SPAN_TYPE);
  if (type === 'llm') draft.forget(TOKEN_FIELDS);
  if (type !== undefined) draft.set('kind', SPAN_TYPES.get(type) ?? 'other', SPAN_TYPE);
  else if (entity === 'agent' || entity === 'workflow') draft.set('kind', entity, ENTITY);
  if (draft.kind === 'tool' && draft.toolName === undefined && name.startsWith('tool.execution:')) {
    draft.set('toolName', name.slice('tool.execution:'.length), 'span name');
  }
}

function inferDetails(draft: Draft, { attributes }: SpanView): void {
  if (draft.agentName === undefined && attributes.has(ENTITY)) {
    draft.set('agentName', attributes.text('entity.name'), 'entity.name');
  }
}

function asked({ span: { attributes } }: Evidence): MessageList | undefined {
  const value = attributes.get(MESSAGES);
  return isPresent(value) ? decodeMessages(value, 'user') : undefined;
}

/** An agent may be given messages in place of a text. */
function given(evidence: Evidence): MessageList | undefined {
  const value = read(evidence, 'input');
  return typeof value === 'string' && value.startsWith('[') ? decodeMessages(value, 'user') : undefined;
}

function read({ span: { attributes } }: Evidence, key: string): Exclude<AttributeValue, null> | undefined {
  const value = attributes.get(key);
  return isPresent(value) && attributes.has(ENTITY) ? value : undefined;
}

function plain(key: string): Finder<AttributeValue> {
  return { rule: key, key: ENTITY, find: (evidence) => read(evidence, key) };
}
