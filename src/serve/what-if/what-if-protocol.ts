/** Messages between the main thread and the thread that has the suites: it weighs stored verdicts again, and more. */
import type { z } from 'zod';
import type { learnedQuery } from '../../api/learned.ts';
import type { JudgingStart } from '../../engine/judging-start.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { WhatIfQuestion } from '../../api/what-if.ts';
import type { HistoryPart, HistoryWanted } from '../../model/history-learning.ts';
import type { TruthFile } from '../../model/truth.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { SuiteReferences } from '../scoring/suite-check.ts';

export interface WhatIfStart {
  readonly store: StorePlace;
  readonly suites: Omit<SuiteReferences, 'shadows'>;
  readonly judging: JudgingStart | undefined;
  readonly truth: readonly TruthFile[];
  /** Names of attributes that hold ids. */
  readonly idKeys: readonly string[];
  readonly segment: readonly string[];
  /** Age at which conversations become usual. */
  readonly gapMs: number;
}

/** A question that needs the suites themselves. */
export type SuiteQuestion =
  | ClientQuestion
  /** Scoring the next stored conversations by a suite that runs, for detection. */
  | { readonly is: 'history'; readonly wanted: HistoryWanted };

export type ClientQuestion =
  /** Weighing stored verdicts by other weights. */
  | { readonly is: 'what-if'; readonly question: WhatIfQuestion }
  /** Comparing a conversation with the golden traces of all live suites. */
  | { readonly is: 'golden'; readonly conversation: string }
  /** Looking for criteria that tell the failures which people found. */
  | { readonly is: 'criteria'; readonly asked: z.output<typeof learnedQuery> }
  /** Writing a conversation as a test of a suite; of the worst evaluation's, unless one is named. */
  | {
      readonly is: 'test';
      readonly conversation: string;
      readonly suite: string | undefined;
      readonly turn: string | undefined;
    };

export interface SentQuestion {
  readonly question: SuiteQuestion;
  /** Live suites as they run. */
  readonly suites: readonly SuiteOutline[];
}

export type WhatIfReply =
  | { readonly is: 'learned'; readonly part: HistoryPart }
  | {
      readonly is: 'answered';
      readonly status: number;
      readonly type: string;
      readonly body: Uint8Array<ArrayBuffer>;
    }
  /** The file of this suite has changed since the service loaded it. */
  | { readonly is: 'outdated'; readonly suite: string };
