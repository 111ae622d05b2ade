/**
 * OpenInference (Arize): `openinference.span.kind`, messages flattened into `llm.*`, and `input.value`/`output.value` for
 * everything. Its instrumentations cover OpenAI, Anthropic, LangChain, LlamaIndex, the OpenAI Agents SDK, CrewAI and more.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { StepError, StepKind } from '../../model/step.ts';
import { agentNameIn } from '../agent-names.ts';
import { textContent } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { finishReasonsOf } from '../finish-reason.ts';
import { inOrder, leavesUnder } from '../flattened.ts';
import { pythonObjectIn } from '../../model/python-literal.ts';
import { instructionsOf } from '../exchanges.ts';
import { decodeJsonish, isPresent, member } from '../jsonish.ts';
import { toolMessageIn } from '../langchain.ts';
import { decodeMessages, textOf } from '../chat-messages.ts';
import { settleRawUsage } from '../raw-usage.ts';
import { asCount, asNumber, asText, memberAs, row, rows } from '../rows.ts';
import { wordsIn } from '../plain-text.ts';
import { argumentsIn, fromPython, tracedArgumentsIn } from '../wrappings.ts';
import { kindOf, messagesInOfOpenInference, messagesOutOfOpenInference } from './openinference-messages.ts';

const KINDS: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['LLM', 'llm'],
  ['EMBEDDING', 'embedding'],
  ['CHAIN', 'step'],
  ['RETRIEVER', 'retrieval'],
  ['RERANKER', 'rerank'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
  ['GUARDRAIL', 'guardrail'],
  ['EVALUATOR', 'evaluator'],
  ['PROMPT', 'step'],
]);

/** A hand-over to another agent, which the OpenAI Agents instrumentation writes as a tool call. */
const DSPY = 'openinference.instrumentation.dspy';
const HANDOFF = /^handoff(?: to |_to_)/;

export const openInference: Dialect = {
  name: 'openinference',
  rows: [
    row('kind', 'openinference.span.kind', (value) =>
      typeof value === 'string' ? KINDS.get(value.toUpperCase()) : undefined,
    ),
    row('agentName', 'metadata', memberAs(['lc_agent_name'], asText)),
    ...rows('toolName', asText, ['tool.name']),
    ...rows('toolCallId', asText, ['tool.id', 'tool_call.id']),
    ...rows('requestModel', asText, ['llm.request.model_name', 'embedding.model_name', 'reranker.model_name']),
    ...rows('responseModel', asText, ['llm.response.model_name', 'llm.model_name']),
    ...rows('provider', asText, ['llm.provider', 'llm.system']),
    ...rows('finishReasons', finishReasonsOf, ['llm.finish_reason']),
    ...rows('inputTokens', asCount, ['llm.token_count.prompt']),
    ...rows('outputTokens', asCount, ['llm.token_count.completion']),
    ...rows('cacheReadTokens', asCount, ['llm.token_count.prompt_details.cache_read']),
    ...rows('cacheWriteTokens', asCount, ['llm.token_count.prompt_details.cache_write']),
    ...rows('reasoningTokens', asCount, ['llm.token_count.completion_details.reasoning']),
    ...rows('costUsd', asNumber, ['llm.cost.total']),
  ],
  captured: [
    ['input', 'llm.input_messages.*'],
    ['output', 'llm.output_messages.*'],
    ['input', 'input.value'],
    ['toolArgs', 'input.value'],
    ['output', 'output.value'],
    ['toolResult', 'output.value'],
  ],
  marker: 'openinference.span.kind',
  infer,
  inferDetails,
  messagesIn: messagesInOfOpenInference,
  messagesOut: messagesOutOfOpenInference,
  systemInstructions: [attributeFinder('input.value', rawInstructions)],
  input: [attributeFinder('input.value', (evidence) => wordsIn(evidence.attribute('input.value'), 'user'))],
  output: [
    documents('retrieval.documents.'),
    documents('reranker.output_documents.'),
    attributeFinder('output.value', (evidence) => wordsIn(evidence.attribute('output.value'), 'assistant')),
  ],
  toolArgs: [attributeFinder('input.value', toolInput), attributeFinder('tool.parameters', toolParameters)],
  toolResult: [attributeFinder('output.value', toolOutput)],
  error: [{ rule: 'output.value status', key: 'output.value', find: toolMessageError }],
};

