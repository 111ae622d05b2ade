/**
 * Views of quality besides regressions: totals, how criteria vary, and how far judges can be trusted.
 */
import { judgingStart } from '../../engine/judging-start.ts';
import type { Log } from '../../report/log/log.ts';
import type { MetricSource } from '../../report/metrics/exposition.ts';
import { QualityView } from '../../report/metrics/quality-view.ts';
import { CalibrationRounds } from '../criteria/calibration-rounds.ts';
import { CriterionVariation } from '../criteria/criterion-variation.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { RunningConfig } from '../running/running-config.ts';

export class ServiceViews {
  readonly quality = new QualityView();
  readonly variation = new CriterionVariation();
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
    this.#hasJudges = judgingStart(config.settings) !== undefined;
    this.calibration = new CalibrationRounds({
      read: () => this.#reading?.own({ what: 'calibration' }),
      onProblem: (error) => log.line('warn', 'judges: calibration could not be computed, retrying later', { error }),
      isOwner: isAlone,
    });
  }

  /** Computed by this process; the totals of the store are `quality`. */
  sources(): readonly MetricSource[] {
    return this.#hasJudges ? this.calibration.sources() : [];
  }

  start(reading: Pick<StoreReading, 'own'>): void {
    this.#reading = reading;
    if (this.#hasJudges) this.calibration.start();
  }

  /** Must be called before the reading thread is stopped. */
  async stop(): Promise<void> {
    await this.calibration.stop();
    this.#reading = undefined;
  }
}
