/**
 * Google's Agent Development Kit, in JavaScript and in Python, which write the members of one JSON in camelCase and in
 * snake_case:
 *
 *     invocation > invoke_agent X > call_llm > execute_tool X      older: agent_run [X]
 *     invoke_workflow > invoke_agent X > generate_content, execute_tool X      Python since 2.x, with the GenAI keys
 *     gcp.vertex.agent.llm_request     {model, contents: [{role, parts}], config: {systemInstruction, tools}}
 *     gcp.vertex.agent.llm_response    {content: {role, parts}, usageMetadata, finishReason, errorCode?, errorMessage?}
 *     gcp.vertex.agent.tool_call_args, .tool_response     what is not an object is wrapped: {result: …};
 *                                                         in JavaScript, a list is {results: […]}
 *
 * `{}` stands for content that was not recorded, and for the request of a span that has none. Only the last event of a
 * streamed answer is there; the calls it asked for are in the next request. After parallel calls a span for the merged
 * responses follows that is no call. A tool that threw has a span without attributes, and `{error}` as its response for
 * the model.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { StepError, StepKind } from '../../model/step.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { finishReasonOf } from '../finish-reason.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { decodeMessages, messageOf, type MessageList } from '../chat-messages.ts';
import { row } from '../rows.ts';
import { functionResult } from '../tool-results.ts';
import { messagesInOfSemconv, messagesOutOfSemconv, toolError } from './google-adk-semconv.ts';

const SCOPE = 'gcp.vertex.agent';
const REQUEST = 'gcp.vertex.agent.llm_request';
const RESPONSE = 'gcp.vertex.agent.llm_response';
const ARGS = 'gcp.vertex.agent.tool_call_args';
const RESULT = 'gcp.vertex.agent.tool_response';
const NEWER_RESULT = 'gen_ai.tool.call.result';
const MERGED = '(merged tools)';

const SPAN_NAMES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['invocation', 'workflow'],
  ['call_llm', 'llm'],
  ['send_data', 'other'],
]);
const OLDER_AGENT = /^agent_run \[(.{1,256})\]$/;

export const googleAdk: Dialect = {
  name: 'google-adk',
  rows: [
    row('kind', 'gen_ai.tool.name', (value) => (value === MERGED ? 'other' : undefined)),
    // `gen_ai.usage.output_tokens` leaves out the thoughts.
    row('outputTokens', RESPONSE, outputTokens),
    row('cacheReadTokens', RESPONSE, (value) => countIn(value, CACHED)),
    row('reasoningTokens', RESPONSE, (value) => countIn(value, THOUGHTS)),
  ],
  infer,
  inferDetails,
  messagesIn: [
    attributeFinder(REQUEST, ({ span }) => requestMessages(recorded(span, REQUEST))),
    ...messagesInOfSemconv,
  ],
  messagesOut: [
    attributeFinder(RESPONSE, ({ span }) => responseMessages(recorded(span, RESPONSE))),
    ...messagesOutOfSemconv,
  ],
  toolArgs: [attributeFinder(ARGS, toolArgs)],
  toolResult: [
    attributeFinder(RESULT, ({ span }) => unwrapped(recorded(span, RESULT))),
    { rule: `${NEWER_RESULT} of ADK`, key: NEWER_RESULT, find: newerResult },
  ],
  error: [attributeFinder(RESPONSE, responseError), toolError],
};

function infer(draft: Draft, span: SpanView): void {
  if (draft.kind !== undefined) return;
  const kind = SPAN_NAMES.get(span.name) ?? (OLDER_AGENT.test(span.name) ? 'agent' : undefined);
  if (kind !== undefined && span.scope.name === SCOPE) draft.set('kind', kind, 'span name');
}

function inferDetails(draft: Draft, span: SpanView): void {
  if (draft.kind === 'agent') draft.set('agentName', OLDER_AGENT.exec(span.name)?.[1], 'span name');
}

function recorded({ attributes }: SpanView, key: string): AttributeValue | undefined {
  const value = attributes.get(key);
  return isPresent(value) && value !== '{}' && value !== '<not specified>' ? value : undefined;
}

function requestMessages(value: AttributeValue | undefined): MessageList | undefined {
  if (value === undefined) return undefined;
  const list = decodeMessages(value, 'user');
  return list.state === 'missing' ? undefined : list;
}

function responseMessages(value: AttributeValue | undefined): MessageList | undefined {
  if (value === undefined) return undefined;
  const decoded = decodeJsonish(value);
  if (decoded.state !== 'whole') return { state: decoded.state, messages: [] };
  const reason = finishReasonOf(member(decoded.value, 'finishReason') ?? member(decoded.value, 'finish_reason'));
  const messages = messageOf(member(decoded.value, 'content'), 'assistant');
  if (messages.every(({ parts }) => parts.length === 0)) return undefined;
  return { state: 'whole', messages: messages.map((message) => ({ ...message, finishReason: reason })) };
}

/** A call without arguments is written as content that was left out, and known from its response, which is there. */
function toolArgs({ span }: Evidence): AttributeValue | undefined {
  const value = recorded(span, ARGS);
  if (value === 'N/A') return undefined;
  return value ?? (recorded(span, RESULT) === undefined ? undefined : ifThere(span.attributes.get(ARGS)));
}

