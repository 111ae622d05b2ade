/**
 * When a conversation is over. A turn that joins it decides when it is due:
 *
 *   it has as many turns as are allowed            at once          'max_turns'
 *   an end marker, or a trace that stands alone    at once          'end_marker', 'single_trace'
 *   its maximum age comes before it would be idle  then             'max_age'
 *   otherwise                                      `idleMs` later   'idle'
 *
 * An end marker waits for the turns that had named the conversation before the marked turn closed and are open still:
 * turns close in the order of their last spans, which need not be the order in which they were. An ended conversation is
 * due when the last of these closes, whatever came of it, and at the latest when each must have closed.
 *
 *   going on -- a marked turn closes, no other is open ----------> due now
 *   going on -- a marked turn closes while others are open ------> ended, due `openMaxMs` later
 *   ended    -- a turn closes, one of those is still open -------> ended
 *   ended    -- a turn closes, none of those is open any more ---> due now
 *   due      -- the sweep scores it -----------------------------> closed
 *   closed   -- another turn joins ------------------------------> going on, for its next revision
 *
 * A crash changes none of this: `endedAt` and `dueAt` are in the conversation's row, and the log gives the turns that were
 * open again, with what else was open at their close.
 *
 * The next turn decides again. The engine's sweep scores what is due and closes it; a turn that joins afterwards makes
 * it due again, for its next revision. Here is also what becomes of conversations that turn out to be one.
 */
import { strongerOf } from '../model/called.ts';
import type { DueCause, UnscoredCause } from '../model/causes.ts';
import { isBare } from '../assemble/turns/fragments.ts';
import type { Conversation } from '../model/conversation.ts';
import type { ConversationId } from '../model/ids.ts';
import type { Turn } from '../model/turn.ts';
import type { ConversationGlance, ConversationLabels } from '../store/conversation-columns.ts';
import { withFacts } from '../store/facts.ts';
import { asksAgain } from './asks-again.ts';
import { ceasesLater, mergedGlance } from './conversation-glance.ts';

export { glanceOf, wrongClocksOf } from './conversation-glance.ts';
export { spokenWords } from './conversation-words.ts';
export { factsOf } from './turn-facts.ts';

import type { ConversationStore, EngineStore, StoredConversation } from '../store/engine-store.ts';

export interface ClosingLimits {
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly maxTurns: number;
  /** A turn is open for no longer than this. */
  readonly openMaxMs: number;
}

interface ClosingTurn {
  /** Log time at which it closed. */
  readonly at: number;
  /** Since when another turn of the conversation has been open; undefined where none is. */
  readonly openSince?: number | undefined;
  readonly limits: ClosingLimits;
}

interface JoiningTurns extends ClosingTurn {
  readonly id: ConversationId;
  readonly labels: ConversationLabels;
  readonly glance: ConversationGlance;
  readonly facts?: readonly string[];
  /** 0 where one of its turns has changed. */
  readonly turnsAdded: number;
  readonly dueNowBecause: DueCause | undefined;
}

/** Finds or makes the conversation of turns, and decides when it is due. */
export function joinConversation(conversations: ConversationStore, joining: JoiningTurns): StoredConversation {
  const { id, labels, at, turnsAdded } = joining;
  const conversation = conversations.find(id) ?? conversations.make({ id, labels, firstClosedAt: at });
  const turns = conversation.turns + turnsAdded;
  return conversations.change(conversation.row, {
    // The first turn that had a segment said it; what is shown is what was counted, and counters don't move.
    labels: withSegment(labels, conversation.labels.segment),
    lastClosedAt: Math.max(conversation.lastClosedAt, at),
    updatedAt: Date.now(),
    turns,
    glance: mergedGlance(conversation.glance, joining.glance),
    facts: withFacts(conversation.facts, joining.facts, {
      isLater: ceasesLater(joining.glance, conversation.glance),
    }),
    ...dueAfter({ ...conversation, turns }, joining),
  });
}

/** Why a conversation need not wait for more turns. */
export function dueNowBecause(turns: readonly Turn[], isAlone: boolean): DueCause | undefined {
  if (turns.some((turn) => turn.ended)) return 'end_marker';
  if (!isAlone || turns.some(({ conversationId }) => conversationId !== undefined && conversationId !== '')) {
    return undefined;
  }
  // A part of a turn waits for the others, and a span that is missing may bring the id.
  return turns.every((turn) => !turn.lacksParents && !isBare(turn)) ? 'single_trace' : undefined;
}

type Due = Pick<StoredConversation, 'dueAt' | 'dueCause' | 'endedAt'>;

/** A turn that names a conversation has closed and adds nothing to it, but its end may have waited for that. */
export function closeBeside(
  conversations: ConversationStore,
  conversation: StoredConversation,
  turn: ClosingTurn,
): void {
  const { row, endedAt, dueAt } = conversation;
  if (endedAt === undefined) return;
  const due = dueAfterEnd(endedAt, turn);
  if (due.dueAt !== dueAt) conversations.change(row, due);
}

