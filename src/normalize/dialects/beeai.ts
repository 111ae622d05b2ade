/**
 * BeeAI in TypeScript through OpenInference, which makes a span of each *event*, all when the run is over:
 *
 *     backend.openai.chat.start-2     what the model was asked
 *     backend.openai.chat.success-2   what it answered, and tokens; or .error-1, whose status is OK
 *     tool.dynamic.bookMeeting.success-1   arguments, result; or .error-1. The name is changed: the real one, and the call's
 *                                     id, are at the end of `metadata`, after the agent's whole memory
 *     agent.toolCalling.start-2       around one model call and its tools
 *
 * So the model call is the event that ended it, likewise the tool call; the others are steps. The answer comes as a call of
 * the framework's own tool `final_answer`, which is no tool of the agent's.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { Content, StepError } from '../../model/step.ts';
import { MISSING } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import { changed, FINAL_ANSWER, withFinalAnswer } from '../final-answer.ts';
import { asCount, rows } from '../rows.ts';
import { messagesOutOfOpenInference } from './openinference-messages.ts';
import { UNTYPED_ERROR } from './otel.ts';

const SCOPE = '@arizeai/openinference-instrumentation-beeai';
/**
 * In Python, spans are of calls; the answer is a tool of the framework's there, too. Work that failed gives back its
 * error, as BeeAI explains it: `ToolError(beeai_framework.tools.errors): …`, and the causes on the lines below.
 */
const PYTHON_SCOPE = 'openinference.instrumentation.beeai';
const PYTHON = { name: 'beeai', wrote: ({ span }: Evidence) => span.scope.name === PYTHON_SCOPE };
const PRINTED_ERROR = /^(\w{1,80})\([\w.]{1,160}\): /;
const TARGET = 'target';
const OUTPUT = 'output.value';

export const beeAi: Dialect = {
  name: 'beeai',
  rows: [
    ...rows('cacheReadTokens', asCount, ['metadata.usage.cached_prompt_tokens']),
    ...rows('cacheWriteTokens', asCount, ['metadata.usage.cached_creation_tokens']),
  ],
  infer,
  messagesOut: [
    { rule: `beeai ${OUTPUT}`, key: TARGET, find: answered },
    ...messagesOutOfOpenInference.map((finder) => changed(finder, PYTHON, withFinalAnswer)),
  ],
  output: [{ rule: `beeai ${OUTPUT} of work that failed`, key: OUTPUT, find: noAnswer }],
  toolArgs: [{ rule: 'beeai input.value', key: 'input.value', find: pythonArguments }],
  toolResult: [{ rule: `beeai ${OUTPUT}`, key: TARGET, find: result }],
  error: [
    { rule: 'beeai exception', key: TARGET, find: failure },
    { rule: `beeai ${OUTPUT} of work that failed`, key: OUTPUT, find: printedError },
  ],
};

function infer(draft: Draft, span: SpanView): void {
  const { attributes, scope } = span;
  if (scope.name === PYTHON_SCOPE) {
    if (span.name === FINAL_ANSWER || draft.toolName === FINAL_ANSWER) becomeStep(draft, FINAL_ANSWER);
    // Below the call that failed there is an event of the same kind.
    else if (span.name === 'error' && attributes.has('metadata.path')) becomeStep(draft, 'metadata.path: an event');
  }
  if (scope.name !== SCOPE) return;
  const target = attributes.text(TARGET);
  if (target === undefined) return;
  const isEnd = target.endsWith('.success') || target.endsWith('.error');
  if (draft.kind === 'tool' && isEnd) inferTool(draft, attributes.text('metadata') ?? '', target);
  else if (draft.kind !== 'llm' || !isEnd) becomeStep(draft, `span name: ${span.name.slice(0, 64)}`);
}

function inferTool(draft: Draft, metadata: string, target: string): void {
  const call = callIn(metadata);
  const toolName = memberText(call, 'toolName') ?? target.split('.').at(-2);
  if (toolName === FINAL_ANSWER || toolName === 'finalAnswer') {
    becomeStep(draft, FINAL_ANSWER);
    return;
  }
  draft.set('toolName', toolName, 'metadata toolCallMsg');
  draft.set('toolCallId', memberText(call, 'toolCallId'), 'metadata toolCallMsg');
}

function becomeStep(draft: Draft, rule: string): void {
  draft.kind = 'step';
  draft.rules?.set('kind', rule);
}

const CALL = '"toolCallMsg":';

/** The last member: reading it alone spares the memory before it. */
function callIn(metadata: string): unknown {
  const at = metadata.lastIndexOf(CALL);
  if (at === -1 || !metadata.endsWith('}')) return undefined;
  return decodeJsonish(metadata.slice(at + CALL.length, -1)).value;
}

function answered({ span: { attributes, scope } }: Evidence): MessageList | undefined {
  const value = attributes.get(OUTPUT);
  if (scope.name !== SCOPE || !isPresent(value)) return undefined;
  return withFinalAnswer(decodeMessages(value, 'assistant'));
}

/** `{"input": {…}, "options": null}` around the arguments. */
function pythonArguments({ span: { attributes, scope } }: Evidence): AttributeValue | undefined {
  const value = scope.name === PYTHON_SCOPE ? attributes.get('input.value') : undefined;
  if (!isPresent(value)) return undefined;
  const decoded = decodeJsonish(value).value;
  // The cast holds: parsed JSON consists of AttributeValues.
  return member(decoded, 'options') === undefined ? undefined : (member(decoded, 'input') as AttributeValue);
}

/** `{"result": …}` around whatever the tool gave back as text. */
function result({ span: { attributes, scope } }: Evidence): AttributeValue | undefined {
  const value = attributes.get(OUTPUT);
  if (scope.name !== SCOPE || !isPresent(value)) return undefined;
  const decoded = decodeJsonish(value).value;
  const inside = member(decoded, 'result');
  const isOnly = inside !== undefined && Object.keys(decoded ?? {}).length === 1;
  // The cast widens: parsed JSON consists of AttributeValues all the way down.
  return isOnly ? (inside as AttributeValue) : value;
}

function failure({ span: { attributes, scope, statusMessage } }: Evidence): StepError | undefined {
  if (scope.name !== SCOPE || attributes.text(TARGET)?.endsWith('.error') !== true) return undefined;
  const message = statusMessage || (attributes.text('exception.message') ?? '');
  return { type: attributes.text('exception.type') ?? UNTYPED_ERROR, message, source: 'exception' };
}

function noAnswer(evidence: Evidence): Content | undefined {
  return printedError(evidence) === undefined ? undefined : MISSING;
}

function printedError({ status, span: { attributes, scope } }: Evidence): StepError | undefined {
  const message = status === 'error' && scope.name === PYTHON_SCOPE ? attributes.text(OUTPUT) : undefined;
  const type = PRINTED_ERROR.exec(message ?? '')?.[1];
  return message === undefined || type === undefined ? undefined : { type, message, source: OUTPUT };
}