function infer(draft: Draft, span: SpanView): void {
  if (draft.kind === 'tool') inferTool(draft, span);
  else if (draft.kind === 'step' && span.parentSpanId === undefined && isChain(span)) {
    // A chain with nothing around it is what the user called.
    draft.kind = 'workflow';
    draft.rules?.set('kind', 'openinference.span.kind at the root');
  } else if (draft.kind === 'llm') inferUsage(draft, span);
}

/** Counts other than zero of what is a part of the tokens; the second as Python prints the object of OpenAI's client. */
const USAGE_DETAIL = /"(?:reasoning_tokens|cached_tokens)": ?[1-9]/;
const PRINTED = 'CompletionUsage';
const PRINTED_DETAIL = /[ (](?:reasoning_tokens|cached_tokens)=[1-9]/;

/** Reads the raw answer if the counts are missing, or those of cached and reasoning tokens. */
function inferUsage(draft: Draft, { attributes }: SpanView): void {
  const isCounted = (draft.inputTokens ?? draft.outputTokens) !== undefined;
  if (isCounted && (draft.cacheReadTokens ?? draft.reasoningTokens) !== undefined) return;
  const text = attributes.text('output.value');
  if (text === undefined) return;
  const answer = isCounted && !USAGE_DETAIL.test(text) ? undefined : jsonIn(text, '"usage');
  if (answer !== undefined) settleRawUsage(draft, answer, 'output.value usage');
  else if (text.includes(PRINTED) && PRINTED_DETAIL.test(text))
    settleRawUsage(draft, { usage: pythonObjectIn(text, PRINTED) }, 'output.value CompletionUsage');
}

function isChain(span: SpanView): boolean {
  return span.attributes.text('openinference.span.kind')?.toUpperCase() === 'CHAIN';
}

function inferTool(draft: Draft, span: SpanView): void {
  if (span.scope.name === DSPY && inferDspyTool(draft, span.name)) return;
  if (HANDOFF.test(span.name)) {
    draft.kind = 'step';
    draft.rules?.set('kind', 'span name: handoff');
    return;
  }
  if (draft.toolCallId !== undefined) return;
  const message = toolMessageIn(jsonIn(span.attributes.text('output.value'), 'tool_call_id'));
  draft.set('toolCallId', message?.tool_call_id, 'output.value tool_call_id');
}

/** DSPy's tools are called after the method that ran, and its ways to end the loop are tools of its own. */
function inferDspyTool(draft: Draft, name: string): boolean {
  const tool = draft.toolName ?? name.replace(/\.__call__$/, '');
  draft.toolName = tool.replace(/\.__call__$/, '');
  if (draft.toolName !== 'finish' && draft.toolName !== 'submit') return false;
  draft.kind = 'step';
  draft.rules?.set('kind', `${draft.toolName} of DSPy`);
  return true;
}

function inferDetails(draft: Draft, span: SpanView): void {
  const { attributes } = span;
  if (draft.kind === 'agent') {
    draft.set('agentName', attributes.text('graph.node.name'), 'graph.node.name');
    draft.set('agentName', attributes.text('graph.node.id'), 'graph.node.id');
  }
  // The OpenAI Agents instrumentation names the root after the workflow, and the agents below by their node.
  const isNamed = draft.kind === 'agent' || draft.kind === 'workflow';
  if (isNamed && !span.scope.name.includes('openai-agents')) {
    draft.set('agentName', agentNameIn(span.name), 'span name');
  }
  if (draft.kind === 'llm' && draft.responseId === undefined) {
    draft.set(
      'responseId',
      RESPONSE_ID.exec(attributes.text('output.value')?.slice(0, 200) ?? '')?.[1],
      'output.value id',
    );
  }
}

/** Answers of the OpenAI and Anthropic APIs begin with their id. */
const RESPONSE_ID = /^\{"id":"((?:chatcmpl|resp|msg)[\w-]{1,128})"/;

/** Parsed only if it has the word, since nearly all values are long and have not. */
function jsonIn(text: string | undefined, word: string): unknown {
  if (text === undefined || !/^[[{]/.test(text) || !text.includes(word)) return undefined;
  const decoded = decodeJsonish(text);
  return typeof decoded.value === 'object' ? decoded.value : undefined;
}

function toolInput(evidence: Evidence): AttributeValue | undefined {
  const value = evidence.attribute('input.value');
  if (!isPresent(value)) return undefined;
  if (evidence.span.scope.name === DSPY) return argumentsIn(value);
  return tracedArgumentsIn(value, () => parameterNames(evidence)) ?? fromPython(value);
}

/** Parameters in the order in which the tool takes them. */
function parameterNames(evidence: Evidence): readonly string[] {
  const value = evidence.attribute('tool.parameters');
  if (!isPresent(value)) return [];
  const { value: decoded } = decodeJsonish(value);
  const described = member(decoded, 'properties') ?? decoded;
  return typeof described === 'object' && described !== null && isSchema(decoded) ? Object.keys(described) : [];
}

/** A request that has its instructions beside the messages. */
function rawInstructions(evidence: Evidence): string | undefined {
  if (kindOf(evidence) !== 'LLM') return undefined;
  const value = evidence.attribute('input.value');
  if (typeof value !== 'string' || !/"(?:system|instructions|system_?[iI]nstruction)"/.test(value)) return undefined;
  const instructions = instructionsOf(decodeJsonish(value).value);
  if (instructions === undefined) return undefined;
  const [message] = decodeMessages([{ role: 'system', content: instructions as AttributeValue }], 'system').messages;
  return message === undefined ? undefined : textOf(message) || undefined;
}

/** Arguments in some instrumentations, the schema of arguments in others. */
function toolParameters(evidence: Evidence): AttributeValue | undefined {
  const value = evidence.attribute('tool.parameters');
  if (!isPresent(value)) return undefined;
  const { value: decoded } = decodeJsonish(value);
  return isSchema(decoded) ? undefined : value;
}

/** Arguments in the form of JSON Schema, or of the parameters one by one. */
function isSchema(decoded: unknown): boolean {
  if (typeof decoded !== 'object' || decoded === null) return false;
  const isOfObject = member(decoded, 'type') === 'object' && member(decoded, 'properties') !== undefined;
  const parameters = Object.values(decoded);
  return (
    isOfObject ||
    member(decoded, '$schema') !== undefined ||
    member(decoded, 'anyOf') !== undefined ||
    (parameters.length > 0 &&
      parameters.every((item) => member(item, 'type') !== undefined && member(item, 'description') !== undefined))
  );
}

/** Result of the tool, taken out of the message for the model. */
function toolOutput(evidence: Evidence): AttributeValue | undefined {
  const value = evidence.attribute('output.value');
  if (!isPresent(value)) return undefined;
  const message = toolMessageIn(jsonIn(typeof value === 'string' ? value : undefined, 'tool_call_id'));
  // The cast holds: parsed JSON consists of AttributeValues.
  return message === undefined ? value : (message.content as AttributeValue);
}

function toolMessageError(evidence: Evidence): StepError | undefined {
  if (kindOf(evidence) !== 'TOOL') return undefined;
  const message = toolMessageIn(jsonIn(evidence.span.attributes.text('output.value'), '"error"'));
  if (message?.status !== 'error') return undefined;
  const said = typeof message.content === 'string' ? message.content : '';
  return { type: 'tool_error', message: said, source: 'output.value status' };
}

/** Documents, in the order in which they were found. */
function documents(prefix: string): Finder<ReturnType<typeof textContent>> {
  return attributeFinder(`${prefix}*`, (evidence) => {
    const contents = new Map<number, string>();
    for (const { index, path, value } of leavesUnder(evidence.span.attributes, prefix)) {
      if (path === 'document.content' && typeof value === 'string') contents.set(index, value);
    }
    return contents.size === 0 ? undefined : textContent(inOrder(contents).join('\n\n'));
  });
}