function ifThere(value: AttributeValue | undefined): AttributeValue | undefined {
  return isPresent(value) ? value : undefined;
}

const WRAPPED = /^\{"results?":/;

/** Wrapped all the same, since 2.x, under everybody's key. */
function newerResult(evidence: Evidence): AttributeValue | undefined {
  const value = evidence.attribute(NEWER_RESULT);
  if (typeof value !== 'string' || !WRAPPED.test(value)) return undefined;
  return evidence.span.scope.name === SCOPE ? unwrapped(value) : undefined;
}

function unwrapped(value: AttributeValue | undefined): AttributeValue | undefined {
  if (value === undefined) return undefined;
  const written = decodeJsonish(value).value;
  const single = functionResult(written);
  const result = single === written ? listIn(written) : single;
  // The cast widens: what was decoded consists of AttributeValues all the way down.
  return result === written ? value : (result as AttributeValue);
}

function listIn(written: unknown): unknown {
  const list = member(written, 'results');
  return Array.isArray(list) && Object.keys(written ?? {}).length === 1 ? list : written;
}

function responseError({ span }: Evidence): StepError | undefined {
  const value = recorded(span, RESPONSE);
  if (typeof value !== 'string' || !ERROR_CODE.test(value)) return undefined;
  const response = decodeJsonish(value).value;
  const type = memberText(response, 'errorCode') ?? memberText(response, 'error_code');
  const message = memberText(response, 'errorMessage') ?? memberText(response, 'error_message');
  return type === undefined ? undefined : { type, message: message ?? type, source: RESPONSE };
}

/*
 * Counts are found without parsing the answer that they stand beside: inside a JSON string the quote that ends such a name
 * would have a backslash before it.
 */
const ERROR_CODE = /"(?:errorCode|error_code)"/;
const CANDIDATES = /"(?:candidatesTokenCount|candidates_token_count)"\s?:\s?(\d{1,15})/;
const THOUGHTS = /"(?:thoughtsTokenCount|thoughts_token_count)"\s?:\s?(\d{1,15})/;
const CACHED = /"(?:cachedContentTokenCount|cached_content_token_count)"\s?:\s?(\d{1,15})/;

function countIn(value: AttributeValue, name: RegExp): number | undefined {
  const digits = typeof value === 'string' ? name.exec(value)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

function outputTokens(value: AttributeValue): number | undefined {
  const candidates = countIn(value, CANDIDATES);
  const thoughts = countIn(value, THOUGHTS);
  return candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0);
}
