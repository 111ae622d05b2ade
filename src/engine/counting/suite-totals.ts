/**
 * The running totals of one suite for one agent, version, environment and segment: which of them an evaluation moves, and by how
 * much. Counters only go up: a revision is counted like any evaluation, and what the one before it had added is added to the
 * twin of each series (`_withdrawn`), so that a series less its twin is what the store says.
 *
 * Series are looked up once and kept: counting an evaluation is a dozen additions. A series begins when it is moved: most
 * verdicts of most agents never occur, and a scraper sees each begin at zero (`report/metrics/scrapers.ts`). All
 * outcomes begin together, and pass beside fail, because they are divided by each other.
 */
import { withdrawnName } from '../../report/metrics/net-increase.ts';
import {
  type Evaluation,
  type FindingKind,
  OUTCOMES,
  type Outcome,
  UNDECIDED,
  type UndecidedReason,
  type Verdict,
  type VerdictKind,
} from '../../model/evaluation.ts';
import { DECISIONS, decisionOf, isDecided, undecidedBy } from '../../model/decision.ts';
import type { AgentLabels } from '../../model/agent-labels.ts';
import type { SeriesExemplar } from '../../model/metric.ts';
import { type CountedEffort, squaredCost } from './usage-totals.ts';
import {
  type HistogramMetric,
  MILLIONTH,
  FIRST_BEGAN,
  QUALITY_METRICS,
  type SingleMetric,
} from '../../report/metrics/quality-metrics.ts';

type SuiteLabels = AgentLabels & { readonly suite: string };

export interface CountedConversation {
  readonly traceId: string;
  readonly conversationId: string;
  /** Wall-clock time, for the exemplar. */
  readonly at: number;
  readonly logTime: number;
  /** When the conversation or the turn began. */
  readonly beganAt: number;
}

/** A running total. Amounts are integers of the metric's scale. */
interface Series {
  add(amount: number, exemplar?: SeriesExemplar): void;
}

type LabelValues = { readonly [label: string]: string };

interface Totals {
  /** Finds or makes a series; it exists from then on, at zero. */
  series(metric: string, labels: LabelValues): Series;
  earliest(metric: string, labels: LabelValues): { note(time: number): void };
}

/** Parts of an evaluation that are counted. */
type CountedEvaluation = Pick<Evaluation, 'score' | 'outcome' | 'ending' | 'decidedShare' | 'verdicts' | 'findings'>;

type Histogram = Pick<HistogramTotals, 'observe'>;

const NONE: ReadonlyMap<string, VerdictKind> = new Map();

/** Names that a suite counts besides outcomes and scores. */
interface CountedNames {
  readonly criteria: readonly string[];
  /** Critical criteria among these. */
  readonly critical?: ReadonlySet<string>;
  readonly findings?: readonly FindingKind[];
}

export class SuiteTotals {
  readonly labels: SuiteLabels;
  readonly #totals: Totals;
  readonly #firstSeen: { note(time: number): void };
  readonly #firstBegan: { note(time: number): void };
  readonly #counted: SaidTotals;
  readonly #withdrawn: SaidTotals;

