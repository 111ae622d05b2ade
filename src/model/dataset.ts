/** Dataset of cases. A case has a user's input and the ground truth. */
import type { Json } from './json.ts';

export interface Dataset {
  readonly name: string;
  readonly version: string;
  /** File as the user named it, for messages. */
  readonly file: string;
  /** SHA-256, in hex, of what the cases say: two files with the same one hold the same cases. */
  readonly fingerprint: string;
  readonly cases: readonly DatasetCase[];
}

export interface DatasetCase {
  /** Id of the case, unique in the dataset. */
  readonly id: string;
  /** Input of the user, turn by turn: a text, or any JSON that the agent takes. Never empty. */
  readonly turns: readonly Json[];
  /** Ground truth. */
  readonly truth: Json | undefined;
  /** The golden trace that its conversation is compared with. */
  readonly golden: string | undefined;
  readonly tags: readonly string[];
  /** SHA-256, in hex, of turns, truth and golden trace. A case that was changed is another one, whatever it is called. */
  readonly fingerprint: string;
  /** Origin of the case; undefined if somebody wrote it. */
  readonly from: CaseOrigin | undefined;
  readonly line: number | undefined;
}

/** A conversation that was recorded in production. */
export interface CaseOrigin {
  readonly conversation: string;
  readonly agent: string;
  readonly agentVersion: string;
  /** ISO 8601. */
  readonly recordedAt: string;
  /** Recorded outcomes by suite. */
  readonly outcomes: Readonly<Record<string, string>>;
}
