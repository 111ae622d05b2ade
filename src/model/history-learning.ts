/**
 * Learning from stored conversations: what the owner of detection wants of the thread that has the suites, and what
 * that thread answers, part by part. See `engine/detection/learning.ts` for the states and what a crash does in each.
 */
import type { JudgeRequest } from './judging.ts';

/** A suite as it runs now: detection has to know it by this. */
export interface RunningSuite {
  readonly suite: string;
  readonly version: string;
  readonly judgedBy: string;
  /** Another one for another version, judge or segment. */
  readonly key: string;
}

export interface HistoryWanted extends RunningSuite {
  /** Log times: from the first on, before the second. Live observations are from the second on. */
  readonly since: number;
  readonly until: number;
  /** The store's row of the last evaluation that was observed; 0 before the first. */
  readonly after: number;
  /** Conversations so far, and in all; 0 while they are counted. */
  readonly done: number;
  readonly of: number;
  readonly stage: HistoryStage;
  /** Judges are asked, so scores are learned from a sample. */
  readonly isSampled: boolean;
}

/** `judging`: a sample waits for answers of judges. */
export type HistoryStage = 'counting' | 'judging' | 'learning';

/** A question for the sample; nobody with a verdict to wait for is kept waiting by it. */
export interface HistoryQuestion {
  /** The store's number of the conversation. */
  readonly conversation: number;
  readonly request: JudgeRequest;
}

interface OfStream {
  readonly agent: string;
  readonly environment: string;
}

/** Scores, 0 to 1, of the same conversations by the judges before and now, as sums. */
export interface JudgesBridge extends OfStream {
  readonly conversations: number;
  readonly before: number;
  readonly after: number;
}

/** Rate of reading, one of this many: of all conversations, and of those with a score. */
export interface StoredTraffic extends OfStream {
  readonly all: number;
  readonly scored: number;
}

export interface HistoryPart
  extends Pick<HistoryWanted, 'suite' | 'key' | 'after' | 'done' | 'of' | 'stage' | 'isSampled'> {
  /** Row of the last evaluation in it; `after` if it has none. */
  readonly cursor: number;
  readonly observed: readonly (readonly [at: number, payload: string])[];
  readonly bridges: readonly JudgesBridge[];
  /** Questions that are to wait in the store from now on, and no others; absent where nothing changes. */
  readonly questions?: readonly HistoryQuestion[];
  /** Present in the last part. */
  readonly end?: { readonly traffic: readonly StoredTraffic[] } | { readonly problem: string };
}

/** Sentence for people. `suite` is untrusted text. */
export function learningText(of: Pick<HistoryWanted, 'suite' | 'done' | 'of'> & { readonly stage: string }): string {
  const amount = `${of.done.toLocaleString('en')} of ${of.of.toLocaleString('en')}`;
  const progress = { counting: 'counting them', judging: `${amount} of a sample answered by judges` }[of.stage];
  return `suite ${of.suite}: learning from stored conversations: ${progress ?? amount}`;
}
