/** The parts of a judge's configuration that its requests depend on. */
export interface JudgeSettings {
  /** The model and its parameters: whatever can change an answer, as one text. */
  readonly fingerprint: string;
  /** Limit of a request's material. */
  readonly evidenceTokens: number;
  /** Share of the conversations, from 0 to 1. */
  readonly share: number;
  /** Whether nothing counts that rests on evidence that was cut, or on invented quotes alone. */
  readonly strict?: boolean;
}
