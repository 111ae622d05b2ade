/**
 * smolagents (Hugging Face) as OpenInference records it:
 *
 *     <agent>.run      {task, reset, …} and the answer. A run that throws is never exported
 *     Step 1, Step 2   the memory of the step, as Python prints it; then what its tools gave back
 *     FinalAnswerTool  the framework's own tool, which the model answers through
 *     <Model>.generate   the user's words follow `New task:`
 *
 * So a step has no words of the user or the agent, which matters where the run above it is missing.
 */
import type { SpanView } from '../../otlp/views.ts';
import type { Content, Message, Part } from '../../model/step.ts';
import type { MessageList } from '../chat-messages.ts';
import { MISSING } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { changed, FINAL_ANSWER, withFinalAnswer } from '../final-answer.ts';
import { kindOf, messagesInOfOpenInference, messagesOutOfOpenInference } from './openinference-messages.ts';

const SCOPE = 'openinference.instrumentation.smolagents';
/** Both write the framework's own tool as one of the agent's. */
const SCOPES: ReadonlySet<string> = new Set([SCOPE, 'opentelemetry.instrumentation.genai.smolagents']);
const EMITTER = { name: 'smolagents', wrote: isOurs };
const NEW_TASK = 'New task:\n';

export const smolagents: Dialect = {
  name: 'smolagents',
  infer,
  inferDetails,
  messagesIn: messagesInOfOpenInference.map((finder) => changed(finder, EMITTER, withoutHeading)),
  messagesOut: messagesOutOfOpenInference.map((finder) => changed(finder, EMITTER, withFinalAnswer)),
  input: [{ rule: 'smolagents step', key: 'input.value', find: noWords }],
  output: [{ rule: 'smolagents step', key: 'output.value', find: noWords }],
};

/** `order_bot.run`; without a name of its own, an agent is called after its class. */
const RUN = /^(.{1,256})\.run$/;
const CLASS = /^[A-Z]\w*Agent$/;

function inferDetails(draft: Draft, span: SpanView): void {
  const ran = span.scope.name === SCOPE && draft.kind === 'agent' ? RUN.exec(span.name)?.[1] : undefined;
  if (ran !== undefined && !CLASS.test(ran)) draft.set('agentName', ran, 'span name');
}

function infer(draft: Draft, { scope }: SpanView): void {
  if (!SCOPES.has(scope.name) || draft.kind !== 'tool' || draft.toolName !== FINAL_ANSWER) return;
  draft.kind = 'step';
  draft.rules?.set('kind', FINAL_ANSWER);
}

function withoutHeading(list: MessageList): MessageList {
  const shorter = (part: Part): Part =>
    part.type === 'text' && part.text.startsWith(NEW_TASK) ? { ...part, text: part.text.slice(NEW_TASK.length) } : part;
  const plain = (message: Message): Message =>
    message.role === 'user' ? { ...message, parts: message.parts.map(shorter) } : message;
  return { ...list, messages: list.messages.map(plain) };
}

function noWords(evidence: Evidence): Content | undefined {
  return isOurs(evidence) && kindOf(evidence) === 'CHAIN' ? MISSING : undefined;
}

function isOurs({ span }: Evidence): boolean {
  return span.scope.name === SCOPE;
}
