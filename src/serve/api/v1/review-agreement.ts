/** `GET /api/v1/review/agreement`: how far people and a criterion agree, and people among themselves. */
import { agreementOfPeople } from '../../../calibrate/agreement-of-people.ts';
import type { Confusion } from '../../../calibrate/confusion.ts';
import { shareOf } from '../../../calibrate/estimate.ts';
import { labelsWorthGiving } from '../../../calibrate/labels-worth-giving.ts';
import { type CalibratedVersion, calibrateVersions } from '../../../calibrate/pair-up.ts';
import { type ReviewAgreement, reviewAgreementQuery } from '../../../model/api/review.ts';
import type { Estimate } from '../../../model/estimate.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { reading } from '../../../report/http/route.ts';
import type { LabelReader } from '../../../store/label-store.ts';

/** The latest ones: some milliseconds' worth. */
const LIMITS = { labels: 2000, verdicts: 4000 };
const VERSIONS_MAX = 5;

export const getAgreement = reading(reviewAgreementQuery, async (side: { readonly reader: LabelReader }, asked) => {
  const said = await side.reader.labelled(LIMITS, asked);
  const { subjects, disputedApplies, agreed, kappa } = agreementOfPeople(said.labels);
  const answer: ReviewAgreement = {
    ...asked,
    versions: calibrateVersions(said).slice(0, VERSIONS_MAX).map(versionJson),
    labels: said.labels.length,
    people: {
      labellers: [...new Set(said.labels.map(({ by }) => by))].toSorted(),
      subjects,
      disputed_applies: disputedApplies,
      ...estimateJson('agreed', agreed, subjects),
      ...estimateJson('kappa', kappa, subjects),
    },
  };
  return jsonAnswer(200, answer);
});

function versionJson(version: CalibratedVersion): ReviewAgreement['versions'][number] {
  const { judge, judgeVersion, calibration, notApplicable, disputed } = version;
  const { confusion, kappa, passRate } = calibration;
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
    ...estimateJson('agreed', shareOf(passOfPass + failOfFail, labelled), labelled),
    ...estimateJson('kappa', kappa, labelled),
    ...(passRate.is === 'estimate'
      ? estimateJson('corrected_rate', passRate.rate, labelled)
      : // What code said of all is not counted by version.
        { not_corrected_because: judge === '' ? 'code-answers' : passRate.because }),
    not_applicable: notApplicable,
    disputed,
    ...worthJson(confusion),
  };
}

function worthJson(confusion: Confusion) {
  const worth = labelsWorthGiving(confusion);
  return {
    more_labels: worth.is === 'enough' ? 0 : worth.more,
    missing: worth.is === 'first' ? worth.missing : [],
  };
}

function estimateJson<Name extends string>(name: Name, estimate: Estimate | undefined, n: number) {
  if (estimate === undefined) return {};
  const { value, lower: low, upper: high } = estimate;
  // The cast names the one property that the object has.
  return { [name]: { value, low, high, n } } as Record<Name, { value: number; low: number; high: number; n: number }>;
}
