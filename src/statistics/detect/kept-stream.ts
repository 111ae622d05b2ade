/** State of a stream, as its snapshot holds it. */
import type { Watched } from '../../model/detection.ts';
import type { Json } from '../../model/json.ts';
import type { JudgesBridged, JudgesChanged } from './observation.ts';

export interface KeptStream {
  readonly labels: Watched;
  readonly lastAt: number;
  readonly segments: Json;
  /** Absent in a state of 0.1.0. */
  readonly strata?: Json;
  readonly criteria: Json;
  readonly watches: readonly Json[];
  readonly criterionWatches: readonly Json[];
  readonly costs: Json;
  readonly steps: Json;
  readonly versions: Json;
  readonly usual: Json;
  readonly recent: Json;
  readonly users: Json;
  readonly parts: Json;
  readonly sample: Json;
  readonly judges: readonly [string, readonly string[], readonly [number, Json, (JudgesBridged | null)?] | null];
  readonly judgesChanged: readonly JudgesChanged[];
}
