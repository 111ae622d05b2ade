/** Detection as the main thread has it, for answers of the API and for notices. */
import type { DetectionReport } from '../../model/detection.ts';

/** The newest report of detection, as answers show it. */
export interface DetectionState {
  readonly isActive: boolean;
  /** Undefined where detection is another instance's. */
  readonly report: DetectionReport | undefined;
}
