/** Conversations of the model in the shape of `plain-conversation.ts`. */
import { mainCalls } from '../assemble/turns/main-calls.ts';
import { familyOf } from '../assemble/turns/span-tree.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import type { Content, Part, Step, StepError, Usage } from '../model/step.ts';
import type { ToolCall, Turn } from '../model/turn.ts';
import {
  CONVERSATION_FORMAT,
  type PlainConversation,
  type PlainModelCall,
  type PlainToolCall,
  type PlainTurn,
} from './plain-conversation.ts';

export function toPlain(conversation: Conversation): PlainConversation {
  const { agent, turns } = conversation;
  return {
    format: CONVERSATION_FORMAT,
    conversation_id: conversation.id,
    agent: agent.name ?? null,
    agent_version: agent.version ?? null,
    environment: conversation.environment ?? null,
    user_id: turns.find(({ userId }) => userId !== undefined)?.userId ?? null,
    instructions: turns.flatMap(({ steps }) => steps.flatMap((step) => step.systemInstructions ?? [])).at(-1) ?? null,
    state: plainJson(conversation.state),
    truth: plainJson(conversation.truth),
    turns: turns.map(plainTurn),
    ...spent(conversation),
    ...times(conversation),
  };
}

function plainTurn(turn: Turn): PlainTurn {
  const calls = turn.steps.filter(({ kind }) => kind === 'llm');
  const family = familyOf(turn.steps);
  const main = new Set(mainCalls(family, [...family.steps.keys()]).map(({ spanId }) => spanId));
  return {
    trace_id: turn.traceId,
    user_input: textOf(turn.userInput),
    final_answer: textOf(turn.finalAnswer),
    model_calls: calls.map((call) => plainModelCall(call, { main: main.has(call.spanId) })),
    tool_calls: turn.toolCalls.map((call) => plainToolCall(call, turn.steps, calls)),
    ...spent(turn),
    error: failure(turn.error),
    flags: [...turn.flags, ...turn.doubts],
    ...times(turn),
  };
}

function plainModelCall(step: Step, { main }: { readonly main: boolean }): PlainModelCall {
  return {
    span_id: step.spanId,
    agent: step.agent.name ?? null,
    main,
    model: step.model?.response ?? step.model?.request ?? null,
    text: said(step, 'text'),
    reasoning: said(step, 'reasoning'),
    finish_reason: step.model?.finishReasons.at(-1) ?? null,
    ...spent(step),
    error: failure(step.error),
    ...times(step),
  };
}

function plainToolCall(call: ToolCall, steps: readonly Step[], models: readonly Step[]): PlainToolCall {
  const askedBy = models.findIndex(({ spanId }) => spanId === call.requestedBy);
  const own = call.spanId === undefined ? undefined : steps.find(({ spanId }) => spanId === call.spanId);
  return {
    id: call.id ?? null,
    span_id: call.spanId ?? null,
    agent: own?.agent.name ?? models[askedBy]?.agent.name ?? null,
    name: call.name,
    args: call.args.state === 'missing' ? null : plainJson(call.args.json),
    result: call.result.state === 'missing' ? null : plainJson(call.result.json),
    error: failure(call.error),
    answered: call.answered,
    asked_by: askedBy === -1 ? null : askedBy,
    ...times(call),
  };
}

function said({ messagesOut }: Step, type: 'text' | 'reasoning'): string | null {
  const isSaid = (part: Part): part is Extract<Part, { readonly text: string }> => part.type === type;
  const texts = messagesOut.flatMap(({ parts }) => parts.filter(isSaid).map(({ text }) => text));
  return texts.length === 0 ? null : texts.join('');
}

/** Objects of the model have no prototype, and may keep the bytes of a request alive. */
function plainJson(value: Json | undefined): Json {
  // The cast is what JSON.parse gives.
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}

function textOf({ state, text }: Content): string | null {
  return state === 'missing' ? null : text;
}

function failure(error: StepError | undefined): PlainTurn['error'] {
  return error === undefined ? null : { type: error.type, message: error.message };
}

function spent({ usage, costUsd }: { readonly usage: Usage | undefined; readonly costUsd: number | undefined }) {
  const tokens = usage && {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cached_input: usage.cacheReadTokens,
    reasoning: usage.reasoningTokens,
  };
  return { tokens: tokens ?? null, cost_usd: costUsd ?? null };
}

function times({ startedAtMs, endedAtMs }: { readonly startedAtMs: number; readonly endedAtMs: number }) {
  return { started_at: new Date(startedAtMs).toISOString(), ended_at: new Date(endedAtMs).toISOString() };
}
