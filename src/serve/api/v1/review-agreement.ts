/** `GET /api/v1/review/agreement`: how far people and a criterion agree, and people among themselves. */
import { agreementOfPeople } from '../../../statistics/calibrate/agreement-of-people.ts';
import type { Calibration } from '../../../statistics/calibrate/calibration.ts';
import { labelsWorthGiving } from '../../../statistics/calibrate/labels-worth-giving.ts';
import { type CalibratedVersion, calibrateVersions } from '../../../statistics/calibrate/pair-up.ts';
import { type ReviewAgreement, reviewAgreement, reviewAgreementQuery } from '../../../api/review.ts';
import type { Estimate } from '../../../model/estimate.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** The latest ones: some milliseconds' worth. */
const LIMITS = { labels: 2000, verdicts: 4000 };
const VERSIONS_MAX = 5;

export const getAgreement = v1Read({
  path: '/api/v1/review/agreement',
  summary: '?suite= &criterion= how far people and the criterion agree, and people among themselves',
  query: reviewAgreementQuery,
  answer: reviewAgreement,
  read: async ({ reader }: Pick<V1Side, 'reader'>, asked) => {
    const said = await reader.labelled(LIMITS, asked);
    const { subjects, disputedApplies, agreed, kappa } = agreementOfPeople(said.labels);
    return {
      ...asked,
      versions: calibrateVersions(said).slice(0, VERSIONS_MAX).map(versionJson),
      labels: said.labels.length,
      people: {
        labellers: [...new Set(said.labels.map(({ by }) => by))].toSorted(),
        subjects,
        disputed_applies: disputedApplies,
        ...(agreed === undefined ? {} : { agreed: estimateJson(agreed, subjects) }),
        ...(kappa === undefined ? {} : { kappa: estimateJson(kappa, subjects) }),
      },
    };
  },
});

function versionJson(version: CalibratedVersion): ReviewAgreement['versions'][number] {
  const { judge, judgeVersion, calibration, notApplicable, disputed } = version;
  const { confusion, agreed, kappa, passRate } = calibration;
  const { passOfPass, failOfPass, passOfFail, failOfFail } = confusion;
  const labelled = passOfPass + failOfPass + passOfFail + failOfFail;
  return {
    ...(judge === '' ? {} : { judge }),
    version: judgeVersion,
    labelled,
    counts: {
      pass_of_pass: passOfPass,
      fail_of_pass: failOfPass,
      pass_of_fail: passOfFail,
      fail_of_fail: failOfFail,
    },
    ...(agreed === undefined ? {} : { agreed: estimateJson(agreed, labelled) }),
    ...(kappa === undefined ? {} : { kappa: estimateJson(kappa, labelled) }),
    ...(passRate.is === 'estimate'
      ? { corrected_rate: estimateJson(passRate.rate, labelled) }
      : // What code said of all is not counted by version.
        { not_corrected_because: judge === '' ? 'code-answers' : passRate.because }),
    not_applicable: notApplicable,
    disputed,
    ...worthJson(calibration),
  };
}

function worthJson(calibration: Calibration) {
  const worth = labelsWorthGiving(calibration);
  return {
    more_labels: worth.is === 'enough' ? 0 : worth.more,
    missing: worth.is === 'first' ? worth.missing : [],
    ...(worth.is === 'narrower' ? { label_next: worth.next } : {}),
  };
}

function estimateJson({ value, lower: low, upper: high }: Estimate, n: number) {
  return { value, low, high, n };
}
