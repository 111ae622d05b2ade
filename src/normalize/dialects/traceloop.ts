/**
 * OpenLLMetry (Traceloop). Spans that an application marks (workflow, agent, task, tool) have `traceloop.*`; model
 * calls follow the GenAI conventions, those of releases before 2026 in a flattened form of their own:
 *
 *     gen_ai.prompt.<i>.{role, content, tool_call_id, tool_calls.<j>.{id, name, arguments}}
 *     gen_ai.completion.<i>.{role, content, finish_reason, tool_calls.<j>.…}
 *
 * It cuts JSON at `OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT`. A function that throws leaves its span open: it never
 * comes.
 */
import type { SpanView } from '../../otlp/views.ts';
import type { StepError, StepKind } from '../../model/step.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { flattenedMessages } from '../flattened.ts';
import { decodeJsonish } from '../jsonish.ts';
import { type PlainMessage, toolMessageIn } from '../langchain.ts';
import type { MessageList } from '../chat-messages.ts';
import { asCount, asKind, asText, rows, row } from '../rows.ts';
import { afterQuestion, type Side, transcriptIn, wordsIn } from '../plain-text.ts';
import { argumentsIn, resultIn } from '../wrappings.ts';

const KINDS: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['workflow', 'workflow'],
  ['task', 'step'],
  ['agent', 'agent'],
  ['tool', 'tool'],
  ['handoff', 'step'],
]);
const REQUEST_TYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['chat', 'llm'],
  ['completion', 'llm'],
  ['rerank', 'rerank'],
  ['embedding', 'embedding'],
]);

/** Classes of LangChain, which stand where the tool's name belongs. */
const TOOL_CLASSES: ReadonlySet<string> = new Set(['DynamicStructuredTool', 'DynamicTool', 'StructuredTool', 'Tool']);

const INPUT = 'traceloop.entity.input';
const OUTPUT = 'traceloop.entity.output';

export const traceloop: Dialect = {
  name: 'traceloop',
  rows: [
    row('kind', 'traceloop.span.kind', asKind(KINDS)),
    row('kind', 'llm.request.type', asKind(REQUEST_TYPES)),
    ...rows('agentVersion', asText, ['traceloop.entity.version']),
    ...rows('inputTokens', asCount, ['llm.usage.prompt_tokens']),
    ...rows('outputTokens', asCount, ['llm.usage.completion_tokens']),
  ],
  captured: [
    ['input', 'gen_ai.prompt.*'],
    ['output', 'gen_ai.completion.*'],
    ['toolArgs', INPUT],
    ['toolResult', OUTPUT],
  ],
  marker: 'traceloop.span.kind',
  infer,
  inferDetails,
  messagesIn: [flat('gen_ai.prompt.', 'user'), transcript(INPUT, 'user')],
  messagesOut: [flat('gen_ai.completion.', 'assistant'), transcript(OUTPUT, 'assistant')],
  input: [attributeFinder(INPUT, (evidence) => wordsIn(evidence.attribute(INPUT), 'user'))],
  output: [attributeFinder(OUTPUT, (evidence) => wordsIn(evidence.attribute(OUTPUT), 'assistant'))],
  error: [{ rule: `${OUTPUT} status`, key: OUTPUT, find: messageError }],
};

/**
 * Data of LangChain's callbacks about a tool are also written under the conventions' keys, still wrapped, so this rule
 * comes before them.
 */
export const traceloopTools: Dialect = {
  name: 'traceloop tools',
  toolArgs: [attributeFinder(INPUT, (evidence) => argumentsIn(evidence.attribute(INPUT)))],
  toolResult: [attributeFinder(OUTPUT, (evidence) => resultIn(evidence.attribute(OUTPUT)))],
};

/** LangChain's glue between the parts of a graph, each of which says that it is a workflow. */
const GLUE = /^(?:Runnable|Channel|Branch|__|LangGraphRunnable)/;

function infer(draft: Draft, span: SpanView): void {
  if (draft.kind === 'workflow' && GLUE.test(span.attributes.text('traceloop.workflow.name') ?? '')) {
    draft.kind = 'step';
    draft.rules?.set('kind', 'traceloop.workflow.name: a runnable');
  }
  if (draft.kind !== 'tool') return;
  const { attributes } = span;
  const entity = attributes.text('traceloop.entity.name');
  if (entity === undefined) return;
  const message = toolMessageOf(attributes.text(OUTPUT));
  draft.set('toolCallId', message?.tool_call_id, `${OUTPUT} tool_call_id`);
  if (draft.toolName !== undefined && TOOL_CLASSES.has(draft.toolName)) draft.toolName = undefined;
  draft.set('toolName', message?.name, `${OUTPUT} name`);
  draft.set('toolName', entity, 'traceloop.entity.name');
}

function inferDetails(draft: Draft, span: SpanView): void {
  if (draft.kind !== 'agent' || draft.agentName !== undefined) return;
  draft.set('agentName', span.attributes.text('traceloop.entity.name'), 'traceloop.entity.name');
}

function flat(prefix: string, side: Side): Finder<MessageList> {
  return attributeFinder(`${prefix}*`, ({ span }) => {
    const list = flattenedMessages(span.attributes, { prefix, defaultRole: side, hasEncodedParts: true });
    return list === undefined || list.state === 'missing' ? undefined : list;
  });
}

/** Input and output of a chain, if they are messages. */
function transcript(key: string, side: Side): Finder<MessageList> {
  return attributeFinder(key, (evidence) => {
    const list = transcriptIn(evidence.attribute(key), side);
    return list === undefined || side === 'user' ? list : afterQuestion(list);
  });
}

function toolMessageOf(text: string | undefined): PlainMessage | undefined {
  if (text === undefined || !text.startsWith('{') || !text.includes('tool_call_id')) return undefined;
  return toolMessageIn(decodeJsonish(text).value);
}

function messageError(evidence: Evidence): StepError | undefined {
  const text = evidence.span.attributes.text(OUTPUT);
  const message = text?.includes('"error"') === true ? toolMessageOf(text) : undefined;
  if (message?.status !== 'error') return undefined;
  const said = typeof message.content === 'string' ? message.content : '';
  return { type: 'tool_error', message: said, source: `${OUTPUT} status` };
}
