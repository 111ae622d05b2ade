/**
 * The running totals of one suite for one agent, version and environment: which of them an evaluation moves, and by how
 * much. A conversation is counted when it is evaluated first; what a later revision changes is counted apart, so that
 * counters only ever go up.
 *
 * Series are looked up once and kept: counting an evaluation is a dozen additions.
 */
import { type Evaluation, OUTCOMES, type Outcome, VERDICTS } from '../model/evaluation.ts';
import { type BaseLabels, MILLIONTH, QUALITY_METRICS, type QualityMetric } from './quality-metrics.ts';

export interface CountedConversation {
  readonly traceId: string;
  readonly conversationId: string;
  readonly at: number;
}

/** One running total. Amounts are integers of the metric's scale. */
export interface Series {
  add(amount: number, exemplar?: CountedConversation & { readonly value: number }): void;
}

/** Finds or makes a series; it exists from then on, at zero. */
export type FindSeries = (metric: string, labels: { readonly [label: string]: string }) => Series;

/** What was evaluated, in numbers. */
export interface Effort {
  readonly steps: number;
  readonly tokens: number | undefined;
  readonly durationMs: number;
  readonly costUsd: number | undefined;
}

export class SuiteTotals {
  readonly labels: BaseLabels;
  readonly #find: FindSeries;
  readonly #outcomes = new Map<Outcome, OutcomeTotals>();
  readonly #verdicts = new Map<string, Map<string, Series>>();
  readonly #score: HistogramTotals;
  readonly #scoreSquared: Series;
  readonly #revisedUp: Series;
  readonly #revisedDown: Series;

  /** All series whose labels are known exist at zero from here on, so that `increase()` sees the first event. */
  constructor(find: FindSeries, labels: BaseLabels, criteria: readonly string[]) {
    this.labels = labels;
    this.#find = find;
    for (const outcome of OUTCOMES) this.#outcomes.set(outcome, new OutcomeTotals(find, { ...labels, outcome }));
    for (const criterion of criteria) for (const verdict of VERDICTS) this.#verdict(criterion, verdict);
    this.#score = new HistogramTotals(find, QUALITY_METRICS.score, labels);
    this.#scoreSquared = find(QUALITY_METRICS.scoreSquared.name, labels);
    this.#revisedUp = find(QUALITY_METRICS.revisedUp.name, labels);
    this.#revisedDown = find(QUALITY_METRICS.revisedDown.name, labels);
  }

  countFirst(evaluation: Evaluation, effort: Effort, counted: CountedConversation): void {
    this.#outcomes.get(evaluation.outcome)?.count(effort, counted);
    for (const [criterion, { verdict }] of evaluation.verdicts) this.#verdict(criterion, verdict).add(1);
    if (evaluation.score !== undefined) this.#countScore(evaluation.score, counted);
  }

  /**
   * An evaluation that gets its first score late is counted as scored then; one that loses its score keeps the last one
   * in the mean, because a count can't go down.
   */
  countRevised(
    evaluation: Evaluation,
    before: { readonly score: number | undefined; readonly outcome: Outcome },
    counted: CountedConversation,
  ): void {
    const change = { ...this.labels, from: before.outcome, to: evaluation.outcome };
    this.#find(QUALITY_METRICS.revisions.name, change).add(1);
    if (evaluation.score === undefined) return;
    if (before.score === undefined) {
      this.#countScore(evaluation.score, counted);
      return;
    }
    const gain = evaluation.score - before.score;
    if (gain > 0) this.#revisedUp.add(gain);
    if (gain < 0) this.#revisedDown.add(-gain);
  }

  #countScore(score: number, counted: CountedConversation): void {
    this.#score.observe(score, counted);
    this.#scoreSquared.add(Math.round(score * score * MILLIONTH));
  }

  #verdict(criterion: string, verdict: string): Series {
    let byVerdict = this.#verdicts.get(criterion);
    if (byVerdict === undefined) {
      byVerdict = new Map();
      this.#verdicts.set(criterion, byVerdict);
    }
    let series = byVerdict.get(verdict);
    if (series === undefined) {
      series = this.#find(QUALITY_METRICS.verdicts.name, { ...this.labels, criterion, verdict });
      byVerdict.set(verdict, series);
    }
    return series;
  }
}

class OutcomeTotals {
  readonly #evaluations: Series;
  readonly #find: FindSeries;
  readonly #labels: { readonly [label: string]: string };
  /** Made at the first evaluation with this outcome: most outcomes of most versions never occur. */
  readonly #histograms = new Map<QualityMetric, HistogramTotals>();

  constructor(find: FindSeries, labels: { readonly [label: string]: string }) {
    this.#find = find;
    this.#labels = labels;
    this.#evaluations = find(QUALITY_METRICS.evaluations.name, labels);
  }

  count(effort: Effort, counted: CountedConversation): void {
    this.#evaluations.add(1);
    this.#observe(QUALITY_METRICS.steps, effort.steps, counted);
    this.#observe(QUALITY_METRICS.duration, Math.max(0, Math.round(effort.durationMs)), counted);
    if (effort.tokens !== undefined) this.#observe(QUALITY_METRICS.tokens, effort.tokens, counted);
    if (effort.costUsd !== undefined) {
      this.#observe(QUALITY_METRICS.cost, Math.round(effort.costUsd / MILLIONTH), counted);
    }
  }

  #observe(metric: QualityMetric, value: number, counted: CountedConversation): void {
    let histogram = this.#histograms.get(metric);
    if (histogram === undefined) {
      histogram = new HistogramTotals(this.#find, metric, this.#labels);
      this.#histograms.set(metric, histogram);
    }
    histogram.observe(value, counted);
  }
}

/** Each observation moves the one bucket it falls into; they are summed up when rendered. */
class HistogramTotals {
  readonly #metric: QualityMetric;
  readonly #find: FindSeries;
  readonly #labels: { readonly [label: string]: string };
  readonly #buckets: (Series | undefined)[];
  readonly #sum: Series;
  readonly #count: Series;

  constructor(find: FindSeries, metric: QualityMetric, labels: { readonly [label: string]: string }) {
    this.#metric = metric;
    this.#find = find;
    this.#labels = labels;
    this.#buckets = Array.from({ length: metric.buckets.length + 1 }, () => undefined);
    this.#sum = find(`${metric.name}_sum`, labels);
    this.#count = find(`${metric.name}_count`, labels);
  }

  observe(value: number, counted: CountedConversation): void {
    const inUnits = value * this.#metric.scale;
    // The sum of binary fractions may miss a bound by a hair.
    const found = this.#metric.buckets.findIndex((bound) => inUnits <= bound + 1e-12);
    const index = found === -1 ? this.#metric.buckets.length : found;
    let bucket = this.#buckets[index];
    if (bucket === undefined) {
      const bound = this.#metric.buckets[index];
      const le = bound === undefined ? '+Inf' : String(bound);
      bucket = this.#find(`${this.#metric.name}_bucket`, { ...this.#labels, le });
      this.#buckets[index] = bucket;
    }
    bucket.add(1, { ...counted, value: inUnits });
    this.#sum.add(value);
    this.#count.add(1);
  }
}
