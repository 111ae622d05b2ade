/**
 * The running totals of one suite for one agent, version, environment and segment: which of them an evaluation moves, and by how
 * much. A conversation is counted when it is evaluated first; what a later revision changes is counted apart, so that
 * counters only ever go up.
 *
 * Series are looked up once and kept: counting an evaluation is a dozen additions.
 */
import {
  type Evaluation,
  type FindingKind,
  OUTCOMES,
  type Outcome,
  type Verdict,
  type VerdictKind,
  VERDICTS,
} from '../../model/evaluation.ts';
import { DECISIONS, decisionOf, isDecided } from '../../model/decision.ts';
import type { AgentLabels } from '../../model/agent-labels.ts';
import type { SeriesExemplar } from '../../model/metric.ts';
import { type CountedEffort, countedEffort, type Effort, squaredCost } from './usage-totals.ts';
import { type HistogramMetric, MILLIONTH, QUALITY_METRICS } from '../../report/metrics/quality-metrics.ts';

type SuiteLabels = AgentLabels & { readonly suite: string };

export interface CountedConversation {
  readonly traceId: string;
  readonly conversationId: string;
  /** Wall-clock time, for the exemplar. */
  readonly at: number;
  readonly logTime: number;
}

/** One running total. Amounts are integers of the metric's scale. */
interface Series {
  add(amount: number, exemplar?: SeriesExemplar): void;
}

type LabelValues = { readonly [label: string]: string };

interface Totals {
  /** Finds or makes a series; it exists from then on, at zero. */
  series(metric: string, labels: LabelValues): Series;
  earliest(metric: string, labels: LabelValues): { note(time: number): void };
}

const NONE: ReadonlySet<string> = new Set();

export class SuiteTotals {
  readonly labels: SuiteLabels;
  readonly #totals: Totals;
  readonly #firstSeen: { note(time: number): void };
  readonly #outcomes = new Map<Outcome, OutcomeTotals>();
  readonly #verdicts = new Map<string, Map<string, Series>>();
  readonly #findings = new Map<FindingKind, Series>();
  readonly #score: HistogramTotals;
  readonly #scoreSquared: Series;
  readonly #costSquared: Series;
  readonly #stepsSquared: Series;
  readonly #revisedUp: Series;
  readonly #revisedDown: Series;

  /** All series whose labels are known exist at zero from here on, so that `increase()` sees the first event. */
  constructor(totals: Totals, labels: SuiteLabels, criteria: readonly string[], findings: readonly FindingKind[] = []) {
    this.labels = labels;
    this.#totals = totals;
    const { agent, agent_version, environment } = labels;
    this.#firstSeen = totals.earliest(QUALITY_METRICS.firstSeen.name, { agent, agent_version, environment });
    for (const outcome of OUTCOMES) this.#outcomes.set(outcome, new OutcomeTotals(totals, { ...labels, outcome }));
    for (const criterion of criteria) for (const verdict of VERDICTS) this.#verdict(criterion, verdict);
    for (const finding of findings) {
      this.#findings.set(finding, totals.series(QUALITY_METRICS.findings.name, { ...labels, finding }));
    }
    this.#score = new HistogramTotals(totals, QUALITY_METRICS.score, labels);
    this.#scoreSquared = totals.series(QUALITY_METRICS.scoreSquared.name, labels);
    this.#costSquared = totals.series(QUALITY_METRICS.costSquared.name, labels);
    this.#stepsSquared = totals.series(QUALITY_METRICS.stepsSquared.name, labels);
    this.#revisedUp = totals.series(QUALITY_METRICS.revisedUp.name, labels);
    this.#revisedDown = totals.series(QUALITY_METRICS.revisedDown.name, labels);
  }

  /** Verdicts that are in, of an evaluation that waits for others. Gives the criteria. */
  countVerdicts(evaluation: Evaluation, before: ReadonlySet<string>): readonly string[] {
    const waitsFor = new Set(evaluation.waitsFor);
    const counted: string[] = [];
    for (const [criterion, verdict] of evaluation.verdicts) {
      if (waitsFor.has(criterion) || before.has(criterion)) continue;
      this.#verdict(criterion, verdict.verdict).add(1);
      this.#countJudged(criterion, verdict);
      counted.push(criterion);
    }
    return counted;
  }

