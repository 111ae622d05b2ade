/** Reads what is needed to file a conversation: its labels, its size. */
import type { Conversation } from '../model/conversation.ts';
import { CONVERSATION_ID_LENGTH_MAX } from '../model/conversation-id.ts';
import { wholeCost } from '../model/cost.ts';
import type { Effort } from './counting/usage-totals.ts';
import type { AgentLabels } from '../model/agent-labels.ts';
import type { CountedConversation } from './counting/suite-totals.ts';
import type { ConversationLabels } from '../store/conversation-columns.ts';
import { segmentOf } from './segment.ts';

/** Value of labels that the spans do not give. */
const UNKNOWN = 'unknown';

/** The label `segment` is there where attributes for it are configured, whether a conversation has one of them or not. */
export function labelsOf(conversation: Conversation, segmentKeys: readonly string[]): AgentLabels {
  const labels = {
    agent: conversation.agent.name ?? UNKNOWN,
    agent_version: conversation.agent.version ?? UNKNOWN,
    environment: conversation.environment ?? UNKNOWN,
  };
  if (segmentKeys.length === 0) return labels;
  return { ...labels, segment: segmentOf(conversation, segmentKeys) ?? UNKNOWN };
}

/** Labels as the store keeps them, whatever the metrics made of them. */
export function columnsOf(conversation: Conversation, segmentKeys: readonly string[]): ConversationLabels {
  const limit = (text: string) => text.slice(0, CONVERSATION_ID_LENGTH_MAX).toWellFormed();
  const segment = segmentOf(conversation, segmentKeys);
  return {
    agent: limit(conversation.agent.name ?? UNKNOWN),
    agentVersion: limit(conversation.agent.version ?? UNKNOWN),
    environment: limit(conversation.environment ?? UNKNOWN),
    ...(segment === undefined ? {} : { segment: limit(segment) }),
  };
}

export function effortOf(conversation: Conversation): Effort {
  const { usage } = conversation;
  return {
    steps: conversation.turns.reduce((sum, turn) => sum + turn.llmCalls + turn.toolCalls.length, 0),
    tokens: usage === undefined ? undefined : usage.inputTokens + usage.outputTokens,
    durationMs: conversation.endedAtMs - conversation.startedAtMs,
    costUsd: wholeCost(conversation.cost),
  };
}

export function countedAs(conversation: Conversation, logTime: number): Omit<CountedConversation, 'beganAt'> {
  const last = conversation.turns.at(-1);
  return { traceId: last?.traceId ?? '', conversationId: conversation.id, at: Date.now(), logTime };
}
