/**
 * Reading many evaluations of one suite, for whoever weighs them again or compares two suites: little of each, a page
 * at a time. Details that few of them need (verdicts with their reasons, the conversation, its ground truth) are read
 * one by one.
 */
import { type Ending, ENDINGS } from '../model/ending.ts';
import type { Outcome, Verdict } from '../model/evaluation.ts';
import type { JudgeOutcome } from '../model/judging.ts';
import { namesOf } from './column.ts';
import type { ConversationRow } from './conversation-row.ts';
import { outcomeAt, SEEN_COLUMNS, type SeenConversation, seenFrom, timeOf } from './evaluation-columns.ts';

export interface ScanQuery {
  /** See `suiteKey`. */
  readonly suiteKey: string;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** When the conversation or the turn began, in milliseconds. */
  readonly since?: number | undefined;
  /** When it was scored: log time, whenever the conversation was. */
  readonly scoredSince?: number | undefined;
  /** The latest so many. */
  readonly limit?: number | undefined;
  /** Only among the latest so many of the suite. */
  readonly lookedAtMax?: number | undefined;
}

export interface ScannedEvaluation {
  readonly row: number;
  /** The store's number of the conversation. */
  readonly conversation: number;
  /** Empty for the conversation as a whole. */
  readonly turnId: string;
  readonly suiteVersion: string;
  readonly revision: number;
  /** In millionths. */
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** JSON: under which it was counted. Few texts differ. */
  readonly labels: string;
  /** See `basis-codec.ts`; undefined where it was stored before that was kept. */
  readonly basis: string | undefined;
  /** Likewise. */
  readonly ending: Ending | undefined;
  /** Wall-clock time in milliseconds. */
  readonly createdAt: number;
  /** Kind of its failure. */
  readonly because: string | undefined;
  /** See `sub-agents-codec.ts`; undefined where it was stored before that was kept. */
  readonly subAgents?: string | undefined;
  readonly seen: SeenConversation;
}

/** Columns of a table of evaluations with the alias `e`. */
export const SCANNED_COLUMNS = `e.id, e.conversation, e.turn_id, e.suite_version, e.revision, e.score, e.outcome, e.labels, e.basis,
  e.ending, e.created_at, e.because, e.sub_agents, ${namesOf(Object.values(SEEN_COLUMNS), 'e')}`;

/** In the order of the columns: making objects of rows would be half of the time of a scan. */
export type ScannedCells = readonly [
  id: number,
  conversation: number,
  turnId: string,
  suiteVersion: string,
  revision: number,
  score: number | null,
  outcome: number,
  labels: string,
  basis: string | null,
  ending: number | null,
  createdAt: number,
  because: string | null,
  subAgents: string | null,
  ...seen: (number | null)[],
];

export function scannedFrom(cells: ScannedCells): ScannedEvaluation {
  const [row, conversation, turnId, suiteVersion, revision, score, outcome, labels, basis, ending, ...rest] = cells;
  const [createdAt, because, subAgents] = rest;
  return {
    row,
    conversation,
    turnId,
    suiteVersion,
    revision,
    score: score ?? undefined,
    outcome: outcomeAt(outcome),
    labels,
    basis: basis ?? undefined,
    ending: ENDINGS[ending ?? -1],
    createdAt,
    because: because ?? undefined,
    subAgents: subAgents ?? undefined,
    seen: seenFrom(cells, 13),
  };
}

/** When it was scored. */
export const SCORED_AT = 'coalesce(e.scored_at, e.created_at)';

/** When its conversation or turn began. */
export const BEGAN_AT = 'coalesce(e.began_at, e.scored_at, e.created_at)';

export function timeOfScanned({ seen, createdAt }: Pick<ScannedEvaluation, 'seen' | 'createdAt'>): number {
  return timeOf(seen) ?? createdAt;
}

/** An evaluation is made after its conversation began, so those of before are not searched. Clocks may differ. */
export function madeSince(since: number): number {
  return Math.trunc(since) - CLOCKS_DIFFER_MS;
}

const CLOCKS_DIFFER_MS = 3_600_000;

export interface EvaluationScanner {
  /** The last revision of each conversation and turn, in the order in which they were made. */
  scanEvaluations(
    query: ScanQuery,
  ): Iterable<readonly ScannedEvaluation[]> | AsyncIterable<readonly ScannedEvaluation[]>;
  /** The last one of another suite for the same conversation and turn. */
  besideOf(evaluation: ScannedEvaluation, suiteKey: string): Awaitable<ScannedEvaluation | undefined>;
  verdictsOf(evaluation: ScannedEvaluation): Awaitable<ReadonlyMap<string, Verdict>>;
  conversationOf(evaluation: Pick<ScannedEvaluation, 'conversation'>): Awaitable<ConversationRow | undefined>;
  /** The judge's answer to the question of this key, where it is kept. */
  answerOf(requestKey: string): Awaitable<JudgeOutcome | undefined>;
}

type Awaitable<T> = T | Promise<T>;
