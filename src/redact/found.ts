/** A secret found in text: where its bytes lie, and which pattern it is of. */
import type { BuiltInPattern, BY_KEY } from '../model/redaction.ts';

/** Bytes of a text. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface Found extends Place {
  readonly pattern: BuiltInPattern | typeof BY_KEY;
}
