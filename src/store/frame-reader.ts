/**
 * Reads the frame of a window (`frame-columns.ts`): how many conversations of each kind there are, and which come first
 * to be read. Each read is bounded.
 */
import type { KeptReading } from '../model/readings.ts';
import type { Outcome } from '../model/evaluation.ts';
import type { Polarity } from '../model/feedback.ts';
import { isFailure } from '../model/severity.ts';
import type { ConversationRow } from './conversation-row.ts';

/** Conversations by when they began; times in milliseconds, `until` is not in it. */
export interface FrameQuery {
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly environment?: string | undefined;
  readonly segment?: string | undefined;
  readonly since: number;
  readonly until: number;
}

/** Facts of a conversation that are known without reading it. */
export interface KnownOf {
  readonly called: Outcome;
  readonly feedback: Polarity | undefined;
  /** Outcomes that are not certain say this; bad where they disagree. */
  readonly outcome: 'good' | 'bad' | undefined;
  /** Chance that a prediction gave it, which nothing that was read in the window has taught. */
  readonly foretold: number | undefined;
}

export interface FrameCount extends KnownOf {
  /** An outcome says this with certainty. */
  readonly certain: 'good' | 'bad' | undefined;
  readonly conversations: number;
}

export interface FrameCounts {
  readonly counts: readonly FrameCount[];
  /** Nothing was recorded that a person could read. */
  readonly unreadable: number;
}

/** A conversation that may be drawn, with all that was said of it. */
export interface Candidate {
  readonly row: ConversationRow;
  readonly known: KnownOf;
  readonly certain: FrameCount['certain'];
  readonly readings: readonly KeptReading[];
}

/** A reading by a person, with the facts of its conversation. */
export interface Lesson {
  readonly facts: readonly string[];
  readonly isGood: boolean;
}

/** A conversation that has been scored, by the facts that a discovery looks at. */
export interface FactsOf {
  readonly row: number;
  readonly conversationId: string;
  readonly beganAt: number;
  /** One a line. */
  readonly facts: string;
  readonly called: Outcome;
  readonly feedback: Polarity | undefined;
  readonly cameOut: 'good' | 'bad' | undefined;
  /** The least chance that a prediction gives. */
  readonly isForetoldBad: boolean;
  /** By people; bad where they disagree. */
  readonly readAs: 'good' | 'bad' | undefined;
}

export interface FactsRead {
  readonly conversations: readonly FactsOf[];
  /** There are more in the window, and these are the latest. */
  readonly isCut: boolean;
}

type Awaitable<T> = T | Promise<T>;

export interface FrameReader {
  frameCounts(query: FrameQuery): Awaitable<FrameCounts>;
  /** Conversations that come first to be read; those that are known with certainty are left out unless they are asked for. */
  firstToRead(query: FrameQuery, limit: number, asked?: 'all'): Awaitable<readonly Candidate[]>;
  /** Conversations that have become certain since a time, and how many of them a person has read. */
  certainSince(query: FrameQuery, time: number): Awaitable<{ readonly known: number; readonly read: number }>;
  /** Readings by people of conversations that began before a time, the newest first. */
  lessons(query: { readonly agent: string; readonly before: number }): Awaitable<readonly Lesson[]>;
  /** Conversations that a person has read, and when the first of them was. */
  readByPeople(query: FrameQuery): Awaitable<{ readonly conversations: number; readonly firstAt: number | undefined }>;
  /** Facts of the conversations of a window, in any order; of the window's latest conversations so many are looked at. */
  factsOf(query: FrameQuery, lookedAtMax: number): Awaitable<FactsRead>;
}

/**
 * Conversations in which suites found a fault are drawn more often: there are few, and many of the bad ones are among
 * them. More than this would widen the interval where suites know nothing.
 */
export const RATE_OF_FAULTY = 1.5;

export function rateOf(called: Outcome): number {
  return isFailure(called) ? RATE_OF_FAULTY : 1;
}
