/** Finds the conversation, user, agent and environment of a turn. */
import type { AgentIdentity, Step } from '../../model/step.ts';
import { NONE, type Family } from './span-tree.ts';

interface ConversationIdFound {
  readonly conversationId: string | undefined;
  /** The rule that gave it. Finding out means reading the span again. */
  readonly source: () => string;
}

/**
 * The nearest above the turn's root (itself included), else the top-most below it, else the only one in the trace. An id
 * deeper down may be a sub-agent's own.
 */
export function conversationIdOf(family: Family, root: number, members: readonly number[]): ConversationIdFound {
  for (let at = root; at !== NONE; at = family.parentOf(at)) {
    if (family.at(at).conversationId !== undefined) return foundAt(family.at(at));
  }
  const topMost = topMostWithId(family, members);
  if (topMost !== undefined) return foundAt(topMost);
  const ids = new Map<string, Step>();
  for (const step of family.steps) {
    if (step.conversationId !== undefined && !ids.has(step.conversationId)) ids.set(step.conversationId, step);
  }
  const [only] = ids.values();
  if (ids.size === 1 && only !== undefined) return foundAt(only);
  return ofResource(family.at(root)) ?? { conversationId: undefined, source: () => 'synthetic' };
}

/** A browser or a device puts its session on the resource. No span has the key, or its id would have been found. */
function ofResource(root: Step): ConversationIdFound | undefined {
  const session = root.attributes.get('session.id');
  if (typeof session !== 'string' || session === '') return undefined;
  return { conversationId: session, source: () => 'resource:session.id' };
}

function foundAt(step: Step): ConversationIdFound {
  return { conversationId: step.conversationId, source: () => step.rules.get('conversationId') ?? 'unknown' };
}

function topMostWithId(family: Family, members: readonly number[]): Step | undefined {
  let best: Step | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const index of members) {
    if (family.at(index).conversationId === undefined) continue;
    let depth = 0;
    for (let at = family.parentOf(index); at !== NONE && depth < least; at = family.parentOf(at)) depth++;
    if (depth < least) [best, least] = [family.at(index), depth];
  }
  return best;
}

export function userIdOf(root: Step, steps: readonly Step[]): string | undefined {
  return root.userId ?? steps.find((step) => step.userId !== undefined)?.userId;
}

export function environmentOf(root: Step, steps: readonly Step[]): string | undefined {
  return root.environment ?? steps.find((step) => step.environment !== undefined)?.environment;
}

/**
 * The identity that the root gives, completed from the top-most agent below it, and last from the name of the service.
 */
export function agentOf(root: Step, steps: readonly Step[]): AgentIdentity {
  const named = root.agent.name === undefined ? steps.find((step) => step.agent.name !== undefined) : root;
  const { name, id, version } = root.agent;
  return {
    name: name ?? named?.agent.name ?? root.serviceName,
    id: id ?? named?.agent.id,
    version: version ?? named?.agent.version,
  };
}
