/** Judges of a stream, and the usual figures from before they changed. */
import type { Json } from '../../model/json.ts';
import type { JudgesBridged } from './observation.ts';
import { type Cells, cellsToJson } from './trailing-baseline.ts';

/** The judges that answer criteria which code does not decide. */
export interface StreamJudges {
  readonly by: string;
  readonly names: readonly string[];
  /** Usual figures from before the last change. */
  readonly before: BeforeJudges | undefined;
}

interface BeforeJudges {
  readonly at: number;
  readonly cells: Readonly<Cells>;
  /** Undefined where no conversation was asked by both. */
  readonly bridge: JudgesBridged | undefined;
}

export function beforeToJson({ at, cells, bridge }: BeforeJudges): Json {
  return [at, cellsToJson(cells), bridge === undefined ? null : { ...bridge }];
}
