/**
 * Views of quality besides regressions: totals, how criteria vary, how far judges can be trusted, and how many
 * conversations went well.
 */
import { judgingStart } from '../../engine/judging-start.ts';
import type { Log } from '../../report/log/log.ts';
import type { MetricSource } from '../../report/metrics/exposition.ts';
import { QualityView } from '../../report/metrics/quality-view.ts';
import { CALIBRATION_METRICS, type ShownCalibration } from '../../report/metrics/calibration-metrics.ts';
import { ESTIMATE_METRICS, type ShownEstimate } from '../../report/metrics/estimate-metrics.ts';
import { ShownRounds } from '../criteria/shown-rounds.ts';
import { CriterionVariation } from '../criteria/criterion-variation.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { RunningConfig } from '../running/running-config.ts';

const MINUTE_MS = 60_000;

export class ServiceViews {
  readonly quality: QualityView;
  readonly variation = new CriterionVariation();
  readonly calibration: ShownRounds<ShownCalibration>;
  readonly estimates: ShownRounds<ShownEstimate>;
  readonly #hasJudges: boolean;
  /** From its start to its stop. */
  #reading: Pick<StoreReading, 'own'> | undefined;

  constructor(parts: {
    readonly config: RunningConfig;
    readonly log: Log;
    readonly isAlone: boolean;
  }) {
    const { config, log, isAlone } = parts;
    this.quality = new QualityView(config.settings.metrics.maxSeries);
    this.#hasJudges = judgingStart(config.settings) !== undefined;
    this.calibration = new ShownRounds({
      everyMs: MINUTE_MS,
      metrics: CALIBRATION_METRICS,
      read: () => this.#reading?.own({ what: 'calibration' }),
      onProblem: (error) => log.line('warn', 'judges: calibration could not be computed, retrying later', { error }),
      isOwner: isAlone,
    });
    this.estimates = new ShownRounds({
      everyMs: 2 * MINUTE_MS,
      metrics: ESTIMATE_METRICS,
      read: () => this.#reading?.own({ what: 'estimates' }),
      onProblem: (error) =>
        log.line('warn', 'readings: the success rate could not be estimated, retrying later', { error }),
      isOwner: isAlone,
    });
  }

  /** Computed by this process; the totals of the store are `quality`. */
  sources(): readonly MetricSource[] {
    return [...this.estimates.sources(), ...(this.#hasJudges ? this.calibration.sources() : [])];
  }

  start(reading: Pick<StoreReading, 'own'>): void {
    this.#reading = reading;
    this.estimates.start();
    if (this.#hasJudges) this.calibration.start();
  }

  /** Must be called before the reading thread is stopped. */
  async stop(): Promise<void> {
    await Promise.all([this.calibration.stop(), this.estimates.stop()]);
    this.#reading = undefined;
  }
}