const MARKS_THE_END = {
  end_marker: true,
  idle: false,
  single_trace: false,
  max_age: false,
  max_turns: false,
  unknown: false,
} satisfies Record<DueCause, boolean>;

function dueAfter(
  { turns, turnsEvaluated, firstClosedAt, ...conversation }: StoredConversation,
  joining: JoiningTurns,
): Due {
  const { at, dueNowBecause, limits } = joining;
  const { idleMs, maxAgeMs, maxTurns } = limits;
  const endedAt = dueNowBecause !== undefined && MARKS_THE_END[dueNowBecause] ? at : conversation.endedAt;
  if (turns - turnsEvaluated >= maxTurns) return { dueAt: at, dueCause: 'max_turns', endedAt };
  if (endedAt !== undefined) return dueAfterEnd(endedAt, joining);
  if (dueNowBecause !== undefined) return { dueAt: at, dueCause: dueNowBecause, endedAt };
  const maxAgeAt = firstClosedAt + maxAgeMs;
  // A conversation that came back after its maximum age is idle or not like any other.
  if (maxAgeAt > at && maxAgeAt < at + idleMs) return { dueAt: maxAgeAt, dueCause: 'max_age', endedAt };
  return { dueAt: at + idleMs, dueCause: 'idle', endedAt };
}

/** Turns that began after the end do not hold it back, so that a conversation that never rests ends as well. */
function dueAfterEnd(endedAt: number, { at, openSince, limits }: ClosingTurn): Due {
  const isAwaited = openSince !== undefined && openSince <= endedAt;
  return { dueAt: isAwaited ? endedAt + limits.openMaxMs : at, dueCause: 'end_marker', endedAt };
}

/** Conversations due by then, in the order in which they came due. Each must be closed before the next is taken. */
export function* dueConversations(conversations: ConversationStore, logTime: number): Generator<StoredConversation> {
  for (;;) {
    const due = conversations.nextDue(logTime);
    if (due === undefined) return;
    yield due;
  }
}

/** Marks a conversation as over, because it was scored or cannot be. Another turn opens it again. */
export function closeConversation(
  conversations: ConversationStore,
  row: number,
  { turns, whole, ...result }: ScoringResult,
): void {
  const more = whole !== undefined && asksAgain(whole.turns) ? ['user: asks the same again'] : [];
  const facts = withFacts(conversations.at(row).facts, more);
  conversations.change(row, { ...result, facts, turnsEvaluated: turns, updatedAt: Date.now(), ...NOT_DUE });
}

export interface ScoringResult {
  readonly revision: number;
  readonly cause: DueCause;
  readonly turns: number;
  readonly unscoredBecause: UnscoredCause | undefined;
  /** Absent unless a suite has scored it as a whole: then nobody has to understand it again. */
  readonly whole?: Pick<Conversation, 'turns'> | undefined;
}

const NOT_DUE: Due = { dueAt: undefined, dueCause: undefined, endedAt: undefined };

/** A turn belongs to another conversation: it moves there with its evaluations. */
export function moveTurns(
  store: EngineStore,
  trace: number,
  { turns, from, to }: { readonly turns: number; readonly from: number; readonly to: number },
): void {
  const { conversations } = store;
  store.moveTrace(trace, { from, to });
  const [left, into] = [conversations.at(from), conversations.at(to)];
  conversations.change(from, { turns: left.turns - turns });
  conversations.change(to, { turns: into.turns + turns, ...worseOf(left, into) });
}

/** Evaluations go with their turns. Searches and retention rely on it that no evaluation is worse. */
function worseOf(
  one: StoredConversation,
  other: StoredConversation,
): Pick<StoredConversation, 'worstOutcome' | 'called' | 'facts'> {
  return {
    worstOutcome: Math.max(one.worstOutcome, other.worstOutcome),
    called: other.called === undefined ? one.called : strongerOf(one.called, other.called),
    facts: withFacts(other.facts, one.facts, { isLater: ceasesLater(one.glance, other.glance) }),
  };
}

/**
 * All turns of a conversation with a name of our own belong to another. The empty one is removed unless it was scored:
 * a scored one stays, marked `moved`, because what was counted stays counted and its reader finds out where it went.
 */
export function absorbConversation(store: EngineStore, from: number, to: number): void {
  const { conversations } = store;
  store.moveConversation(from, to);
  const absorbed = conversations.at(from);
  const into = conversations.at(to);
  store.words.move(absorbed.id, into.id);
  store.feedback.move(absorbed.id, into.id);
  conversations.change(to, {
    labels: withSegment(into.labels, into.labels.segment ?? absorbed.labels.segment),
    turns: into.turns + absorbed.turns,
    ...worseOf(absorbed, into),
    glance: mergedGlance(into.glance, absorbed.glance),
  });
  const left = { turns: 0, turnsEvaluated: 0, unscoredBecause: 'moved', feedback: undefined } as const;
  conversations.change(from, { ...left, ...NOT_DUE });
  if (absorbed.revision === 0) conversations.remove(from);
}

function withSegment(labels: ConversationLabels, segment: string | undefined): ConversationLabels {
  return segment === undefined || segment === labels.segment ? labels : { ...labels, segment };
}
