/** A secret found in text: where its bytes lie, and which pattern it is of. */
import type { BuiltInPattern, BY_KEY } from '../model/redaction.ts';

export interface Found {
  readonly start: number;
  readonly end: number;
  readonly pattern: BuiltInPattern | typeof BY_KEY;
}
