/** What the pipeline reads off a conversation to file it: its id, its labels, its size. */
import { createHash } from 'node:crypto';
import { isBare } from '../assemble/turns/fragments.ts';
import type { Conversation } from '../model/conversation.ts';
import { type ConversationId, syntheticConversationId, type TraceId } from '../model/ids.ts';
import type { Turn } from '../model/turn.ts';
import type { AgentLabels } from '../report/label-guard.ts';
import type { CountedConversation, Effort } from '../report/suite-totals.ts';
import type { ConversationLabels } from '../store/engine-store.ts';

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
/** Ids come from spans; what is longer is kept apart by its hash. */
const CONVERSATION_ID_LENGTH_MAX = 256;

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
  // The cast is the brand: this is where a conversation gets its id. An id that a trace could have is not taken from it.
  const id = named.startsWith('trace:') ? `id:${named}` : named;
  if (id.length <= CONVERSATION_ID_LENGTH_MAX) return id.toWellFormed() as ConversationId;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32);
  return `${id.slice(0, CONVERSATION_ID_LENGTH_MAX - 33)}~${hash}`.toWellFormed() as ConversationId;
}

export function labelsOf(conversation: Conversation): AgentLabels {
  return {
    agent: conversation.agent.name ?? 'unknown',
    agent_version: conversation.agent.version ?? 'unknown',
    environment: conversation.environment ?? 'unknown',
  };
}

export function toColumns(labels: AgentLabels): ConversationLabels {
  const limit = (text: string) => text.slice(0, CONVERSATION_ID_LENGTH_MAX).toWellFormed();
  return {
    agent: limit(labels.agent),
    agentVersion: limit(labels.agent_version),
    environment: limit(labels.environment),
  };
}

export function effortOf(conversation: Conversation): Effort {
  const { usage } = conversation;
  return {
    steps: conversation.turns.reduce((sum, turn) => sum + turn.llmCalls + turn.toolCalls.length, 0),
    tokens: usage === undefined ? undefined : usage.inputTokens + usage.outputTokens,
    durationMs: conversation.endedAtMs - conversation.startedAtMs,
    costUsd: conversation.costUsd,
  };
}

export function countedAs(conversation: Conversation): CountedConversation {
  const last = conversation.turns.at(-1);
  return { traceId: last?.traceId ?? '', conversationId: conversation.id, at: Date.now() };
}

/** Why a conversation need not wait for more turns. */
export function dueNowBecause(turns: readonly Turn[], isAlone: boolean): string | undefined {
  if (turns.some((turn) => turn.ended)) return 'end_marker';
  if (!isAlone || turns.some(({ conversationId }) => conversationId !== undefined && conversationId !== '')) {
    return undefined;
  }
  // A part of a turn waits for the others, and a span that is missing may bring the id.
  return turns.every((turn) => !turn.lacksParents && !isBare(turn)) ? 'single_trace' : undefined;
}
