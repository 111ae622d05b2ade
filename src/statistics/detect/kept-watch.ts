/** State of a watch over one level, as its snapshot holds it. */
import type { Json } from '../../model/json.ts';
import type { Stretch } from './change-evidence.ts';
import type { Tolerated } from './expectations.ts';
import type { Change, Phase } from './watch-reading.ts';

export interface KeptWatch {
  readonly baseline: Json;
  readonly evidence: Json;
  readonly pattern: Json;
  readonly recovery: Json;
  readonly since: Json;
  readonly phase: Phase;
  readonly silent: boolean;
  readonly tolerated: Tolerated;
  readonly hourStart: Stretch;
  readonly foundAt: Stretch;
  /** Absent in a state of 0.1.0, like `isPartlyBack`. */
  readonly peaks?: Json;
  readonly isPartlyBack?: boolean;
  readonly anchor?: number | null;
  readonly changes: readonly Change[];
  readonly numbers: readonly number[];
}
