/** The parts of a judge's configuration that its requests depend on. */
import type { WHEN_CUT, WHEN_UNSUPPORTED } from '../../model/judging.ts';

export interface JudgeSettings {
  /** The model and its parameters: whatever can change an answer, as one text. */
  readonly fingerprint: string;
  /** Limit of a request's material. */
  readonly evidenceTokens: number;
  /** Share of the conversations, from 0 to 1. */
  readonly share: number;
  /** `count` unless given. */
  readonly whenCut?: (typeof WHEN_CUT)[number];
  /** `count` unless given. That it is asked again is for who asks. */
  readonly whenUnsupported?: (typeof WHEN_UNSUPPORTED)[number];
}
