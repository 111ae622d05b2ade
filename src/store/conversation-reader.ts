/**
 * How people read a store: the API, `assay explain` and the tests. Callers await the answer, although SQLite has it at
 * once.
 */
import type { CloseCause } from '../model/causes.ts';
import type { Evaluation, Outcome } from '../model/evaluation.ts';
import type { ConversationId, TraceId } from '../model/ids.ts';
import type { NamedOutcome } from '../model/validity.ts';
import type { Json } from '../model/json.ts';
import {
  type ConversationCells,
  type ConversationHead,
  type ConversationLabels,
  headFrom,
} from './conversation-columns.ts';
import type { TraceContent } from './engine-store.ts';
import type { ConversationSearch, FoundConversations } from './conversation-search.ts';
import type { ScannedEvaluation } from './evaluation-scan.ts';
import type { HistoryQuery, HistoryRow } from './history.ts';
import type { CountedPlace, KeptLabel, ReadEvaluation } from './read-evaluation.ts';

export interface ConversationQuery {
  readonly outcome?: Outcome | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly segment?: string | undefined;
  readonly criterion?: string | undefined;
  readonly suite?: string | undefined;
  /** Wall-clock time in milliseconds. */
  readonly since?: number | undefined;
  readonly limit: number;
  /** Only conversations before this row, for the next page. */
  readonly before?: number | undefined;
}

/** A conversation as readers see it: all that is kept of it, in one level. */
export interface ConversationRow extends Omit<ConversationHead, 'id' | 'labels'>, ConversationLabels {
  readonly row: number;
  readonly conversationId: ConversationId;
}

export function conversationRowFrom(
  { row, id }: { readonly row: number; readonly id: ConversationId },
  cells: ConversationCells,
  text: (stored: string) => string,
): ConversationRow {
  const { id: conversationId, labels, ...head } = headFrom(id, cells, text);
  return { row, conversationId, ...labels, ...head };
}

export interface TraceRow {
  readonly row: number;
  readonly traceId: TraceId;
  readonly revision: number;
  readonly cause: CloseCause;
  readonly spans: number;
}

export interface ConversationPage {
  readonly rows: readonly ConversationRow[];
  /** Where to go on, as `before`; undefined at the end. */
  readonly next: number | undefined;
}

export interface StoredTotal {
  readonly metric: string;
  readonly labels: string;
  readonly value: number;
}

export interface EvaluationsOptions {
  readonly revisions: 'last' | 'all';
  /** `live` unless given. */
  readonly of?: 'live' | 'shadow';
}

/** Parts of an evaluation that a list shows. */
export type EvaluationSummary = Pick<
  Evaluation,
  'suite' | 'turnId' | 'score' | 'outcome' | 'decidedShare' | 'about' | 'explanation' | 'waitsFor'
>;

type Awaitable<T> = T | Promise<T>;

export interface ConversationReader {
  find(conversationId: string): Awaitable<ConversationRow | undefined>;
  /** Latest first. A page looks at a limited number of conversations, however few of them it finds. */
  listPage(query: ConversationQuery): Awaitable<ConversationPage>;
  /** The last revision of each suite and turn, or all of them, in the order in which they were made: of live suites, or of those in shadow. */
  evaluations(conversation: ConversationRow, options: EvaluationsOptions): Awaitable<readonly Evaluation[]>;
  /** By row: the last revision of each live suite and turn, then those that wait, without their verdicts. */
  summaries(conversations: readonly ConversationRow[]): Awaitable<ReadonlyMap<number, readonly EvaluationSummary[]>>;
  /** Ground truth that somebody attached. */
  truthOf(conversation: ConversationRow): Awaitable<Json | undefined>;
  /** Outcomes of the world, by name. */
  outcomesOf(conversation: ConversationRow): Awaitable<readonly NamedOutcome[]>;
  traces(conversation: ConversationRow): Awaitable<readonly TraceRow[]>;
  content(trace: TraceRow): Awaitable<TraceContent | undefined>;
  /** Every conversation's last evaluations by live suites, in the order of the conversations' ids, suites and turns. */
  allEvaluations(): Iterable<Evaluation> | AsyncIterable<Evaluation>;
  /** Oldest first; of many instances each has rows of its own. */
  history(query: HistoryQuery): Awaitable<readonly HistoryRow[]>;
  /** A page looks at a limited number of conversations, however few of them it finds. */
  search(search: ConversationSearch): Awaitable<FoundConversations>;
  /** By row, in the order in which they were made, then those that wait: the last revision of each suite and turn, or all of them. */
  readEvaluations(
    conversations: readonly ConversationRow[],
    options: Required<EvaluationsOptions>,
  ): Awaitable<ReadonlyMap<number, readonly ReadEvaluation[]>>;
  /** By a suite's key, what weighs its last evaluations of these conversations again, in the order in which they were made. */
  lastScanned(conversations: readonly ConversationRow[], suiteKey: string): Awaitable<readonly ScannedEvaluation[]>;
  /** In the order in which they were put; the last ones, if there are more than the limit. */
  labelsOf(conversation: ConversationRow, limit: number): Awaitable<readonly KeptLabel[]>;
  /** Labels under which anything was counted since then, from the history of this width. */
  countedPlaces(of: { readonly width: number; readonly since: number }): Awaitable<readonly CountedPlace[]>;
  /** Conversations, or the limit if there are more. */
  countUpTo(limit: number): Awaitable<number>;
  /** When each series of the metric was seen first, in log time; the labels are JSON. */
  firstTimes(metric: string): Awaitable<readonly { readonly labels: string; readonly at: number }[]>;
  /** Summed over instances where there are many. */
  totals(): Awaitable<readonly StoredTotal[]>;
  close(): Awaitable<void>;
}
