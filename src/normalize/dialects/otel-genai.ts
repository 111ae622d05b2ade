/**
 * The OpenTelemetry GenAI conventions, current and up to 1.36 (semantic-conventions-genai, docs/gen-ai). The tables are in
 * the order of precedence. Many emitters set no schema URL or a wrong one, so each key speaks for itself.
 */
import type { StepError, StepKind } from '../../model/step.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import { isDefaultName } from '../agent-names.ts';
import { textContent } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import { CAPTURED, type Draft, TOKEN_FIELDS } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { finishReasonsOf } from '../finish-reason.ts';
import { isPresent } from '../jsonish.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import { asCount, asKind, asNumber, asText, row, rows } from '../rows.ts';
import { inputFromEvents, outputFromEvents } from './gen-ai-events.ts';
import { NOT_PROVIDERS, OPERATIONS, PROVIDERS } from './gen-ai-vocabulary.ts';
import { requestInText } from './traceloop-requests.ts';

const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';

/** Asked in this order when no operation is named. The words are tested before the expressions run. */
const SPAN_NAMES: readonly (readonly [RegExp, StepKind])[] = [
  [/^(?:chat|text_completion|generate_content)\b/, 'llm'],
  [/^(?:invoke_agent|agent run)\b/, 'agent'],
  [/^(?:execute_tool|running tool)\b/, 'tool'],
  [/^invoke_workflow\b/, 'workflow'],
  [/^execute_event_loop_cycle/, 'step'],
];
const NAMED_TOOL = /^(?:execute_tool|running tool:?|tools\/call) (.{1,256})$/;
const NAMED_AGENT = /^(?:invoke_agent|create_agent) (.{1,256}?)(?:\([^()]*\))?$/;

