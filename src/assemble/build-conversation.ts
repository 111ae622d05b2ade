/** Turns to a conversation: in order of their start, with what they recorded put together. */
import type { ConversationId } from '../model/ids.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import type { AgentIdentity, Usage } from '../model/step.ts';
import type { Turn } from '../model/turn.ts';
import { compare } from './turns/family.ts';
import { overridden } from './turns/marks.ts';
import { plus } from './turns/usage.ts';

export function buildConversation(id: ConversationId, turns: readonly Turn[]): Conversation {
  if (turns.length === 0) throw new Error(`conversation ${id}: it has no turns, so there is nothing to put together`);
  const inOrder = turns.toSorted((a, b) => a.startedAtMs - b.startedAtMs || compare(a.id, b.id));
  const last = (read: (turn: Turn) => string | undefined) => inOrder.findLast((turn) => read(turn) !== undefined);
  let state: Json | undefined;
  let truth: Json | undefined;
  let usage: Usage | undefined;
  let costUsd: number | undefined;
  const attributes = new Map<string, string | number | boolean>();
  for (const turn of inOrder) {
    state = overridden(state, turn.state);
    truth = overridden(truth, turn.truth);
    usage = plus(usage, turn.usage);
    if (turn.costUsd !== undefined) costUsd = (costUsd ?? 0) + turn.costUsd;
    for (const [key, value] of turn.attributes) attributes.set(key, value);
  }
  const agent: AgentIdentity = {
    name: last((turn) => turn.agent.name)?.agent.name,
    id: last((turn) => turn.agent.id)?.agent.id,
    version: last((turn) => turn.agent.version)?.agent.version,
  };
  return {
    id,
    idSource: inOrder[0]?.conversationIdSource ?? 'synthetic',
    agent,
    environment: last((turn) => turn.environment)?.environment,
    attributes,
    turns: inOrder,
    state,
    truth,
    usage,
    costUsd,
    startedAtMs: inOrder.reduce((least, turn) => Math.min(least, turn.startedAtMs), Number.POSITIVE_INFINITY),
    endedAtMs: inOrder.reduce((most, turn) => Math.max(most, turn.endedAtMs), Number.NEGATIVE_INFINITY),
  };
}
