/** Turns to a conversation: in order of their start, those that are parts of one joined, with what they recorded put together. */
import { conversationIdFrom } from '../model/conversation-id.ts';
import { type ConversationId, syntheticConversationId, type TraceId } from '../model/ids.ts';
import type { Conversation } from '../model/conversation.ts';
import { type ConversationCost, costOfTurns, NO_PRICES, type PriceTable } from '../model/cost.ts';
import type { Feedback } from '../model/feedback.ts';
import type { Json } from '../model/json.ts';
import type { AgentIdentity, Usage } from '../model/step.ts';
import type { Turn } from '../model/turn.ts';
import { joinedTurn } from './build-turns.ts';
import { compare } from './turns/span-tree.ts';
import { isBare, togetherInTurns } from './turns/fragments.ts';
import { overridden } from './turns/marks.ts';
import { plus } from './turns/usage.ts';

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

/** Facts from elsewhere than its spans. */
interface KnownBesides {
  readonly truths?: readonly Json[];
  readonly feedback?: readonly Feedback[] | undefined;
  readonly prices?: PriceTable | undefined;
  /** Hides the truth of the turns as well. */
  readonly hidesTruth?: boolean;
}

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

export function buildConversation(id: ConversationId, turns: readonly Turn[], prices?: PriceTable): Conversation {
  if (turns.length === 0) throw new Error(`conversation ${id}: it has no turns, so there is nothing to put together`);
  const inOrder =
    turns.length === 1 ? turns : turns.toSorted((a, b) => a.startedAtMs - b.startedAtMs || compare(a.id, b.id));
  if (inOrder.length === 1 || !inOrder.some(isBare)) return new BuiltConversation(id, inOrder, { prices });
  const groups = togetherInTurns(inOrder);
  return new BuiltConversation(
    id,
    groups.map(([first, ...rest], at) => {
      const isWhole = rest.length === 0 && (!isBare(first) || first.finalAnswer.state !== 'missing');
      return isWhole ? first : joinedTurn(first, rest, groups[at + 1]?.[0]);
    }),
    { prices },
  );
}

/** The conversation with its ground truth; later truths override earlier ones, key by key. */
export function knowing(conversation: Conversation, truths: readonly Json[]): Conversation {
  return new BuiltConversation(conversation.id, conversation.turns, { ...besides(conversation), truths });
}

/** The conversation with feedback of its users. */
export function withFeedbackOf(conversation: Conversation, feedback: readonly Feedback[]): Conversation {
  return new BuiltConversation(conversation.id, conversation.turns, { ...besides(conversation), feedback });
}

/** The conversation without its truth. */
export function withoutTruth(conversation: Conversation): Conversation {
  const { feedback, prices } = besides(conversation);
  return new BuiltConversation(conversation.id, conversation.turns, { feedback, prices, hidesTruth: true });
}

function besides(conversation: Conversation): KnownBesides {
  const { truth, feedback } = conversation;
  const prices = conversation instanceof BuiltConversation ? conversation.prices : undefined;
  return { truths: truth === undefined ? [] : [truth], feedback, prices };
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
  readonly feedback?: readonly Feedback[];
  readonly prices: PriceTable | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  #attributes: Conversation['attributes'] | undefined;
  #cost: ConversationCost | undefined;

  constructor(id: ConversationId, turns: readonly Turn[], besides: KnownBesides = {}) {
    const { truths = [], feedback, prices, hidesTruth } = besides;
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
    this.truth = hidesTruth === true ? undefined : truth;
    if (feedback !== undefined) this.feedback = feedback;
    this.prices = prices;
    this.usage = usage;
    this.costUsd = costUsd;
    this.startedAtMs = startedAtMs;
    this.endedAtMs = endedAtMs;
  }

  get cost(): ConversationCost {
    this.#cost ??= costOfTurns(this.turns, this.prices ?? NO_PRICES);
    return this.#cost;
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
