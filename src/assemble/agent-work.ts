/** Whether turns are the work of an agent, and the conversation that they belong to. */
import { conversationIdFrom } from '../model/conversation-id.ts';
import { type ConversationId, syntheticConversationId, type TraceId } from '../model/ids.ts';
import type { Turn } from '../model/turn.ts';

const AGENT_KINDS: ReadonlySet<string> = new Set([
  'workflow',
  'agent',
  'llm',
  'tool',
  'retrieval',
  'rerank',
  'guardrail',
  'plan',
]);

/** Whether an agent did something here. A trace of web requests and database calls alone is not a turn. */
export function isAgentWork(turn: Turn): boolean {
  return turn.steps.some((step) => AGENT_KINDS.has(step.kind));
}

export function conversationIdOf(turns: readonly Turn[], traceId: TraceId): ConversationId {
  return namedConversationOf(turns) ?? syntheticConversationId(traceId);
}

/** Undefined where no turn names one. */
export function namedConversationOf(turns: readonly Turn[]): ConversationId | undefined {
  const named = turns.find((turn) => turn.conversationId !== undefined)?.conversationId;
  if (named === undefined || named === '') return undefined;
  return conversationIdFrom(named);
}
