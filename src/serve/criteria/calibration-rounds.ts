/**
 * Works out now and then how far judges can be trusted, from what people and judges said of the same, and shows it as
 * gauges. It reads the store and changes nothing. Among many instances, the one that has the first lane exposes it, so
 * that nothing is exposed twice.
 */
import { CALIBRATION_METRICS, type ShownCalibration } from '../../report/metrics/calibration-metrics.ts';
import type { MetricSource } from '../../report/metrics/exposition.ts';
import { MetricSet } from '../../report/metrics/metric-set.ts';

const EVERY_MS = 60_000;

interface CalibrationParts {
  /** Works it out, elsewhere (calibration-of.ts). Undefined while there is no store to be read. */
  readonly read: () => Promise<readonly ShownCalibration[]> | undefined;
  readonly onProblem: (problem: string) => void;
  readonly isOwner: boolean;
}

export class CalibrationRounds {
  readonly #parts: CalibrationParts;
  #shown: readonly ShownCalibration[] = [];
  #isOwner: boolean;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  constructor(parts: CalibrationParts) {
    this.#parts = parts;
    this.#isOwner = parts.isOwner;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.refresh(), EVERY_MS);
    void this.refresh();
  }

  /** Whether it is this instance that shows it. */
  own(isOwner: boolean): void {
    this.#isOwner = isOwner;
    void this.refresh();
  }

  /** Figures of the last round; none where another instance has them. */
  get last(): { readonly isHere: boolean; readonly shown: readonly ShownCalibration[] } {
    return { isHere: this.#isOwner, shown: this.#shown };
  }

  sources(): readonly MetricSource[] {
    return new MetricSet(CALIBRATION_METRICS).sources(() => this.#shown);
  }

  /** Never rejects. One that is under way is not begun twice. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Before the store is closed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
  }

  async #refresh(): Promise<void> {
    try {
      const shown = this.#isOwner ? await this.#parts.read() : undefined;
      // Ownership may have gone to another instance meanwhile.
      this.#shown = this.#isOwner ? (shown ?? []) : [];
    } catch (error) {
      // The last known figures stay.
      this.#parts.onProblem(error instanceof Error ? error.message : String(error));
    }
  }
}