  constructor(totals: Totals, labels: SuiteLabels, names: CountedNames) {
    this.labels = labels;
    this.#totals = totals;
    const { agent, agent_version, environment } = labels;
    this.#firstSeen = totals.earliest(QUALITY_METRICS.firstSeen.name, { agent, agent_version, environment });
    this.#firstBegan = totals.earliest(FIRST_BEGAN, { agent, agent_version, environment });
    this.#withdrawn = new SaidTotals(totals, { labels, named: withdrawnName, critical: names.critical });
    this.#counted = new SaidTotals(totals, {
      labels,
      named: (metric) => metric,
      critical: names.critical,
    });
    this.#counted.beginOutcomes();
    for (const one of [this.#counted, this.#withdrawn]) one.begin(names);
  }

  /** Verdicts that are in, of an evaluation that waits for others. `before`: those that were counted of it before. Gives all that are counted now. */
  countVerdicts(
    { verdicts, waitsFor }: Pick<Evaluation, 'verdicts' | 'waitsFor'>,
    before: ReadonlyMap<string, VerdictKind>,
  ): ReadonlyMap<string, VerdictKind> {
    const isAwaited = new Set(waitsFor);
    const isIn = new Map([...verdicts].filter(([criterion]) => !isAwaited.has(criterion)));
    this.#countVerdicts(isIn, before);
    return new Map([...before, ...[...isIn].map(([criterion, { verdict }]) => [criterion, verdict] as const)]);
  }

  /** `before`: verdicts that were counted while others were waited for. */
  countFirst(
    evaluation: CountedEvaluation,
    effort: CountedEffort,
    counted: CountedConversation,
    before: ReadonlyMap<string, VerdictKind> = NONE,
  ): void {
    this.#firstSeen.note(counted.logTime);
    this.#firstBegan.note(counted.beganAt);
    this.#countVerdicts(evaluation.verdicts, before, counted);
    this.#counted.count(evaluation, effort, counted);
  }

  countRevised(
    evaluation: CountedEvaluation,
    effort: CountedEffort,
    before: CountedEvaluation & { readonly effort: CountedEffort | undefined },
    counted: CountedConversation,
  ): void {
    const change = { ...this.labels, from: before.outcome, to: evaluation.outcome };
    this.#totals.series(QUALITY_METRICS.revisions.name, change).add(1);
    // Counts of an evaluation by an older Assay are not known, and stay.
    const isKnown = before.effort !== undefined;
    this.#withdrawn.count(before, before.effort, counted);
    this.#counted.count(evaluation, isKnown ? effort : undefined, counted);
    for (const [criterion, verdict] of before.verdicts) this.#withdrawn.countVerdict(criterion, verdict);
    this.#countVerdicts(evaluation.verdicts, NONE, counted);
  }

  #countVerdicts(
    verdicts: Evaluation['verdicts'],
    before: ReadonlyMap<string, VerdictKind>,
    counted?: CountedConversation,
  ): void {
    for (const [criterion, verdict] of verdicts) {
      const was = before.get(criterion);
      if (was === verdict.verdict) continue;
      if (was !== undefined) this.#withdrawn.withdraw(criterion, was);
      this.#counted.countVerdict(criterion, verdict, counted);
    }
  }
}

/** The series of what evaluations say, or of what they do not say any more: `named` gives the name of each metric. */
class SaidTotals {
  readonly #totals: Totals;
  readonly #labels: SuiteLabels;
  readonly #named: (metric: string) => string;
  readonly #critical: ReadonlySet<string>;
  readonly #series = new Map<string, Series>();
  readonly #histograms = new Map<HistogramMetric, Map<string, HistogramTotals>>();
  readonly #verdicts = new Map<string, Map<VerdictKind, Series>>();

  constructor(
    totals: Totals,
    {
      labels,
      named,
      critical = new Set(),
    }: {
      readonly labels: SuiteLabels;
      readonly named: (metric: string) => string;
      readonly critical: ReadonlySet<string> | undefined;
    },
  ) {
    this.#totals = totals;
    this.#labels = labels;
    this.#named = named;
    this.#critical = critical;
  }

  beginOutcomes(): void {
    for (const outcome of OUTCOMES) this.#one(QUALITY_METRICS.evaluations, 'outcome', outcome);
  }

  /** Few suites have findings, and reasons are counted by suite. */
  begin({ criteria, findings = [] }: CountedNames): void {
    for (const criterion of criteria) for (const reason of UNDECIDED) this.#undecided(criterion, reason);
    for (const finding of findings) this.#one(QUALITY_METRICS.findings, 'finding', finding);
  }

  /** All but its verdicts. */
  count(evaluation: CountedEvaluation, effort: CountedEffort | undefined, counted: CountedConversation): void {
    const { outcome, score, ending, decidedShare, findings = [] } = evaluation;
    this.#one(QUALITY_METRICS.evaluations, 'outcome', outcome).add(1, exemplarOf(counted, 1));
    if (effort !== undefined) this.#countEffort(outcome, effort, counted);
    for (const { finding } of findings)
      this.#one(QUALITY_METRICS.findings, 'finding', finding).add(1, exemplarOf(counted, 1));
    if (ending !== undefined) this.#one(QUALITY_METRICS.endings, 'ending', ending).add(1, exemplarOf(counted, 1));
    if (decidedShare !== undefined) this.#ofSuite(QUALITY_METRICS.decidedShare).observe(decidedShare, counted);
    if (score === undefined) return;
    this.#whole(QUALITY_METRICS.score).observe(score, counted);
    this.#one(QUALITY_METRICS.scoreSquared).add(Math.round(score * score * MILLIONTH));
  }

