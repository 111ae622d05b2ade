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

export type ToWhatIf =
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly question: WhatIfQuestion;
      /** The suite as it runs. */
      readonly suite: SuiteOutline;
    }
  | { readonly type: 'stop' };

export type FromWhatIf =
  | { readonly type: 'ready' }
  /** The body of the answer, JSON. */
  | { readonly type: 'answered'; readonly id: number; readonly body: Uint8Array<ArrayBuffer> }
  /** The suite's file has changed since the service loaded it. */
  | { readonly type: 'outdated'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly error: string };
