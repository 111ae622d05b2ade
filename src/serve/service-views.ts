/**
 * Views of quality besides regressions: totals, how criteria vary and resemble one another, and how far judges can be
 * trusted.
 */
import { judgingStart } from '../engine/judging-start.ts';
import type { Log } from '../report/log/log.ts';
import type { MetricSource } from '../report/metrics/exposition.ts';
import { QualityView } from '../report/metrics/quality-view.ts';
import { CalibrationRounds } from './calibration-rounds.ts';
import { CriterionLikeness } from './criteria/criterion-likeness.ts';
import { CriterionVariation } from './criteria/criterion-variation.ts';
import type { ServiceReader } from './deployment.ts';
import type { RunningConfig } from './running-config.ts';

export class ServiceViews {
  readonly quality = new QualityView();
  readonly variation = new CriterionVariation();
  readonly likeness: CriterionLikeness;
  readonly calibration: CalibrationRounds;
  readonly #hasJudges: boolean;
  /** From its start to its stop. */
  #reader: ServiceReader | undefined;

  constructor(parts: {
    readonly config: RunningConfig;
    readonly log: Log;
    readonly isAlone: boolean;
  }) {
    const { config, log, isAlone } = parts;
    const failing = (what: string) => (error: string) =>
      log.line('warn', `${what}: not computed, trying again later`, { error });
    const reader = () => this.#reader;
    this.#hasJudges = judgingStart(config.settings.judging) !== undefined;
    this.likeness = new CriterionLikeness({
      reader,
      suites: () => config.suites,
      onProblem: failing('likeness of criteria'),
    });
    this.calibration = new CalibrationRounds({ reader, onProblem: failing('calibration of judges'), isOwner: isAlone });
  }

  /** Computed by this process; the totals of the store are `quality`. */
  sources(): readonly MetricSource[] {
    return this.#hasJudges ? this.calibration.sources() : [];
  }

  start(reader: ServiceReader): void {
    this.#reader = reader;
    this.likeness.start();
    if (this.#hasJudges) this.calibration.start();
  }

  /** To be called before the store's reader is closed. */
  async stop(): Promise<void> {
    await this.calibration.stop();
    await this.likeness.stop();
    this.#reader = undefined;
  }
}