  /** `before`: criteria whose verdicts were counted while others were waited for. */
  countFirst(
    evaluation: Evaluation,
    claimed: Effort,
    counted: CountedConversation,
    before: ReadonlySet<string> = NONE,
  ): void {
    const effort = countedEffort(claimed);
    this.#firstSeen.note(counted.logTime);
    this.#outcomes.get(evaluation.outcome)?.count(effort, counted);
    this.#stepsSquared.add(effort.steps ** 2);
    if (effort.cost !== undefined) this.#costSquared.add(squaredCost(effort.cost));
    for (const [criterion, verdict] of evaluation.verdicts) {
      if (before.has(criterion)) continue;
      const series = this.#verdict(criterion, verdict.verdict);
      // Of a pass nobody asks for an example.
      if (decisionOf(verdict.verdict) === 'fail') series.add(1, exemplarOf(counted, 1));
      else series.add(1);
      this.#countJudged(criterion, verdict);
    }
    for (const { finding } of evaluation.findings ?? []) this.#findings.get(finding)?.add(1, exemplarOf(counted, 1));
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
    this.#totals.series(QUALITY_METRICS.revisions.name, change).add(1);
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

  /** Few versions are asked at a time, and each answer costs a call of a model: the series are not worth keeping at hand. */
  #countJudged(criterion: string, given: Verdict): void {
    if (!isDecided(given) || given.judgedBy === undefined) return;
    const { judge, version: judge_version } = given.judgedBy;
    const labels = { suite: this.labels.suite, criterion, judge, judge_version };
    // Both from the first on, so that a share can be made of them.
    for (const verdict of DECISIONS)
      this.#totals.series(QUALITY_METRICS.judged.name, { ...labels, verdict }).add(verdict === given.verdict ? 1 : 0);
  }

  #verdict(criterion: string, verdict: VerdictKind): Series {
    let byVerdict = this.#verdicts.get(criterion);
    if (byVerdict === undefined) {
      byVerdict = new Map();
      this.#verdicts.set(criterion, byVerdict);
    }
    let series = byVerdict.get(verdict);
    if (series === undefined) {
      series = this.#totals.series(QUALITY_METRICS.verdicts.name, { ...this.labels, criterion, verdict });
      byVerdict.set(verdict, series);
    }
    return series;
  }
}

class OutcomeTotals {
  readonly #evaluations: Series;
  readonly #totals: Totals;
  readonly #labels: LabelValues;
  /** Made at the first evaluation with this outcome: most outcomes of most versions never occur. */
  readonly #histograms = new Map<HistogramMetric, HistogramTotals>();

  constructor(totals: Totals, labels: LabelValues) {
    this.#totals = totals;
    this.#labels = labels;
    this.#evaluations = totals.series(QUALITY_METRICS.evaluations.name, labels);
  }

  count(effort: CountedEffort, counted: CountedConversation): void {
    this.#evaluations.add(1, exemplarOf(counted, 1));
    this.#observe(QUALITY_METRICS.steps, effort.steps, counted);
    this.#observe(QUALITY_METRICS.duration, effort.duration, counted);
    if (effort.tokens !== undefined) this.#observe(QUALITY_METRICS.tokens, effort.tokens, counted);
    if (effort.cost !== undefined) this.#observe(QUALITY_METRICS.cost, effort.cost, counted);
  }

  #observe(metric: HistogramMetric, value: number, counted: CountedConversation): void {
    let histogram = this.#histograms.get(metric);
    if (histogram === undefined) {
      histogram = new HistogramTotals(this.#totals, metric, this.#labels);
      this.#histograms.set(metric, histogram);
    }
    histogram.observe(value, counted);
  }
}

function exemplarOf({ traceId, conversationId, at }: CountedConversation, value: number): SeriesExemplar {
  return { traceId, conversationId, value, at };
}

/** Each observation moves the one bucket it falls into; they are summed up when rendered. */
class HistogramTotals {
  readonly #metric: HistogramMetric;
  readonly #totals: Totals;
  readonly #labels: LabelValues;
  readonly #buckets: (Series | undefined)[];
  readonly #sum: Series;
  readonly #count: Series;

  constructor(totals: Totals, metric: HistogramMetric, labels: LabelValues) {
    this.#metric = metric;
    this.#totals = totals;
    this.#labels = labels;
    this.#buckets = Array.from({ length: metric.buckets.length + 1 }, () => undefined);
    this.#sum = totals.series(`${metric.name}_sum`, labels);
    this.#count = totals.series(`${metric.name}_count`, labels);
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
      bucket = this.#totals.series(`${this.#metric.name}_bucket`, { ...this.#labels, le });
      this.#buckets[index] = bucket;
    }
    bucket.add(1, exemplarOf(counted, inUnits));
    this.#sum.add(value);
    this.#count.add(1);
  }
}
