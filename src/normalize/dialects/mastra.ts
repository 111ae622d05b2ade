/**
 * Mastra (`@mastra/otel-exporter`, `@mastra/arize`): GenAI keys for model and tool calls, and keys of its own.
 *
 *     mastra.span.type      agent_run > model_generation > model_step > model_inference, tool_call
 *     mastra.<type>.input   text, messages, or {messages}
 *     mastra.<type>.output  {text, toolCalls?, files?}
 *
 * A `model_generation` is all that a model did in a turn, with the tools in between: each call is a `model_inference`.
 * Until 1.0 it was one span, `chat`, and content was in `input` and `output`. For Arize the keys are OpenInference's.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { StepKind } from '../../model/step.ts';
import { contentOf, textContent } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { decodeMessages, lastSaid, type MessageList } from '../chat-messages.ts';
import { asKind, asText, row, rows } from '../rows.ts';

const TYPE = 'mastra.span.type';
const TYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['agent_run', 'agent'],
  ['workflow_run', 'workflow'],
  ['model_generation', 'step'],
  ['model_step', 'step'],
  ['model_inference', 'llm'],
  ['model_chunk', 'other'],
  ['tool_call', 'tool'],
  ['mcp_tool_call', 'tool'],
  ['client_tool_call', 'tool'],
  ['provider_tool_call', 'tool'],
  ['processor_run', 'step'],
  ['memory_operation', 'memory'],
  ['scorer_run', 'evaluator'],
  ['scorer_step', 'evaluator'],
  ['rag_embedding', 'embedding'],
  ['rag_vector_operation', 'retrieval'],
  ['workflow_step', 'step'],
]);

/** Spans whose input is messages, and whose output is an answer. */
const ASKED = ['model_inference', 'model_step', 'model_generation', 'processor_run'] as const;
const ANSWERED = ['model_inference', 'model_step', 'model_generation'] as const;
const AGENT_INPUTS = ['mastra.agent_run.input', 'mastra.workflow_run.input', 'input'] as const;
const AGENT_OUTPUTS = ['mastra.agent_run.output', 'mastra.workflow_run.output', 'output'] as const;

export const mastra: Dialect = {
  name: 'mastra',
  rows: [row('kind', TYPE, asKind(TYPES)), ...rows('agentId', asText, ['agent.id'])],
  messagesIn: ASKED.map((type) => messages(`mastra.${type}.input`, 'user')),
  messagesOut: ANSWERED.map((type) => messages(`mastra.${type}.output`, 'assistant')),
  input: AGENT_INPUTS.map((key) =>
    attributeFinder(key, (evidence) => {
      const value = written(evidence, key);
      return value === undefined ? undefined : lastSaid(decodeMessages(value, 'user'), 'user');
    }),
  ),
  output: AGENT_OUTPUTS.map((key) =>
    attributeFinder(key, (evidence) => {
      const value = written(evidence, key);
      if (value === undefined) return undefined;
      const decoded = decodeJsonish(value);
      const text = memberText(decoded.value, 'text');
      if (text !== undefined) return textContent(text, decoded.state);
      // An agent that was to give an object has it beside an empty text.
      const object = member(decoded.value, 'object');
      return object === undefined && isEmptyAnswer(decoded.value) ? undefined : contentOf(object ?? value);
    }),
  ),
};

/** `input` and `output` are anybody's keys; they are Mastra's where it says of what type the span is. */
function written(evidence: Evidence, key: string): AttributeValue | undefined {
  const value = evidence.attribute(key);
  if (!isPresent(value)) return undefined;
  return key.startsWith('mastra.') || evidence.span.attributes.has(TYPE) ? value : undefined;
}

function isEmptyAnswer(value: unknown): boolean {
  return member(value, 'text') === '';
}

function messages(key: string, role: 'user' | 'assistant'): Finder<MessageList> {
  return attributeFinder(key, ({ span }) => {
    const value = span.attributes.get(key);
    if (!isPresent(value)) return undefined;
    const list = decodeMessages(value, role);
    return list.messages.every(({ parts }) => parts.length === 0) && list.state === 'whole' ? undefined : list;
  });
}
