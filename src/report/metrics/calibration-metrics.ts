/** The metrics that say how far judges can be trusted: names, labels, units and meaning. `calibration-view.ts` shows them. */
import type { MetricDefinition } from '../../model/metric.ts';

const VERSION = ['suite', 'criterion', 'judge', 'judge_version'] as const;

/** Of what each figure is the value, the lower and the upper end of its 95 % interval. */
export const CALIBRATION_METRICS = {
  labelled: {
    name: 'assay_judge_labelled_verdicts',
    type: 'gauge',
    labels: [...VERSION, 'verdict', 'label'],
    unit: 'verdicts',
    help: 'What the judge said of what people have labelled, by the verdict and by the label; disputed is what as many labelled one way as another.',
    queries: [
      {
        asks: 'what the judge passes although people fail it, of each version',
        promql: 'assay_judge_labelled_verdicts{verdict="pass",label="fail"} > 0',
      },
    ],
  },
  sensitivity: {
    name: 'assay_judge_sensitivity_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'Of what people pass, the share that the judge passes.',
  },
  sensitivityLower: {
    name: 'assay_judge_sensitivity_lower_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'Lower end of its 95 % interval (Wilson).',
  },
  sensitivityUpper: {
    name: 'assay_judge_sensitivity_upper_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'Upper end of its 95 % interval (Wilson).',
  },
  specificity: {
    name: 'assay_judge_specificity_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'Of what people fail, the share that the judge fails.',
  },
  specificityLower: {
    name: 'assay_judge_specificity_lower_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'Lower end of its 95 % interval (Wilson).',
  },
  specificityUpper: {
    name: 'assay_judge_specificity_upper_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'Upper end of its 95 % interval (Wilson).',
  },
  kappa: {
    name: 'assay_judge_kappa_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '-1 to 1',
    help: "Cohen's kappa: how far the judge and people agree beyond chance.",
    queries: [
      {
        asks: 'judges that are known to agree with people by little more than chance',
        promql: 'assay_judge_kappa_upper_ratio < 0.4',
      },
    ],
  },
  kappaLower: {
    name: 'assay_judge_kappa_lower_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '-1 to 1',
    help: 'Lower end of its 95 % interval.',
  },
  kappaUpper: {
    name: 'assay_judge_kappa_upper_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '-1 to 1',
    help: 'Upper end of its 95 % interval.',
  },
  passRate: {
    name: 'assay_judge_corrected_pass_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'The share of all that this version has judged that would pass if people judged it (Rogan and Gladen); absent where labels do not tell.',
    queries: [
      {
        asks: 'pass rate of the last day, corrected for the errors of the judge',
        promql: `clamp(
  ( sum by (suite, criterion, judge, judge_version) (increase(assay_judged_verdicts_total{verdict="pass"}[1d]))
    / sum by (suite, criterion, judge, judge_version) (increase(assay_judged_verdicts_total[1d]))
    + max by (suite, criterion, judge, judge_version) (assay_judge_specificity_ratio) - 1 )
  / ( max by (suite, criterion, judge, judge_version) (assay_judge_sensitivity_ratio)
    + max by (suite, criterion, judge, judge_version) (assay_judge_specificity_ratio) - 1 > 0 ),
  0, 1)`,
      },
    ],
  },
  passRateLower: {
    name: 'assay_judge_corrected_pass_lower_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'Lower end of its 95 % interval (Lang and Reiczigel).',
  },
  passRateUpper: {
    name: 'assay_judge_corrected_pass_upper_ratio',
    type: 'gauge',
    labels: VERSION,
    unit: '0 to 1',
    help: 'Upper end of its 95 % interval (Lang and Reiczigel).',
  },
  state: {
    name: 'assay_judge_calibration_state',
    type: 'gauge',
    labels: [...VERSION, 'state'],
    unit: '1',
    help: 'Whether there is a corrected pass rate (estimated), or why there is none: nothing_judged, no_passes or no_fails among the labels, or judge_tells_nothing (sensitivity + specificity is not above 1).',
    queries: [
      {
        asks: 'judges whose yes says no more than their no',
        promql: 'assay_judge_calibration_state{state="judge_tells_nothing"} == 1',
      },
    ],
  },
} as const satisfies Record<string, MetricDefinition>;
