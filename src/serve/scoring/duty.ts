/**
 * Duties that only one instance may have: asking judges, detecting regressions, sending evaluations, and exposing the
 * results.
 */
import type { ShownRounds } from '../criteria/shown-rounds.ts';
import type { DetectionMonitor } from '../detection/detection-monitor.ts';
import type { Scorer } from './scorer.ts';

export class InstanceDuty {
  readonly #scorer: Scorer;
  readonly #detection: DetectionMonitor;
  readonly #rounds: readonly Pick<ShownRounds<unknown>, 'own'>[];

  constructor(scorer: Scorer, detection: DetectionMonitor, rounds: readonly Pick<ShownRounds<unknown>, 'own'>[]) {
    this.#scorer = scorer;
    this.#detection = detection;
    this.#rounds = rounds;
  }

  set(isOurs: boolean): void {
    this.#scorer.setDuty(isOurs);
    this.#detection.own(isOurs);
    for (const rounds of this.#rounds) rounds.own(isOurs);
  }
}
