/** The metrics that say how far judges can be trusted, as it was worked out last. */
import { type Reading, readGauge } from './define-metric.ts';
import type { MetricTable } from './metric-set.ts';

interface ShownEstimate {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

export interface ShownCalibration {
  readonly suite: string;
  readonly criterion: string;
  readonly judge: string;
  readonly judgeVersion: string;
  readonly labelled: readonly { readonly verdict: string; readonly label: string; readonly count: number }[];
  readonly sensitivity: ShownEstimate | undefined;
  readonly specificity: ShownEstimate | undefined;
  readonly kappa: ShownEstimate | undefined;
  readonly passRate: ShownEstimate | undefined;
  readonly state: string;
}

const VERSION = ['suite', 'criterion', 'judge', 'judge_version'] as const;

/** Each figure has its value, and the lower and the upper end of its 95 % interval. */
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
  sensitivity: readGauge('assay_judge_sensitivity_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Share of the material passed by people that the judge passes too. Labels of each verdict weigh as much as the judge gave that verdict.',
    read: figures((one) => one.sensitivity?.value),
  }),
  sensitivityLower: readGauge('assay_judge_sensitivity_lower_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Lower end of its 95 % interval.',
    read: figures((one) => one.sensitivity?.lower),
  }),
  sensitivityUpper: readGauge('assay_judge_sensitivity_upper_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Upper end of its 95 % interval.',
    read: figures((one) => one.sensitivity?.upper),
  }),
  specificity: readGauge('assay_judge_specificity_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Share of the material failed by people that the judge fails too, weighed alike.',
    read: figures((one) => one.specificity?.value),
  }),
  specificityLower: readGauge('assay_judge_specificity_lower_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Lower end of its 95 % interval.',
    read: figures((one) => one.specificity?.lower),
  }),
  specificityUpper: readGauge('assay_judge_specificity_upper_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Upper end of its 95 % interval.',
    read: figures((one) => one.specificity?.upper),
  }),
  kappa: readGauge('assay_judge_kappa_ratio', '-1 to 1', {
    labels: VERSION,
    help: "Cohen's kappa: how far the judge and people agree beyond chance, weighed alike.",
    queries: {
      'judges that are known to agree with people by little more than chance': 'assay_judge_kappa_upper_ratio < 0.4',
    },
    read: figures((one) => one.kappa?.value),
  }),
  kappaLower: readGauge('assay_judge_kappa_lower_ratio', '-1 to 1', {
    labels: VERSION,
    help: 'Lower end of its 95 % interval.',
    read: figures((one) => one.kappa?.lower),
  }),
  kappaUpper: readGauge('assay_judge_kappa_upper_ratio', '-1 to 1', {
    labels: VERSION,
    help: 'Upper end of its 95 % interval.',
    read: figures((one) => one.kappa?.upper),
  }),
  passRate: readGauge('assay_judge_corrected_pass_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Estimated share of the material judged by this version that people would pass, weighed alike; absent if the labels are not enough.',
    queries: {
      'pass rate of the last day, corrected for the errors of the judge': `clamp(
  ( sum by (suite, criterion, judge, judge_version) (increase(assay_judged_verdicts_total{verdict="pass"}[1d]))
    / sum by (suite, criterion, judge, judge_version) (increase(assay_judged_verdicts_total[1d]))
    + max by (suite, criterion, judge, judge_version) (assay_judge_specificity_ratio) - 1 )
  / ( max by (suite, criterion, judge, judge_version) (assay_judge_sensitivity_ratio)
    + max by (suite, criterion, judge, judge_version) (assay_judge_specificity_ratio) - 1 > 0 ),
  0, 1)`,
    },
    read: figures((one) => one.passRate?.value),
  }),
  passRateLower: readGauge('assay_judge_corrected_pass_lower_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Lower end of its 95 % interval.',
    read: figures((one) => one.passRate?.lower),
  }),
  passRateUpper: readGauge('assay_judge_corrected_pass_upper_ratio', '0 to 1', {
    labels: VERSION,
    help: 'Upper end of its 95 % interval.',
    read: figures((one) => one.passRate?.upper),
  }),
  state: readGauge('assay_judge_calibration_state', '1', {
    labels: [...VERSION, 'state'],
    help: 'Whether there is a corrected pass rate (estimated), or why there is none: nothing_judged, or none_of_passed or none_of_failed, where nothing is labelled of what the judge passes or fails.',
    queries: {
      'judges that need other labels': 'assay_judge_calibration_state{state=~"none_of_.+"} == 1',
    },
    read: (shown) => shown.map((one) => ({ labels: { ...labelsOf(one), state: one.state }, value: 1 })),
  }),
} satisfies MetricTable<readonly ShownCalibration[]>;

/** A figure that is not known is not shown. */
function figures(figureOf: (one: ShownCalibration) => number | undefined) {
  return (shown: readonly ShownCalibration[]): readonly Reading[] =>
    shown.flatMap((one) => {
      const value = figureOf(one);
      return value === undefined ? [] : [{ labels: labelsOf(one), value }];
    });
}

function labelsOf({ suite, criterion, judge, judgeVersion }: ShownCalibration): Reading['labels'] {
  return { suite, criterion, judge, judge_version: judgeVersion };
}
