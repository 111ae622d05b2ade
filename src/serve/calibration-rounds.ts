/**
 * Works out now and then how far judges can be trusted, from what people and judges said of the same, and shows it as
 * gauges. It reads the store and changes nothing. Among many instances, the one that has the first lane exposes it, so
 * that nothing is exposed twice.
 */
import { calibrateVersions, type CalibratedVersion } from '../calibrate/pair-up.ts';
import { CALIBRATION_METRICS, type ShownCalibration } from '../report/metrics/calibration-metrics.ts';
import type { MetricSource } from '../report/metrics/exposition.ts';
import { MetricSet } from '../report/metrics/metric-set.ts';
import type { LabelReader } from '../store/label-store.ts';

const EVERY_MS = 60_000;
/** The last ones that were put: so many are read within some tens of milliseconds. */
const LIMITS = { labels: 20_000, verdicts: 40_000 };
/** Judges that answered last. Each is up to twenty series. */
const VERSIONS_MAX = 200;

interface CalibrationParts {
  /** Undefined while there is no store to be read. */
  readonly reader: () => LabelReader | undefined;
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
      const said = this.#isOwner ? await this.#parts.reader()?.labelled(LIMITS) : undefined;
      // It may have gone to another instance meanwhile.
      const versions = said === undefined || !this.#isOwner ? [] : calibrateVersions(said);
      this.#shown = versions.slice(0, VERSIONS_MAX).map(shownOf);
    } catch (error) {
      // The last known figures stay.
      this.#parts.onProblem(error instanceof Error ? error.message : String(error));
    }
  }
}

function shownOf(version: CalibratedVersion): ShownCalibration {
  const { suite, criterion, judge, judgeVersion, calibration, notApplicable, disputed } = version;
  const { confusion, sensitivity, specificity, kappa, passRate } = calibration;
  const labelled = [
    { verdict: 'pass', label: 'pass', count: confusion.passOfPass },
    { verdict: 'fail', label: 'pass', count: confusion.failOfPass },
    { verdict: 'pass', label: 'fail', count: confusion.passOfFail },
    { verdict: 'fail', label: 'fail', count: confusion.failOfFail },
    // Regardless of the judge's answers.
    { verdict: 'any', label: 'not_applicable', count: notApplicable },
    { verdict: 'any', label: 'disputed', count: disputed },
  ];
  const known = { labelled, sensitivity, specificity, kappa };
  const rate = passRate.is === 'estimate' ? passRate.rate : undefined;
  const state = passRate.is === 'estimate' ? 'estimated' : passRate.because.replaceAll('-', '_');
  return { suite, criterion, judge, judgeVersion, ...known, passRate: rate, state };
}