  countVerdict(criterion: string, verdict: Verdict, counted?: CountedConversation): void {
    const series = this.verdict(criterion, verdict.verdict);
    // Only failures have an exemplar: an example of a pass helps nobody.
    if (counted !== undefined && decisionOf(verdict.verdict) === 'fail') series.add(1, exemplarOf(counted, 1));
    else series.add(1);
    const reason = undecidedBy(verdict);
    if (reason !== undefined) this.#undecided(criterion, reason).add(1);
    this.#countJudged(criterion, verdict);
  }

  /**
   * Takes back a verdict that was counted while others were pending. Only one that failed to run can come out
   * differently later.
   */
  withdraw(criterion: string, was: VerdictKind): void {
    this.verdict(criterion, was).add(1);
    if (was === 'error') this.#undecided(criterion, 'error').add(1);
  }

  /** Not kept at hand: most questions are answered. */
  #undecided(criterion: string, reason: UndecidedReason): Series {
    const critical = String(this.#critical.has(criterion));
    const labels = { suite: this.#labels.suite, criterion, critical, reason };
    return this.#totals.series(this.#named(QUALITY_METRICS.undecided.name), labels);
  }

  verdict(criterion: string, verdict: VerdictKind): Series {
    let byVerdict = this.#verdicts.get(criterion);
    if (byVerdict === undefined) {
      byVerdict = new Map();
      this.#verdicts.set(criterion, byVerdict);
    }
    let series = byVerdict.get(verdict);
    if (series === undefined) {
      series = this.#totals.series(this.#named(QUALITY_METRICS.verdicts.name), { ...this.#labels, criterion, verdict });
      byVerdict.set(verdict, series);
      if (decisionOf(verdict) !== undefined) for (const other of DECISIONS) this.verdict(criterion, other);
    }
    return series;
  }

  #countEffort(outcome: Outcome, effort: CountedEffort, counted: CountedConversation): void {
    const { steps, duration, tokens, cost } = effort;
    this.#byOutcome(QUALITY_METRICS.steps, outcome).observe(steps, counted);
    this.#byOutcome(QUALITY_METRICS.duration, outcome).observe(duration, counted);
    if (tokens !== undefined) this.#byOutcome(QUALITY_METRICS.tokens, outcome).observe(tokens, counted);
    if (cost !== undefined) this.#byOutcome(QUALITY_METRICS.cost, outcome).observe(cost, counted);
    this.#one(QUALITY_METRICS.stepsSquared).add(steps ** 2);
    if (cost !== undefined) this.#one(QUALITY_METRICS.costSquared).add(squaredCost(cost));
  }

  /** Few versions are asked at a time, and each answer costs a call of a model: the series are not worth keeping at hand. */
  #countJudged(criterion: string, given: Verdict): void {
    if (!isDecided(given) || given.judgedBy === undefined) return;
    const { judge, version: judge_version } = given.judgedBy;
    const labels = { suite: this.#labels.suite, criterion, judge, judge_version };
    // Both series exist from the first decision on, so that queries can divide them.
    for (const verdict of DECISIONS)
      this.#totals
        .series(this.#named(QUALITY_METRICS.judged.name), { ...labels, verdict })
        .add(verdict === given.verdict ? 1 : 0);
  }

  /** A counter of the suite's labels, and of one label more where it has one. */
  #one(metric: SingleMetric, label?: string, value = ''): Series {
    const { name } = metric;
    const key = label === undefined ? name : `${name} ${value}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = this.#totals.series(
        this.#named(name),
        label === undefined ? this.#labels : { ...this.#labels, [label]: value },
      );
      this.#series.set(key, series);
    }
    return series;
  }

  #whole(metric: HistogramMetric): Histogram {
    return this.#histogram(metric, '', () => this.#labels);
  }

  /** Made at the first evaluation with this outcome: most outcomes of most versions never occur. */
  #byOutcome(metric: HistogramMetric, outcome: Outcome): Histogram {
    return this.#histogram(metric, outcome, () => ({ ...this.#labels, outcome }));
  }

  #ofSuite(metric: HistogramMetric): Histogram {
    return this.#histogram(metric, '', () => ({ suite: this.#labels.suite }));
  }

  #histogram(metric: HistogramMetric, key: string, labels: () => LabelValues): Histogram {
    let ofMetric = this.#histograms.get(metric);
    if (ofMetric === undefined) {
      ofMetric = new Map();
      this.#histograms.set(metric, ofMetric);
    }
    let histogram = ofMetric.get(key);
    if (histogram === undefined) {
      histogram = new HistogramTotals(this.#totals, { ...metric, name: this.#named(metric.name) }, labels());
      ofMetric.set(key, histogram);
    }
    return histogram;
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
