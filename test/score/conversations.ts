/** Small conversations for tests: say what matters, the rest is an ordinary, healthy turn. */
import type { Conversation } from '../../src/model/conversation.ts';
import { type ConversationId, type SpanId, type TraceId, type TurnId, tryParseSpanId } from '../../src/model/ids.ts';
import type { Json } from '../../src/model/json.ts';
import type { Content, ContentState, Step, StepError } from '../../src/model/step.ts';
import type { ToolCall, Turn } from '../../src/model/turn.ts';

export const ROOT_SPAN = spanId(0xa0);

export function spanId(number: number): SpanId {
  const id = tryParseSpanId(number.toString(16).padStart(16, '0'));
  if (id === undefined) throw new Error(`${number} makes no span id`);
  return id;
}

export function content(value: Json | undefined, state: ContentState = 'whole'): Content {
  if (value === undefined) return { state: 'missing', text: '', json: null };
  return { state, text: typeof value === 'string' ? value : JSON.stringify(value), json: value };
}

export const MISSING = content(undefined);
export const REDACTED: Content = { state: 'redacted', text: '', json: null };

export function anError(message: string, type = 'Error'): StepError {
  return { type, message, source: 'status' };
}

let calls = 0;

export function aToolCall(
  name: string,
  parts: Partial<ToolCall> & { args?: Content; result?: Content } = {},
): ToolCall {
  calls += 1;
  return {
    id: `call-${calls}`,
    name,
    args: content({}),
    result: content('done'),
    error: undefined,
    spanId: spanId(0x1000 + calls),
    requestedBy: spanId(0xb0),
    answered: true,
    startedAtMs: 1000 + calls,
    endedAtMs: 1010 + calls,
    ...parts,
  };
}

export function aFailedCall(name: string, message: string, parts: Partial<ToolCall> = {}): ToolCall {
  return aToolCall(name, { error: anError(message), result: MISSING, ...parts });
}

export function aStep(parts: Partial<Step> = {}): Step {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c' as TraceId,
    spanId: spanId(0xb0),
    parentSpanId: ROOT_SPAN,
    parentIsRemote: false,
    links: [],
    kind: 'llm',
    name: 'a-model',
    spanName: 'chat a-model',
    agent: { name: undefined, id: undefined, version: undefined },
    conversationId: undefined,
    userId: undefined,
    input: MISSING,
    output: MISSING,
    systemInstructions: undefined,
    messagesIn: [],
    messagesOut: [],
    tool: undefined,
    model: undefined,
    usage: undefined,
    costUsd: undefined,
    status: 'unset',
    error: undefined,
    startedAtMs: 1000,
    endedAtMs: 1100,
    environment: undefined,
    serviceName: undefined,
    attributes: new Map(),
    marks: { ended: false, state: undefined, truth: undefined },
    toolEffects: new Map(),
    scopeName: 'assay',
    bytes: 100,
    flags: [],
    rules: new Map(),
    ...parts,
  };
}

export interface TurnParts extends Omit<Partial<Turn>, 'userInput' | 'finalAnswer'> {
  readonly asked?: string | Content;
  readonly answered?: string | Content;
}

export function aTurn({
  asked = 'Please help me.',
  answered = 'Here is the help you asked for.',
  ...parts
}: TurnParts = {}): Turn {
  return {
    id: '0af7651916cd43dd8448eb211c80319c' as TurnId,
    traceId: '0af7651916cd43dd8448eb211c80319c' as TraceId,
    rootSpanId: ROOT_SPAN,
    conversationId: 'c1',
    conversationIdSource: 'gen_ai.conversation.id',
    userId: undefined,
    agent: { name: 'scheduler', id: undefined, version: '1.4.0' },
    environment: 'production',
    attributes: new Map(),
    userInput: typeof asked === 'string' ? content(asked) : asked,
    finalAnswer: typeof answered === 'string' ? content(answered) : answered,
    steps: [aStep({ kind: 'agent', spanId: ROOT_SPAN, parentSpanId: undefined, name: 'scheduler' }), aStep()],
    toolCalls: [],
    doubts: [],
    llmCalls: 1,
    finishReasons: ['stop'],
    usage: { inputTokens: 900, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
    costUsd: undefined,
    spent: [],
    costs: [],
    error: undefined,
    startedAtMs: 1000,
    endedAtMs: 2000,
    ended: true,
    state: undefined,
    truth: undefined,
    flags: [],
    lacksParents: false,
    ...parts,
  };
}

export function aConversation(turns: readonly Turn[] = [aTurn()], parts: Partial<Conversation> = {}): Conversation {
  const last = turns.at(-1);
  return {
    id: 'c1' as ConversationId,
    idSource: 'gen_ai.conversation.id',
    agent: last?.agent ?? { name: undefined, id: undefined, version: undefined },
    environment: last?.environment,
    attributes: last?.attributes ?? new Map(),
    turns,
    state: last?.state,
    truth: last?.truth,
    usage: last?.usage,
    costUsd: undefined,
    cost: { usd: undefined, source: 'not known', modelsWithoutPrice: [] },
    startedAtMs: 1000,
    endedAtMs: 2000,
    ...parts,
  };
}
