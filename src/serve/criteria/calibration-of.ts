/** Works out how far judges can be trusted, from the newest labels and verdicts of the store (shown-rounds.ts). */
import { calibrateVersions, type CalibratedVersion } from '../../statistics/calibrate/pair-up.ts';
import type { ShownCalibration } from '../../report/metrics/calibration-metrics.ts';
import type { LabelReader } from '../../store/label-store.ts';

/** The last ones that were put: so many are read within some tens of milliseconds. */
const LIMITS = { labels: 20_000, verdicts: 40_000 };
/** Judges that answered last. Each is up to twenty series. */
const VERSIONS_MAX = 200;

export async function calibrationOf(reader: LabelReader): Promise<readonly ShownCalibration[]> {
  return calibrateVersions(await reader.labelled(LIMITS))
    .filter(({ judge }) => judge !== '')
    .slice(0, VERSIONS_MAX)
    .map(shownOf);
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
