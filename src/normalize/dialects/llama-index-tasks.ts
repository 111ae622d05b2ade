/**
 * LlamaIndex's workflow as OpenLLMetry records it: each step of it is a task, and its output is the event with which the
 * workflow went on. No model call has a span; what the agent was asked and answered is in these events:
 *
 *     {"input": [messages], "current_agent_name"}      begins a round of the agent
 *     {"result": {"response": message, …}}      ends the workflow
 *     {"tool_name", "tool_kwargs", "tool_id", "tool_output": {…}}      a tool's, which has `tool.arguments` as well
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, member } from '../jsonish.ts';
import { attributeFinder } from '../attribute-finder.ts';
import { errorIn, resultIn } from './llama-index.ts';

const SCOPE = 'opentelemetry.instrumentation.llamaindex';
const OUTPUT = 'traceloop.entity.output';
const ARGUMENTS = 'tool.arguments';
/** Last of an event's members: texts before it have their quotes escaped. */
const AGENT = /"current_agent_name": ?"([^"\\]{1,256})"/;
const TOOL_ID = /"tool_id": ?"([\w-]{1,128})"/;

export const llamaIndexTasks: Dialect = {
  name: 'llama-index-tasks',
  marker: OUTPUT,
  infer,
  inferDetails,
  messagesIn: [{ rule: `${OUTPUT} input`, key: OUTPUT, find: asked }],
  messagesOut: [{ rule: `${OUTPUT} result`, key: OUTPUT, find: answered }],
  toolArgs: [attributeFinder(ARGUMENTS)],
  toolResult: [{ rule: `${OUTPUT} raw_output`, key: ARGUMENTS, find: (evidence) => resultIn(toolOutput(evidence)) }],
  error: [{ rule: `${OUTPUT} is_error`, key: ARGUMENTS, find: (evidence) => errorIn(toolOutput(evidence), OUTPUT) }],
};

function infer(draft: Draft, { scope, attributes }: SpanView): void {
  if (scope.name !== SCOPE || !attributes.has(ARGUMENTS)) return;
  draft.kind = 'tool';
  draft.rules?.set('kind', ARGUMENTS);
  draft.set('toolCallId', TOOL_ID.exec(attributes.text(OUTPUT) ?? '')?.[1], `${OUTPUT} tool_id`);
}

function inferDetails(draft: Draft, { scope, attributes }: SpanView): void {
  if (scope.name !== SCOPE || draft.kind === 'tool') return;
  draft.set('agentName', AGENT.exec(attributes.text(OUTPUT) ?? '')?.[1], `${OUTPUT} current_agent_name`);
}

function asked(evidence: Evidence): MessageList | undefined {
  return messages(member(eventOf(evidence, '{"input":'), 'input'), 'user');
}

function answered(evidence: Evidence): MessageList | undefined {
  const response = member(member(eventOf(evidence, '{"result":'), 'result'), 'response');
  return response === undefined ? undefined : messages([response], 'assistant');
}

function messages(value: unknown, side: 'user' | 'assistant'): MessageList | undefined {
  // The cast holds: parsed JSON consists of AttributeValues.
  return Array.isArray(value) ? decodeMessages(value as AttributeValue, side) : undefined;
}

function toolOutput(evidence: Evidence): unknown {
  return member(eventOf(evidence, '{"tool_name":'), 'tool_output');
}

/** Output of a task that begins with that member. */
function eventOf({ span: { scope, attributes } }: Evidence, beginning: string): unknown {
  const text = scope.name === SCOPE ? attributes.text(OUTPUT) : undefined;
  return text?.startsWith(beginning) === true ? decodeJsonish(text).value : undefined;
}
