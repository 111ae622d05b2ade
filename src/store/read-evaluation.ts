/** An evaluation as people read it: with the time at which it was made, and what the conversation was like then. */
import type { Evaluation } from '../model/evaluation.ts';
import type { SeenConversation } from './evaluation-columns.ts';

export interface ReadEvaluation {
  readonly evaluation: Evaluation;
  /** Wall-clock time in milliseconds; undefined while it waits for verdicts. */
  readonly madeAt: number | undefined;
  /** Undefined while it waits for verdicts. */
  readonly seen: SeenConversation | undefined;
  /** Labels under which it was counted, as JSON; undefined while it waits for verdicts. Few texts differ. */
  readonly labels: string | undefined;
  /** No later revision has been made. One that waits may stand beside it. */
  readonly isLast: boolean;
}

/** A label that is kept, as people read it. */
export interface KeptLabel {
  /** The store's own. */
  readonly id: number;
  readonly turnId: string | undefined;
  readonly suite: string;
  readonly criterion: string;
  readonly label: string;
  readonly by: string;
  readonly note: string | undefined;
  /** The verdict was in sight when it was given. */
  readonly seen: boolean;
  /** Wall-clock time in milliseconds. */
  readonly putAt: number;
}

/** Labels under which evaluations were counted, and when that was. */
export interface CountedPlace {
  readonly agent: string;
  readonly agentVersion: string;
  readonly environment: string;
  /** Empty where none is configured. */
  readonly segment: string;
  /** Log times in milliseconds, at which the first and the last stretch of them begin. */
  readonly first: number;
  readonly last: number;
}
