/**
 * How the answers of `/api/v1` read a store: pages of conversations, their evaluations and labels, and the labels under
 * which anything was counted. Each read is bounded, whatever the store holds.
 */
import type { ConversationRow } from './conversation-row.ts';
import type { ConversationSearch, FoundConversations, Place } from './conversation-search.ts';
import type { ScannedEvaluation } from './evaluation-scan.ts';
import type { FleetHistory, FleetHistoryQuery } from './fleet-history.ts';
import type { JudgingState } from './question-store.ts';
import type { CountedPlace, KeptLabel, ReadEvaluation } from './read-evaluation.ts';

type Awaitable<T> = T | Promise<T>;

export interface WhichEvaluations {
  readonly revisions: 'last' | 'all';
  readonly of: 'live' | 'shadow';
}

/** Times in milliseconds; `until` is not in it. */
export interface PartsAsked {
  readonly since: number;
  readonly until: number;
  readonly parts: number;
  /** The latest so many are looked at. */
  readonly max: number;
}

export interface ConversationParts {
  /** Conversations that began in the time; one more than are looked at if there are more. */
  readonly conversations: number;
  /** The latest conversation of each part, the latest part first. */
  readonly first: readonly Place[];
}

export interface PageReader {
  /** A page looks at a limited number of conversations, however few of them it finds. */
  search(search: ConversationSearch): Awaitable<FoundConversations>;
  /** Divides the conversations of a time into parts of one size. */
  parts(asked: PartsAsked): Awaitable<ConversationParts>;
  /** By row, in the order in which they were made, then those that wait. */
  evaluations(
    conversations: readonly ConversationRow[],
    which: WhichEvaluations,
  ): Awaitable<ReadonlyMap<number, readonly ReadEvaluation[]>>;
  /** The last evaluations by the suite of this key, in the order in which they were made. */
  lastScanned(conversations: readonly ConversationRow[], suiteKey: string): Awaitable<readonly ScannedEvaluation[]>;
  /** In the order in which they were put; the last ones, if there are more than the limit. */
  labelsOf(conversation: ConversationRow, limit: number): Awaitable<readonly KeptLabel[]>;
  /** Labels under which anything was counted since then, from the history of this width. */
  countedPlaces(of: { readonly width: number; readonly since: number }): Awaitable<readonly CountedPlace[]>;
  /** Conversations, or the limit if there are more. */
  countUpTo(limit: number): Awaitable<number>;
  /** Agents of evaluated conversations, or the limit if there are more. */
  countAgents(limit: number): Awaitable<number>;
  /** Money that judges spent up to then, and questions that wait for them. */
  judging(at: number): Awaitable<JudgingState>;
  /** The history by agent and version, in two windows, in no order. */
  fleetHistory(query: FleetHistoryQuery): Awaitable<readonly FleetHistory[]>;
  /** When each series of the metric was seen first, the labels are JSON. */
  firstTimes(metric: string): Awaitable<readonly { readonly labels: string; readonly at: number }[]>;
}
