/** Turns to a conversation: in order of their start, those that are parts of one joined, with what they recorded put together. */
import type { ConversationId } from '../model/ids.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import type { AgentIdentity, Usage } from '../model/step.ts';
import type { Turn } from '../model/turn.ts';
import { joinedTurn } from './build-turns.ts';
import { compare } from './turns/span-tree.ts';
import { isBare, togetherInTurns } from './turns/fragments.ts';
import { overridden } from './turns/marks.ts';
import { plus } from './turns/usage.ts';

export function buildConversation(id: ConversationId, turns: readonly Turn[]): Conversation {
  if (turns.length === 0) throw new Error(`conversation ${id}: it has no turns, so there is nothing to put together`);
  const inOrder =
    turns.length === 1 ? turns : turns.toSorted((a, b) => a.startedAtMs - b.startedAtMs || compare(a.id, b.id));
  if (inOrder.length === 1 || !inOrder.some(isBare)) return new BuiltConversation(id, inOrder);
  const groups = togetherInTurns(inOrder);
  return new BuiltConversation(
    id,
    groups.map(([first, ...rest], at) => {
      const isWhole = rest.length === 0 && (!isBare(first) || first.finalAnswer.state !== 'missing');
      return isWhole ? first : joinedTurn(first, rest, groups[at + 1]?.[0]);
    }),
  );
}

/** The same, with what is known from outside of its spans to be right; what comes later overrides what comes earlier, key by key. */
export function knowing(conversation: Conversation, truths: readonly Json[]): Conversation {
  return new BuiltConversation(conversation.id, conversation.turns, truths);
}

class BuiltConversation implements Conversation {
  readonly id: ConversationId;
  readonly turns: readonly Turn[];
  readonly agent: AgentIdentity;
  readonly environment: string | undefined;
  readonly state: Json | undefined;
  readonly truth: Json | undefined;
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  #attributes: Conversation['attributes'] | undefined;

  constructor(id: ConversationId, turns: readonly Turn[], truths: readonly Json[] = []) {
    let [name, agentId, version, environment]: (string | undefined)[] = [];
    let state: Json | undefined;
    let truth: Json | undefined;
    let usage: Usage | undefined;
    let costUsd: number | undefined;
    let startedAtMs = Number.POSITIVE_INFINITY;
    let endedAtMs = Number.NEGATIVE_INFINITY;
    for (const turn of turns) {
      const { agent } = turn;
      // A turn whose root never came is called by what is left of it, at worst by its service.
      if (name === undefined || !turn.flags.includes('root-missing')) name = agent.name ?? name;
      agentId = agent.id ?? agentId;
      version = agent.version ?? version;
      environment = turn.environment ?? environment;
      state = overridden(state, turn.state);
      truth = overridden(truth, turn.truth);
      usage = plus(usage, turn.usage);
      if (turn.costUsd !== undefined) costUsd = (costUsd ?? 0) + turn.costUsd;
      startedAtMs = Math.min(startedAtMs, turn.startedAtMs);
      endedAtMs = Math.max(endedAtMs, turn.endedAtMs);
    }
    for (const known of truths) truth = overridden(truth, known);
    this.id = id;
    this.turns = turns;
    this.agent = { name, id: agentId, version };
    this.environment = environment;
    this.state = state;
    this.truth = truth;
    this.usage = usage;
    this.costUsd = costUsd;
    this.startedAtMs = startedAtMs;
    this.endedAtMs = endedAtMs;
  }

  get idSource(): string {
    return this.turns[0]?.conversationIdSource ?? 'synthetic';
  }

  /**
   * Taken from all turns; later turns override earlier ones. Put together when asked for: few suites match on
   * attributes.
   */
  get attributes(): Conversation['attributes'] {
    if (this.#attributes === undefined) {
      const attributes = new Map<string, string | number | boolean>();
      for (const turn of this.turns) for (const [key, value] of turn.attributes) attributes.set(key, value);
      this.#attributes = attributes;
    }
    return this.#attributes;
  }
}
