/** Messages between the main thread and the thread that weighs stored verdicts again. */
import type { JudgingStart } from '../../engine/judging-start.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { WhatIfQuestion } from '../../model/api/what-if.ts';
import type { StorePlace } from '../open-reader.ts';
import type { SuiteReferences } from '../suite-check.ts';

export interface WhatIfStart {
  readonly store: StorePlace;
  readonly suites: Omit<SuiteReferences, 'shadows'>;
  readonly judging: JudgingStart | undefined;
}

export interface SentQuestion {
  readonly question: WhatIfQuestion;
  /** The suite as it runs. */
  readonly suite: SuiteOutline;
}

export type WhatIfReply =
  /** The body of the answer, JSON. */
  | { readonly is: 'answered'; readonly body: Uint8Array<ArrayBuffer> }
  /** The suite's file has changed since the service loaded it. */
  | { readonly is: 'outdated' };
