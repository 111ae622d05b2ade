/** How much each criterion varies, from the running totals as they are committed: what the gauge of it shows. */
import { DECISIONS } from '../../model/decision.ts';
import { rarerShareAtMost } from '../../statistics/calibrate/criterion-review.ts';
import { QUALITY_METRICS, signIn } from '../../report/metrics/quality-metrics.ts';
import type { SeriesTotal } from '../../report/metrics/quality-view.ts';

interface Variation {
  readonly suite: string;
  readonly criterion: string;
  /** Upper bound for the share of the rarer of pass and fail, from 0 to 1. */
  readonly ratio: number;
}

interface Decided {
  readonly suite: string;
  readonly criterion: string;
  pass: number;
  fail: number;
}

export class CriterionVariation {
  /** Last value of each series, because totals are reported whole, not as increments. */
  readonly #last = new Map<string, number>();
  readonly #decided = new Map<string, Decided>();

  update(totals: readonly Pick<SeriesTotal, 'metric' | 'labels' | 'value'>[]): void {
    for (const { metric, labels, value } of totals) {
      const { suite, criterion } = labels;
      const sign = signIn(QUALITY_METRICS.verdicts, metric);
      if (sign === undefined || suite === undefined || criterion === undefined) continue;
      const verdict = DECISIONS.find((decision) => decision === labels.verdict);
      if (verdict === undefined) continue;
      const series = JSON.stringify([metric, labels]);
      const key = JSON.stringify([suite, criterion]);
      const decided = this.#decided.get(key) ?? { suite, criterion, pass: 0, fail: 0 };
      decided[verdict] += sign * (value - (this.#last.get(series) ?? 0));
      this.#last.set(series, value);
      this.#decided.set(key, decided);
    }
  }

  all(): readonly Variation[] {
    return [...this.#decided.values()].flatMap(({ suite, criterion, pass, fail }) => {
      const ratio = rarerShareAtMost({ pass, fail });
      return ratio === undefined ? [] : [{ suite, criterion, ratio }];
    });
  }
}
