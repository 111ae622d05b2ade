/**
 * Haystack, as its own tracer writes it (with HAYSTACK_CONTENT_TRACING_ENABLED), and through OpenInference:
 *
 *     haystack.pipeline.run > haystack.component.run      haystack.component.{type, input, output}
 *                           > haystack.agent.run > haystack.agent.step > haystack.agent.step.llm
 *                                                                      > haystack.agent.step.tool
 *     Pipeline.run > Agent.run      chains, whose messages are printed as Python prints them; no span of a call
 *
 * The application gives the tracer, and with it the scope's name: its own spans are known by their names.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { StepError, StepKind } from '../../model/step.ts';
import { agentNameIn } from '../agent-names.ts';
import { attributeFinder } from '../attribute-finder.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { afterQuestion, type Side, transcriptIn, wordsIn } from '../plain-text.ts';
import { settleRawUsage } from '../raw-usage.ts';
import { asText, rows } from '../rows.ts';

const PREFIX = 'haystack.';
/** Its span of a model call says nothing of it but the names of what the generator gave back. */
const OPENLLMETRY = 'opentelemetry.instrumentation.haystack';
const OPENINFERENCE = 'openinference.instrumentation.haystack';
const LLM_INPUT = 'haystack.agent.step.llm.input';
const LLM_OUTPUT = 'haystack.agent.step.llm.output';
const COMPONENT_OUTPUT = 'haystack.component.output';
const TYPE = 'haystack.component.type';
const TOOL_INPUT = 'haystack.agent.step.tool.input';
const TOOL_OUTPUT = 'haystack.agent.step.tool.output';
const TOOL_ERROR = 'haystack.tool.error';

const KINDS: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['haystack.pipeline.run', 'workflow'],
  ['haystack.async_pipeline.run', 'workflow'],
  ['haystack.agent.run', 'agent'],
  ['haystack.agent.step', 'step'],
  ['haystack.agent.step.llm', 'llm'],
  ['haystack.agent.step.tool', 'tool'],
]);
/** Components by the end of their class's name; the agent's is around its run. */
const COMPONENTS: readonly (readonly [RegExp, StepKind])[] = [
  [/Generator$/, 'llm'],
  [/Retriever$/, 'retrieval'],
  [/Ranker$/, 'rerank'],
  [/Embedder$/, 'embedding'],
];

export const haystack: Dialect = {
  name: 'haystack',
  rows: [...rows('toolName', asText, ['haystack.tool.name'])],
  captured: [
    ['input', LLM_INPUT],
    ['output', LLM_OUTPUT],
    ['output', COMPONENT_OUTPUT],
    ['toolArgs', TOOL_INPUT],
    ['toolResult', TOOL_OUTPUT],
  ],
  infer,
  inferDetails,
  messagesIn: [
    messages(LLM_INPUT, 'user'),
    transcript('haystack.agent.input', 'user'),
    ofComponent('input', 'user'),
    ofPipeline('input.value', 'user'),
  ],
  messagesOut: [
    messages(LLM_OUTPUT, 'assistant'),
    transcript('haystack.agent.output', 'assistant'),
    ofComponent('output', 'assistant'),
    ofPipeline('output.value', 'assistant'),
  ],
  input: [words('haystack.pipeline.input_data', 'user')],
  output: [words('haystack.pipeline.output_data', 'assistant')],
  toolArgs: [attributeFinder(TOOL_INPUT)],
  toolResult: [attributeFinder(TOOL_OUTPUT)],
  error: [attributeFinder(TOOL_ERROR, toolError)],
};

function infer(draft: Draft, span: SpanView): void {
  const { name, attributes, scope } = span;
  if (scope.name === OPENLLMETRY && draft.kind === 'llm') {
    draft.kind = 'other';
    draft.rules?.set('kind', 'span of a generator');
  } else if (name.startsWith(PREFIX)) {
    draft.set('kind', KINDS.get(name) ?? componentKind(attributes.text(TYPE)), 'span name');
    if (draft.kind === 'llm') settleRawUsage(draft, metaOf(span), 'meta of the reply');
  } else if (scope.name === OPENINFERENCE && name.endsWith('Agent.run')) {
    draft.kind = 'agent';
    draft.rules?.set('kind', 'span name: Agent.run');
    settleRawUsage(draft, { usage: tokenUsageIn(attributes.text('output.value')) }, 'output.value token_usage');
  }
}