export const otelGenAi: Dialect = {
  name: 'otel-genai',
  rows: [
    row('kind', 'gen_ai.operation.name', asKind(OPERATIONS)),
    ...rows('agentName', asText, ['gen_ai.agent.name', 'agent.name', 'agent_name']),
    ...rows('agentId', asText, ['gen_ai.agent.id', 'agent_id']),
    ...rows('agentVersion', asText, ['gen_ai.agent.version']),
    ...rows('conversationId', asText, ['gen_ai.conversation.id', 'gen_ai.live_session.id']),
    ...rows('userId', asText, ['gen_ai.user']),
    ...rows('toolName', asText, ['gen_ai.tool.name']),
    ...rows('toolCallId', asText, ['gen_ai.tool.call.id']),
    ...rows('requestModel', asText, ['gen_ai.request.model']),
    ...rows('responseModel', asText, ['gen_ai.response.model']),
    ...rows('provider', asProvider, ['gen_ai.provider.name', 'gen_ai.system']),
    ...rows('responseId', asText, ['gen_ai.response.id']),
    ...rows('previousResponseId', asText, ['gen_ai.request.previous_response.id']),
    ...rows('finishReasons', finishReasonsOf, [
      'gen_ai.response.finish_reasons',
      'gen_ai.response.finish_reason',
      'gen_ai.response.stop_reason',
    ]),
    ...rows('inputTokens', asCount, [
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.prompt_tokens',
      'gen_ai.response.prompt_tokens',
    ]),
    ...rows('outputTokens', asCount, [
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.completion_tokens',
      'gen_ai.response.completion_tokens',
    ]),
    ...rows('cacheReadTokens', asCount, [
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_read_input_tokens',
      'gen_ai.usage.details.cache_read_tokens',
      'gen_ai.usage.prompt_tokens_details.cache_read',
      'gen_ai.usage.cached_input_tokens',
    ]),
    ...rows('cacheWriteTokens', asCount, [
      'gen_ai.usage.cache_write.input_tokens',
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
      'gen_ai.usage.cache_write_input_tokens',
      'gen_ai.usage.details.cache_write_tokens',
      'gen_ai.usage.prompt_tokens_details.cache_write',
    ]),
    ...rows('reasoningTokens', asCount, [
      'gen_ai.usage.reasoning.output_tokens',
      'gen_ai.usage.reasoning_tokens',
      'gen_ai.usage.details.reasoning_tokens',
      'gen_ai.usage.completion_tokens_details.reasoning',
    ]),
    ...rows('costUsd', asNumber, ['gen_ai.usage.cost', 'operation.cost', 'gen_ai.usage.total_cost']),
  ],
  captured: [
    ['input', 'gen_ai.input.messages'],
    ['input', 'gen_ai.prompt'],
    ['output', 'gen_ai.output.messages', 'keep'],
    ['output', 'gen_ai.completion'],
    ['toolArgs', 'gen_ai.tool.call.arguments', 'keep'],
    ['toolResult', 'gen_ai.tool.call.result', 'keep'],
  ],
  infer,
  inferDetails,
  messagesIn: [
    attributeFinder('gen_ai.input.messages', (evidence) => {
      const list = listOf(evidence.attribute('gen_ai.input.messages'), 'user');
      return list === undefined ? undefined : requestInText(list, evidence);
    }),
    messagesInDetails('gen_ai.input.messages', 'user'),
    { rule: 'gen_ai.*.message events', find: inputFromEvents },
    messagesAttribute('gen_ai.prompt', 'user'),
    messagesInEvent('gen_ai.content.prompt', 'gen_ai.prompt', 'user'),
  ],
  messagesOut: [
    messagesAttribute('gen_ai.output.messages', 'assistant'),
    messagesInDetails('gen_ai.output.messages', 'assistant'),
    { rule: 'gen_ai.choice events', find: outputFromEvents },
    messagesAttribute('gen_ai.completion', 'assistant'),
    messagesInEvent('gen_ai.content.completion', 'gen_ai.completion', 'assistant'),
  ],
  systemInstructions: [
    attributeFinder('gen_ai.system_instructions', ({ span }) =>
      instructionsOf(span.attributes.get('gen_ai.system_instructions')),
    ),
    { rule: `${DETAILS_EVENT} gen_ai.system_instructions`, find: instructionsInDetails },
  ],
  output: [attributeFinder('final_result', finalResult)],
  toolArgs: [
    attribute('gen_ai.tool.call.arguments'),
    eventField('gen_ai.tool.message', 'content'),
    attribute('gen_ai.tool.input'),
    attribute('gen_ai.tool.args'),
    attribute('tool_arguments'),
  ],
  toolResult: [
    attribute('gen_ai.tool.call.result'),
    eventField('gen_ai.choice', 'message'),
    attribute('gen_ai.tool.output'),
    attribute('tool_response'),
  ],
  error: [attributeFinder('gen_ai.tool.status', toolStatusError)],
};

function asProvider(value: AttributeValue): string | undefined {
  const name = asText(value);
  return name === undefined || NOT_PROVIDERS.has(name) ? undefined : (PROVIDERS.get(name) ?? name);
}

function infer(draft: Draft, span: SpanView): void {
  if (draft.kind === undefined) inferKind(draft, span);
  else if (draft.kind === 'llm' && NAMED_AGENT.test(span.name)) {
    // Instrumentations of model calls write on the span that is active, which may be the agent's; the last call wins.
    draft.kind = 'agent';
    draft.rules?.set('kind', 'span name');
    draft.forget(TOKEN_FIELDS);
  }
  if (draft.kind === 'tool' && draft.toolName === undefined) {
    draft.set('toolName', NAMED_TOOL.exec(span.name)?.[1], 'span name');
  }
}

function inferDetails(draft: Draft, span: SpanView): void {
  if (draft.kind === 'workflow') {
    const name = span.attributes.text('gen_ai.workflow.name');
    if (name !== undefined && !isDefaultName(name)) draft.set('agentName', name, 'gen_ai.workflow.name');
  }
  if (draft.kind === 'agent' && draft.agentName === undefined) {
    draft.set('agentName', NAMED_AGENT.exec(span.name)?.[1], 'span name');
  }
}

const SAID = CAPTURED.input | CAPTURED.output;

