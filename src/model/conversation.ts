/** The turns that share a conversation id, in order, and what they add up to. This is what a suite is asked about. */
import type { AgentIdentity, Usage } from './step.ts';
import type { ConversationId } from './ids.ts';
import type { ConversationCost, PriceTable } from './cost.ts';
import type { Feedback } from './feedback.ts';
import type { Json } from './json.ts';
import type { Turn } from './turn.ts';

export interface Conversation {
  readonly id: ConversationId;
  readonly idSource: string;
  readonly agent: AgentIdentity;
  readonly environment: string | undefined;
  readonly attributes: ReadonlyMap<string, string | number | boolean>;
  readonly turns: readonly Turn[];
  /** The last recorded final state and truth, later turns overriding earlier ones key by key. */
  readonly state: Json | undefined;
  readonly truth: Json | undefined;
  /** Feedback of its users that counts (`countingFeedback`), oldest first; absent where there is none. */
  readonly feedback?: readonly Feedback[] | undefined;
  readonly usage: Usage | undefined;
  /** Cost that the spans report; `cost` has that of the price table too, and says which it is. */
  readonly costUsd: number | undefined;
  readonly cost: ConversationCost;
  /** Prices by which `cost` is worked out; absent where there are none. */
  readonly prices?: PriceTable | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}
