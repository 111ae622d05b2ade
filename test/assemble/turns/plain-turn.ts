/** A turn with all lazy values computed, for comparison. */
import type { Content, Message, Part, Step } from '../../../src/model/step.ts';
import type { Turn } from '../../../src/model/turn.ts';

export function plainTurn(turn: Turn) {
  return {
    id: turn.id,
    traceId: turn.traceId,
    rootSpanId: turn.rootSpanId,
    conversationId: turn.conversationId,
    conversationIdSource: turn.conversationIdSource,
    userId: turn.userId,
    agent: turn.agent,
    environment: turn.environment,
    attributes: [...turn.attributes].sort(),
    userInput: plainContent(turn.userInput),
    finalAnswer: plainContent(turn.finalAnswer),
    steps: turn.steps.map(plainStep),
    toolCalls: turn.toolCalls.map((call) => ({
      ...call,
      args: plainContent(call.args),
      result: plainContent(call.result),
    })),
    llmCalls: turn.llmCalls,
    finishReasons: turn.finishReasons,
    usage: turn.usage,
    costUsd: turn.costUsd,
    error: turn.error,
    startedAtMs: turn.startedAtMs,
    endedAtMs: turn.endedAtMs,
    ended: turn.ended,
    state: turn.state,
    truth: turn.truth,
    flags: turn.flags,
  };
}

export function plainStep(step: Step) {
  const { traceId, spanId, parentSpanId, kind, name, spanName, agent, conversationId, userId, usage, costUsd } = step;
  const { systemInstructions, model, status, error, startedAtMs, endedAtMs, environment, serviceName, marks } = step;
  return {
    ...{ traceId, spanId, parentSpanId, kind, name, spanName, agent, conversationId, userId, usage, costUsd },
    ...{ systemInstructions, model, status, error, startedAtMs, endedAtMs, environment, serviceName, marks },
    input: plainContent(step.input),
    output: plainContent(step.output),
    messagesIn: step.messagesIn.map(plainMessage),
    messagesOut: step.messagesOut.map(plainMessage),
    tool: step.tool && { ...step.tool, args: plainContent(step.tool.args), result: plainContent(step.tool.result) },
    attributes: [...step.attributes].sort(),
    scopeName: step.scopeName,
    parentIsRemote: step.parentIsRemote,
    links: step.links,
    flags: step.flags,
    rules: [...step.rules].sort(),
  };
}

export function plainMessage(message: Message) {
  return { ...message, parts: message.parts.map(plainPart) };
}

function plainPart(part: Part) {
  if (part.type === 'tool_call') return { ...part, args: plainContent(part.args) };
  if (part.type === 'tool_result') return { ...part, result: plainContent(part.result) };
  return part;
}

export function plainContent({ state, text, json }: Content) {
  return { state, text, json };
}