function inferKind(draft: Draft, span: SpanView): void {
  const hasModel = span.attributes.has('gen_ai.request.model') || span.attributes.has('gen_ai.response.model');
  // Before the tool: some emitters put the name of the requested tool on the model call.
  if (hasModel && ((draft.inputTokens ?? draft.outputTokens) !== undefined || (draft.captured & SAID) !== 0)) {
    draft.set('kind', 'llm', 'model and usage');
    return;
  }
  if (!span.attributes.has('gen_ai.operation.name') && (draft.toolName ?? draft.toolCallId) !== undefined) {
    draft.set('kind', 'tool', 'gen_ai.tool.name');
    return;
  }
  for (const [pattern, kind] of SPAN_NAMES) {
    // A chat room's handler is called "chat" too.
    if (pattern.test(span.name) && (kind !== 'llm' || speaksOfModel(draft, span, hasModel))) {
      draft.set('kind', kind, 'span name');
      return;
    }
  }
}

function speaksOfModel(draft: Draft, { attributes }: SpanView, hasModel: boolean): boolean {
  return (
    hasModel ||
    (draft.captured & SAID) !== 0 ||
    (draft.inputTokens ?? draft.outputTokens) !== undefined ||
    attributes.has('gen_ai.provider.name') ||
    attributes.has('gen_ai.system')
  );
}

function attribute(key: string): Finder<AttributeValue> {
  return attributeFinder(key, (evidence) => {
    const value = evidence.attribute(key);
    return isPresent(value) && value !== 'N/A' && !isStringified(value) ? value : undefined;
  });
}

/** Text that JavaScript makes of an object. */
const STRINGIFIED = /^\[object [A-Za-z]{1,40}\]$/;

function isStringified(value: unknown): boolean {
  return typeof value === 'string' && value.length < 50 && STRINGIFIED.test(value);
}

function eventField(eventName: string, key: string): Finder<AttributeValue> {
  return {
    rule: `${eventName} ${key}`,
    find: (evidence) => {
      let found: AttributeValue | undefined;
      evidence.someEvent((event) => {
        if (event.name === eventName) found = event.get(key);
        return isPresent(found);
      });
      return isPresent(found) ? found : undefined;
    },
  };
}

type DefaultRole = 'user' | 'assistant';

function messagesAttribute(key: string, role: DefaultRole): Finder<MessageList> {
  return attributeFinder(key, (evidence) => listOf(evidence.attribute(key), role));
}

/** A span may have several of these events, each with one of the attributes. */
function messagesInDetails(key: string, role: DefaultRole): Finder<MessageList> {
  return messagesInEvent(DETAILS_EVENT, key, role);
}

function messagesInEvent(eventName: string, key: string, role: DefaultRole): Finder<MessageList> {
  const { rule, find } = eventField(eventName, key);
  return { rule, find: (evidence) => listOf(find(evidence), role) };
}

function listOf(value: AttributeValue | undefined, role: DefaultRole): MessageList | undefined {
  if (!isPresent(value)) return undefined;
  const list = decodeMessages(value, role);
  return list.state === 'missing' ? undefined : list;
}

function instructionsOf(value: AttributeValue | undefined): string | undefined {
  if (!isPresent(value)) return undefined;
  const { messages } = decodeMessages(value, 'system');
  const texts = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' && !isStringified(part.text) ? part.text : [])),
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

function instructionsInDetails(evidence: Evidence): string | undefined {
  return instructionsOf(eventField(DETAILS_EVENT, 'gen_ai.system_instructions').find(evidence));
}

function finalResult({ span }: Evidence) {
  const text = span.attributes.text('final_result');
  return text === undefined || text === '' ? undefined : textContent(text);
}

/** A span whose status is an error says more than that. */
function toolStatusError({ span, status: spanStatus }: Evidence): StepError | undefined {
  if (spanStatus === 'error') return undefined;
  const status = span.attributes.text('gen_ai.tool.status');
  return status === 'error' ? { type: 'tool_error', message: '', source: 'gen_ai.tool.status' } : undefined;
}
