/**
 * Duties that only one instance may have: asking judges, detecting regressions, sending evaluations, and exposing the
 * results.
 */
import type { CalibrationRounds } from '../criteria/calibration-rounds.ts';
import type { DetectionMonitor } from '../detection/detection-monitor.ts';
import type { Scorer } from './scorer.ts';

export class InstanceDuty {
  readonly #scorer: Scorer;
  readonly #detection: DetectionMonitor;
  readonly #calibration: CalibrationRounds;

  constructor(scorer: Scorer, detection: DetectionMonitor, calibration: CalibrationRounds) {
    this.#scorer = scorer;
    this.#detection = detection;
    this.#calibration = calibration;
  }

  set(isOurs: boolean): void {
    this.#scorer.setDuty(isOurs);
    this.#detection.own(isOurs);
    this.#calibration.own(isOurs);
  }
}
