/** How far judges can be trusted, as it was worked out last, as gauges. */
import type { MetricDefinition } from '../../model/metric.ts';
import { CALIBRATION_METRICS } from './calibration-metrics.ts';
import type { MetricSource } from './exposition.ts';
import type { Sample } from './text-format.ts';

export interface ShownEstimate {
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

export class CalibrationView {
  #shown: readonly ShownCalibration[] = [];

  update(shown: readonly ShownCalibration[]): void {
    this.#shown = shown;
  }

  sources(): readonly MetricSource[] {
    const M = CALIBRATION_METRICS;
    const of = (estimate: (one: ShownCalibration) => ShownEstimate | undefined) => ({
      value: (one: ShownCalibration) => estimate(one)?.value,
      lower: (one: ShownCalibration) => estimate(one)?.lower,
      upper: (one: ShownCalibration) => estimate(one)?.upper,
    });
    const sensitivity = of((one) => one.sensitivity);
    const specificity = of((one) => one.specificity);
    const kappa = of((one) => one.kappa);
    const passRate = of((one) => one.passRate);
    return [
      this.#gauge(M.labelled, (one) =>
        one.labelled.map(({ verdict, label, count }) => sample({ ...labelsOf(one), verdict, label }, count)),
      ),
      this.#figure(M.sensitivity, sensitivity.value),
      this.#figure(M.sensitivityLower, sensitivity.lower),
      this.#figure(M.sensitivityUpper, sensitivity.upper),
      this.#figure(M.specificity, specificity.value),
      this.#figure(M.specificityLower, specificity.lower),
      this.#figure(M.specificityUpper, specificity.upper),
      this.#figure(M.kappa, kappa.value),
      this.#figure(M.kappaLower, kappa.lower),
      this.#figure(M.kappaUpper, kappa.upper),
      this.#figure(M.passRate, passRate.value),
      this.#figure(M.passRateLower, passRate.lower),
      this.#figure(M.passRateUpper, passRate.upper),
      this.#gauge(M.state, (one) => [sample({ ...labelsOf(one), state: one.state }, 1)]),
    ];
  }

  /** What is not known is not shown. */
  #figure(definition: MetricDefinition, figureOf: (one: ShownCalibration) => number | undefined): MetricSource {
    return this.#gauge(definition, (one) => {
      const figure = figureOf(one);
      return figure === undefined ? [] : [sample(labelsOf(one), figure)];
    });
  }

  #gauge(definition: MetricDefinition, samplesOf: (one: ShownCalibration) => readonly Sample[]): MetricSource {
    return { definition, samples: () => this.#shown.flatMap(samplesOf) };
  }
}

function labelsOf({ suite, criterion, judge, judgeVersion }: ShownCalibration): Sample['labels'] {
  return { suite, criterion, judge, judge_version: judgeVersion };
}

function sample(labels: Sample['labels'], value: number): Sample {
  return { labels, value, exemplar: undefined };
}
