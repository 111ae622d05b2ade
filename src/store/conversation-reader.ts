/**
 * How people read a store: the API, `assay explain` and the tests. Callers await the answer, although SQLite has it at
 * once.
 */
import type { CloseCause } from '../model/causes.ts';
import type { Evaluation, Outcome } from '../model/evaluation.ts';
import type { TraceId } from '../model/ids.ts';
import type { Feedback } from '../model/feedback.ts';
import type { KeptReading } from '../model/readings.ts';
import type { Json } from '../model/json.ts';
import type { TraceContent } from './engine-store.ts';
import type { HistoryQuery, HistoryRow, HistorySumQuery, SummedHistory } from './history.ts';
import type { ConversationRow } from './conversation-row.ts';
import type { ConversationSearch, SearchCursor } from './conversation-search.ts';
import type { FailureReader } from './failure-store.ts';
import type { FrameReader } from './frame-reader.ts';
import type { PageReader } from './page-reader.ts';

/** A search in which each condition names one value; the latest come first. */
export interface ConversationQuery {
  /** One evaluation has to meet all that is said of evaluations. */
  readonly outcome?: Outcome | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly segment?: string | undefined;
  readonly criterion?: string | undefined;
  readonly suite?: string | undefined;
  /** When the conversation began, in milliseconds. */
  readonly since?: number | undefined;
  readonly limit: number;
  readonly cursor?: SearchCursor | undefined;
}

export interface TraceRow {
  readonly row: number;
  readonly traceId: TraceId;
  readonly revision: number;
  readonly cause: CloseCause;
  readonly spans: number;
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
  'suite' | 'turnId' | 'score' | 'outcome' | 'because' | 'decidedShare' | 'about' | 'explanation' | 'waitsFor'
>;

type Awaitable<T> = T | Promise<T>;

export interface ConversationReader {
  find(conversationId: string): Awaitable<ConversationRow | undefined>;
  /** The last revision of each suite and turn, or all of them, in the order in which they were made: of live suites, or of those in shadow. */
  evaluations(conversation: ConversationRow, options: EvaluationsOptions): Awaitable<readonly Evaluation[]>;
  /** By row: the last revision of each live suite and turn, then those that wait, without their verdicts. */
  summaries(conversations: readonly ConversationRow[]): Awaitable<ReadonlyMap<number, readonly EvaluationSummary[]>>;
  /** Ground truth that somebody attached. */
  truthOf(conversation: ConversationRow): Awaitable<Json | undefined>;
  /** Feedback of its users, oldest first. */
  feedbackOf(conversation: ConversationRow): Awaitable<readonly Feedback[]>;
  /** By source and name. */
  readingsOf(conversation: ConversationRow): Awaitable<readonly KeptReading[]>;
  traces(conversation: ConversationRow): Awaitable<readonly TraceRow[]>;
  content(trace: TraceRow): Awaitable<TraceContent | undefined>;
  /** Every conversation's last evaluations by live suites, in the order of the conversations' ids, suites and turns. */
  allEvaluations(): Iterable<Evaluation> | AsyncIterable<Evaluation>;
  /** Oldest first; of many instances each has rows of its own. */
  history(query: HistoryQuery): Awaitable<readonly HistoryRow[]>;
  /** The same, added up by the database. */
  summedHistory(query: HistorySumQuery): Awaitable<readonly SummedHistory[]>;
  /** Reads for pages of conversations and figures, each of them bounded. */
  readonly pages: PageReader;
  /** Reads for an estimate of the success rate. */
  readonly frame: FrameReader;
  readonly failures: FailureReader;
  /** Summed over instances where there are many. */
  totals(): Awaitable<readonly StoredTotal[]>;
  close(): Awaitable<void>;
}

export function searchFor(query: ConversationQuery): ConversationSearch {
  const { outcome, agent, agentVersion, segment, suite, criterion, since, limit, cursor } = query;
  const only = <T>(one: T | undefined) => (one === undefined ? undefined : [one]);
  return {
    outcomes: only(outcome),
    agents: only(agent),
    agentVersions: only(agentVersion),
    segments: only(segment),
    suites: only(suite),
    failedCriteria: only(criterion),
    since,
    order: 'latest',
    limit,
    cursor,
  };
}
