/** The metrics that say how far judges can be trusted, as it was worked out last. */
import type { Estimate } from '../../model/estimate.ts';
import { type Reading, readGauge } from './define-metric.ts';
import type { MetricTable } from './metric-set.ts';

export interface ShownCalibration {
  readonly suite: string;
  readonly criterion: string;
  readonly judge: string;
  readonly judgeVersion: string;
  readonly labelled: readonly { readonly verdict: string; readonly label: string; readonly count: number }[];
  readonly sensitivity: Estimate | undefined;
  readonly specificity: Estimate | undefined;
  readonly kappa: Estimate | undefined;
  readonly passRate: Estimate | undefined;
  readonly state: string;
}

const VERSION = ['suite', 'criterion', 'judge', 'judge_version'] as const;

const FIGURES = ['sensitivity', 'specificity', 'kappa', 'passRate'] as const;
const BOUNDS = ['value', 'lower', 'upper'] as const;

export const CALIBRATION_METRICS = {
  labelled: readGauge('assay_judge_labelled_verdicts', 'verdicts', {
    labels: [...VERSION, 'verdict', 'label'],
    help: 'Verdicts of the judge on material that people have labelled, by verdict and by label. disputed: as many people labelled it one way as the other.',
    queries: {
      'what the judge passes although people fail it, of each version':
        'assay_judge_labelled_verdicts{verdict="pass",label="fail"} > 0',
    },
    read: (shown) =>
      shown.flatMap((one) =>
        one.labelled.map(({ verdict, label, count }) => ({
          labels: { ...labelsOf(one), verdict, label },
          value: count,
        })),
      ),
  }),
  agreement: readGauge('assay_judge_agreement_ratio', '-1 to 1', {
    labels: [...VERSION, 'figure', 'bound'],
    help: "How far the judge and people agree, by figure, with the lower and the upper end of its 95 % interval (bound: value, lower, upper). sensitivity: share of the material passed by people that the judge passes too. specificity: share of the failed that it fails too. kappa: Cohen's, agreement beyond chance. corrected_pass: estimated share of the material judged by this version that people would pass. Labels of each verdict weigh as much as the judge gave that verdict; a figure that is not known is absent.",
    queries: {
      'judges that are known to agree with people by little more than chance':
        'assay_judge_agreement_ratio{figure="kappa",bound="upper"} < 0.4',
      'pass rate of the last day, corrected for the errors of the judge': `clamp(
  ( sum by (suite, criterion, judge, judge_version) (increase(assay_judged_verdicts_total{verdict="pass"}[1d]))
    / sum by (suite, criterion, judge, judge_version) (increase(assay_judged_verdicts_total[1d]))
    + max by (suite, criterion, judge, judge_version) (assay_judge_agreement_ratio{figure="specificity",bound="value"}) - 1 )
  / ( max by (suite, criterion, judge, judge_version) (assay_judge_agreement_ratio{figure="sensitivity",bound="value"})
    + max by (suite, criterion, judge, judge_version) (assay_judge_agreement_ratio{figure="specificity",bound="value"}) - 1 > 0 ),
  0, 1)`,
    },
    read: (shown) =>
      shown.flatMap((one) =>
        FIGURES.flatMap((figure) => {
          const estimate = one[figure];
          if (estimate === undefined) return [];
          const labels = { ...labelsOf(one), figure: figure === 'passRate' ? 'corrected_pass' : figure };
          return BOUNDS.map((bound) => ({ labels: { ...labels, bound }, value: estimate[bound] }));
        }),
      ),
  }),
} satisfies MetricTable<readonly ShownCalibration[]>;

function labelsOf({ suite, criterion, judge, judgeVersion }: ShownCalibration): Reading['labels'] {
  return { suite, criterion, judge, judge_version: judgeVersion };
}
