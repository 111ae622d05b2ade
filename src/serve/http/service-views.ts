/**
 * Views of quality besides regressions: totals, how criteria vary and resemble one another, and how far judges can be
 * trusted.
 */
import { judgingStart } from '../../engine/judging-start.ts';
import type { Log } from '../../report/log/log.ts';
import type { MetricSource } from '../../report/metrics/exposition.ts';
import { QualityView } from '../../report/metrics/quality-view.ts';
import { CalibrationRounds } from '../criteria/calibration-rounds.ts';
import { CriterionLikeness } from '../criteria/criterion-likeness.ts';
import { CriterionVariation } from '../criteria/criterion-variation.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { RunningConfig } from '../running/running-config.ts';

export class ServiceViews {
  readonly quality = new QualityView();
  readonly variation = new CriterionVariation();
  readonly likeness: CriterionLikeness;
  readonly calibration: CalibrationRounds;
  readonly #hasJudges: boolean;
  /** From its start to its stop. */
  #reading: Pick<StoreReading, 'own'> | undefined;

  constructor(parts: {
    readonly config: RunningConfig;
    readonly log: Log;
    readonly isAlone: boolean;
  }) {
    const { config, log, isAlone } = parts;
    const failing = (what: string) => (error: string) =>
      log.line('warn', `${what} could not be computed, retrying later`, { error });
    this.#hasJudges = judgingStart(config.settings) !== undefined;
    this.likeness = new CriterionLikeness({
      read: () => this.#reading?.own({ what: 'likeness' }),
      onProblem: failing('criteria: likeness'),
    });
    this.calibration = new CalibrationRounds({
      read: () => this.#reading?.own({ what: 'calibration' }),
      onProblem: failing('judges: calibration'),
      isOwner: isAlone,
    });
  }

  /** Computed by this process; the totals of the store are `quality`. */
  sources(): readonly MetricSource[] {
    return this.#hasJudges ? this.calibration.sources() : [];
  }

  start(reading: Pick<StoreReading, 'own'>): void {
    this.#reading = reading;
    this.likeness.start();
    if (this.#hasJudges) this.calibration.start();
  }

  /** Must be called before the reading thread is stopped. */
  async stop(): Promise<void> {
    await this.calibration.stop();
    await this.likeness.stop();
    this.#reading = undefined;
  }
}
