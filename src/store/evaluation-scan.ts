/**
 * Reading many evaluations of one suite, for whoever weighs them again or compares two suites: little of each, a page at a time. What is
 * wanted of few of them (verdicts with their reasons, the conversation, its truth) is asked for one by one.
 */
import type { Outcome, Verdict } from '../model/evaluation.ts';
import type { JudgeOutcome } from '../model/judging.ts';
import type { ConversationRow } from './conversation-reader.ts';

export interface ScanQuery {
  /** See `suiteKey`. */
  readonly suiteKey: string;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** Wall-clock time in milliseconds. */
  readonly since?: number | undefined;
  /** The latest so many. */
  readonly limit?: number | undefined;
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
  /** Log time in milliseconds; of older rows the time at which they were stored. */
  readonly at: number;
  /** Undefined where it was stored before that was kept. */
  readonly steps: number | undefined;
  readonly costUsd: number | undefined;
}

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
