/**
 * What happens to a conversation when turns join it, when another takes it in, and when it has been scored; and which is due before
 * which. Every store keeps its rows in its own way and does the same to them.
 */
import type { ConversationJoin, ConversationLabels, ConversationResult, StoredConversation } from './engine-store.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A conversation as a store changes it in memory. */
export interface ConversationState extends Mutable<StoredConversation> {
  labels: ConversationLabels;
  updatedAt: number;
  cause: string | null;
  worstOutcome: number;
  unscoredBecause: string | null;
}

/** As it is before its first turn has joined. */
export function newConversation(
  row: number,
  { id, labels, at }: Pick<ConversationJoin, 'id' | 'labels' | 'at'>,
): ConversationState {
  return {
    row,
    id,
    labels,
    firstClosedAt: at,
    lastClosedAt: at,
    updatedAt: 0,
    turns: 0,
    turnsEvaluated: 0,
    dueAt: undefined,
    dueCause: undefined,
    revision: 0,
    cause: null,
    worstOutcome: 0,
    unscoredBecause: null,
  };
}

/** Gives when it is due, and why; the caller schedules it. */
export function joinTurns(
  conversation: ConversationState,
  join: ConversationJoin,
): { readonly at: number; readonly cause: string } {
  const { at, dueNowBecause } = join;
  // The first turn that had a segment said it; what is shown is what was counted, and counters don't move.
  conversation.labels = withSegment(join.labels, conversation.labels.segment);
  conversation.lastClosedAt = Math.max(conversation.lastClosedAt, at);
  conversation.updatedAt = Date.now();
  conversation.turns += join.turnsAdded;
  const maxAgeAt = conversation.firstClosedAt + join.maxAgeMs;
  if (dueNowBecause !== undefined) return { at, cause: dueNowBecause };
  // A conversation that came back after its maximum age is idle or not like any other.
  if (maxAgeAt > at && maxAgeAt < at + join.idleMs) return { at: maxAgeAt, cause: 'max_age' };
  return { at: at + join.idleMs, cause: 'idle' };
}

/**
 * All its turns turned out to belong to another. It goes, unless it has been scored: what was counted stays counted,
 * and whoever asks finds out why there is nothing more to see. Says whether it goes.
 */
export function absorbInto(absorbed: ConversationState, into: ConversationState): boolean {
  into.labels = withSegment(into.labels, into.labels.segment ?? absorbed.labels.segment);
  into.turns += absorbed.turns;
  absorbed.turns = 0;
  absorbed.turnsEvaluated = 0;
  absorbed.dueAt = undefined;
  absorbed.dueCause = undefined;
  absorbed.unscoredBecause = 'moved';
  return absorbed.revision === 0;
}

function withSegment(labels: ConversationLabels, segment: string | undefined): ConversationLabels {
  return segment === undefined || segment === labels.segment ? labels : { ...labels, segment };
}

export function noteResult(conversation: ConversationState, result: ConversationResult): void {
  conversation.revision = result.revision;
  conversation.cause = result.cause;
  conversation.turnsEvaluated = result.turns;
  conversation.unscoredBecause = result.unscoredBecause ?? null;
  conversation.updatedAt = Date.now();
  conversation.dueAt = undefined;
  conversation.dueCause = undefined;
}

export interface Due {
  readonly row: number;
  readonly dueAt: number;
}

/** Of two conversations the one that is due first, and of those due at once the older one. */
export function isDueBefore(a: Due, b: Due): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.row < b.row);
}