function inferDetails(draft: Draft, span: SpanView): void {
  if (!span.name.startsWith(PREFIX)) return;
  if (span.attributes.text(TYPE) === 'Agent') {
    const name = span.attributes.text('haystack.component.name') ?? '';
    draft.set('agentName', agentNameIn(name), 'haystack.component.name');
  }
  if (draft.kind !== 'llm') return;
  draft.set('responseModel', memberText(metaOf(span), 'model'), 'meta of the reply');
}

function componentKind(type: string | undefined): StepKind {
  return COMPONENTS.find(([pattern]) => pattern.test(type ?? ''))?.[1] ?? 'step';
}

/** Model and usage of a generator's reply: a member of it, or of a list beside the texts. */
function metaOf({ attributes }: SpanView): unknown {
  const text = attributes.text(LLM_OUTPUT) ?? attributes.text(COMPONENT_OUTPUT);
  if (text === undefined || !text.includes('"meta"')) return undefined;
  const { value } = decodeJsonish(text);
  return member(firstOf(member(value, 'replies')), 'meta') ?? firstOf(member(value, 'meta'));
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function tokenUsageIn(text: string | undefined): unknown {
  return text?.includes('"token_usage"') === true ? member(decodeJsonish(text).value, 'token_usage') : undefined;
}

function messages(key: string, side: Side): Finder<MessageList> {
  return attributeFinder(key, (evidence) => {
    const value = evidence.attribute(key);
    return isPresent(value) ? decodeMessages(value, side) : undefined;
  });
}

function transcript(key: string, side: Side): Finder<MessageList> {
  return attributeFinder(key, (evidence) => said(evidence.attribute(key), side));
}

function said(value: AttributeValue | undefined, side: Side): MessageList | undefined {
  const list = transcriptIn(value, side);
  return list === undefined || side === 'user' ? list : afterQuestion(list);
}

/** Reads the messages of the only component, which stand under its name: `{"data": {"agent": {"messages": […]}}}`. */
function ofPipeline(key: string, side: Side): Finder<MessageList> {
  return {
    rule: `haystack ${key}`,
    key,
    find: (evidence) => {
      const value = evidence.span.scope.name === OPENINFERENCE ? evidence.attribute(key) : undefined;
      // The cast holds: parsed JSON consists of AttributeValues.
      return isPresent(value) ? said(onlyInside(decodeJsonish(value).value, 2) as AttributeValue, side) : undefined;
    },
  };
}

function onlyInside(value: unknown, depth: number): unknown {
  const [only, ...others] = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return depth === 0 || others.length > 0 || typeof only !== 'object' || Array.isArray(only)
    ? value
    : onlyInside(only, depth - 1);
}

/** Messages of a generator; other components do not speak. */
function ofComponent(what: 'input' | 'output', side: Side): Finder<MessageList> {
  const key = `haystack.component.${what}`;
  const { rule, find } = messages(key, side);
  return {
    rule,
    key,
    find: (evidence) => (componentKind(evidence.span.attributes.text(TYPE)) === 'llm' ? find(evidence) : undefined),
  };
}

function words(key: string, side: Side) {
  return attributeFinder(key, (evidence: Evidence) => wordsIn(evidence.attribute(key), side));
}

function toolError({ span: { attributes } }: Evidence): StepError | undefined {
  if (attributes.get(TOOL_ERROR) !== true) return undefined;
  const output: AttributeValue | undefined = attributes.get(TOOL_OUTPUT);
  const said = isPresent(output) ? memberText(decodeJsonish(output).value, 'error') : undefined;
  return { type: 'tool_error', message: said ?? attributes.text(TOOL_OUTPUT) ?? '', source: TOOL_ERROR };
}
