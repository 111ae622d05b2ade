/**
 * All that is watched of one suite on one agent in one environment: its score, its hard failures, each criterion, cost and steps per
 * success, its versions, and what moved its score. Streams know nothing of each other.
 *
 * Criteria are compared together (step-up.ts), everything else by itself.
 */
import { decisionOf } from '../model/decision.ts';
import { isGood, isInSuccessRate, isScored, type ScoredOutcome } from '../model/severity.ts';
import type { ChosenLevels, WatchedLevel } from '../model/detection.ts';
import type { Json } from '../model/json.ts';
import { Cap } from './cap.ts';
import { LevelWatch } from './level-watch.ts';
import { Names } from './names.ts';
import type { Observation, Reading, StreamLabels, Transition } from './observation.ts';
import { RecentChunks } from './recent-chunks.ts';
import type { DetectionSettings, Metric } from './settings.ts';
import { stepUp } from './step-up.ts';
import { HARD_FAILURES, SPLIT_FIRST, splitChange, takenByHardFailure, type TcrSplit } from '../model/tcr-split.ts';
import { TrailingBaseline } from './trailing-baseline.ts';
import { Versions } from './versions.ts';

const SINGLE = ['tcr', 'hard_failure', 'cost_per_success', 'steps_per_success'] as const satisfies readonly Metric[];

/** The observation of one conversation. */
const IS_HARD_FAILURE = {
  successful_completion: 0,
  no_fault_found: 0,
  handed_over: 0,
  graceful_failure: 0,
  partial_failure: 0,
  hard_failure: 1,
} satisfies Record<ScoredOutcome, number>;

export interface Folded {
  readonly segments: number;
  readonly criteria: number;
  readonly versions: number;
  /** Costs and step counts that were larger than what is credible. */
  readonly capped: number;
}

export class AgentStream {
  readonly labels: StreamLabels;
  readonly #settings: DetectionSettings;
  readonly #segments: Names;
  readonly #criteria: Names;
  readonly #watches: Readonly<Record<(typeof SINGLE)[number], LevelWatch>>;
  /** By number of the criterion; number 0 is what was folded, and is not watched. */
  readonly #criterionWatches: (LevelWatch | undefined)[] = [];
  readonly #costs = new Cap();
  readonly #steps = new Cap();
  readonly #versions: Versions;
  readonly #usual: TrailingBaseline;
  readonly #recent = new RecentChunks();
  #lastAt = 0;

  constructor(labels: StreamLabels, settings: DetectionSettings) {
    this.labels = labels;
    this.#settings = settings;
    this.#segments = new Names(settings.limits.segments);
    this.#criteria = new Names(settings.limits.criteria);
    const watch = (metric: Metric) => new LevelWatch(settings.watch, settings.levels[metric], { together: false });
    this.#watches = {
      tcr: watch('tcr'),
      hard_failure: watch('hard_failure'),
      cost_per_success: watch('cost_per_success'),
      steps_per_success: watch('steps_per_success'),
    };
    this.#versions = new Versions(settings.versions, settings.limits);
    this.#usual = new TrailingBaseline(settings.watch.baseline, SPLIT_FIRST);
  }

  get lastAt(): number {
    return this.#lastAt;
  }

  get folded(): Folded {
    return {
      segments: this.#segments.folded,
      criteria: this.#criteria.folded,
      versions: this.#versions.forgotten,
      capped: this.#costs.capped + this.#steps.capped,
    };
  }

  observe(observed: Observation): void {
    const at = observed.at >= this.#lastAt ? observed.at : this.#lastAt;
    this.#lastAt = at;
    const segment = this.#segments.numberOf(observed.segment);
    if (isScored(observed.outcome)) {
      const success = isGood(observed.outcome);
      this.#watches.hard_failure.observe(segment, IS_HARD_FAILURE[observed.outcome], 1, at);
      if (isInSuccessRate(observed.outcome)) this.#versions.observe(observed.version, segment, success, at);
      const cost = observed.costUsd === undefined ? undefined : this.#costs.take(observed.costUsd);
      if (cost !== undefined) this.#watches.cost_per_success.observe(segment, cost, success ? 1 : 0, at);
      const steps = this.#steps.take(observed.steps);
      if (steps !== undefined) this.#watches.steps_per_success.observe(segment, steps, success ? 1 : 0, at);
    }
    const score = within(observed.score);
    if (score !== undefined) this.#score(score, segment, at);
    this.#verdicts(observed, { score, segment, at });
  }

  advance(time: number): void {
    const before = this.#watches.tcr.phase;
    for (const metric of SINGLE) this.#watches[metric].advance(time);
    for (const watch of this.#criterionWatches) watch?.advance(time);
    this.#follow(before, time);
  }

  /** A person says that those of the levels that have regressed are, since their onsets, the ones to expect. Which they were. */
  accept(chosen: ChosenLevels, at: number): readonly WatchedLevel[] {
    const accepted: WatchedLevel[] = [];
    const take = (watch: LevelWatch, level: WatchedLevel) => {
      if (watch.phase !== 'regressed' || !isChosen(chosen, level)) return;
      watch.accept(at);
      accepted.push(level);
    };
    for (const metric of SINGLE) take(this.#watches[metric], { ...this.labels, metric, criterion: undefined });
    for (const [criterion, watch] of this.#byCriterion())
      take(watch, { ...this.labels, metric: 'criterion', criterion });
    if (accepted.some(({ metric }) => metric === 'tcr')) this.#usual.adopt();
    return accepted;
  }

  readings(): readonly Reading[] {
    const readings: Reading[] = [];
    for (const metric of SINGLE)
      readings.push({
        ...this.labels,
        of: 'level',
        metric,
        criterion: undefined,
        level: this.#watches[metric].reading(),
      });
    for (const [criterion, watch] of this.#byCriterion())
      readings.push({ ...this.labels, of: 'level', metric: 'criterion', criterion, level: watch.reading() });
    const split = this.#split();
    if (split !== undefined) readings.push({ ...this.labels, of: 'split', split, segments: this.#segments.all });
    for (const race of this.#versions.readings()) readings.push({ ...this.labels, of: 'version', ...race });
    return readings;
  }

  takeTransitions(): readonly Transition[] {
    const taken: Transition[] = [];
    const take = (watch: LevelWatch, metric: Metric, criterion: string | undefined) => {
      for (const change of watch.takeChanges())
        taken.push({ ...this.labels, metric, criterion, ...change, level: watch.reading() });
    };
    for (const metric of SINGLE) take(this.#watches[metric], metric, undefined);
    for (const [criterion, watch] of this.#byCriterion()) take(watch, 'criterion', criterion);
    return taken;
  }

  snapshot(): Json {
    return {
      labels: { ...this.labels },
      lastAt: this.#lastAt,
      segments: this.#segments.snapshot(),
      criteria: this.#criteria.snapshot(),
      watches: SINGLE.map((metric) => this.#watches[metric].snapshot()),
      criterionWatches: this.#criterionWatches.map((watch) => watch?.snapshot() ?? null),
      costs: this.#costs.snapshot(),
      steps: this.#steps.snapshot(),
      versions: this.#versions.snapshot(),
      usual: this.#usual.snapshot(),
      recent: this.#recent.snapshot(),
    };
  }

  static restore(settings: DetectionSettings, json: Json): AgentStream {
    // The cast holds for what `snapshot` gave; Detection looks at its version.
    const kept = json as unknown as Kept;
    const stream = new AgentStream(kept.labels, settings);
    stream.#lastAt = kept.lastAt;
    stream.#segments.restore(kept.segments);
    stream.#criteria.restore(kept.criteria);
    for (const [index, metric] of SINGLE.entries()) stream.#watches[metric].restore(kept.watches[index] ?? null);
    for (const [number, state] of kept.criterionWatches.entries()) {
      if (state === null) stream.#criterionWatches[number] = undefined;
      else stream.#criterion(number).restore(state);
    }
    stream.#costs.restore(kept.costs);
    stream.#steps.restore(kept.steps);
    stream.#versions.restore(kept.versions);
    stream.#usual.restore(kept.usual);
    stream.#recent.restore(kept.recent);
    return stream;
  }

  #score(score: number, segment: number, at: number): void {
    const before = this.#watches.tcr.phase;
    this.#watches.tcr.observe(segment, 1 - score, 1, at);
    this.#follow(before, at);
  }

  /** The split follows the score's own baseline: it waits, ripens and is cut with it. */
  #follow(before: LevelWatch['phase'], at: number): void {
    const { phase, onset } = this.#watches.tcr;
    if (phase === 'regressed' && before !== 'regressed') this.#usual.cut(onset);
    if (phase === 'recovered' && before === 'regressed') this.#usual.cut(0);
    if (phase === 'suspected' || phase === 'regressed') return;
    this.#usual.ripen(at);
    this.#recent.forget(at - this.#settings.watch.baseline.gapMs);
  }

  #verdicts(
    { verdicts, weights }: Observation,
    { score, segment, at }: { readonly score: number | undefined; readonly segment: number; readonly at: number },
  ): void {
    let decided = 0;
    let isFound = false;
    const counted: (readonly [number: number, weight: number, isPassed: boolean])[] = [];
    for (const [name, verdict] of verdicts) {
      const decision = decisionOf(verdict);
      if (decision === undefined) continue;
      const number = this.#criteria.numberOf(name);
      const weight = positive(weights.get(name));
      decided += weight;
      counted.push([number, weight, decision === 'pass']);
      if (number === 0) continue;
      const watch = this.#criterion(number);
      watch.observe(segment, decision === 'pass' ? 0 : 1, 1, at);
      if (watch.phase === 'suspected' && watch.standing >= 1) isFound = true;
    }
    if (isFound) this.#confirmCriteria(at);
    if (score === undefined) return;
    const passed = counted.reduce((sum, [, weight, isPassed]) => sum + (isPassed ? weight : 0), 0);
    const points = decided > 0 ? takenByHardFailure(score, passed / decided) : 0;
    const taken = points === 0 ? undefined : { points, number: this.#criteria.numberOf(HARD_FAILURES) };
    const columns = SPLIT_FIRST + 2 * this.#criteria.count;
    for (const cell of [this.#usual.cell(segment, at, columns), this.#recent.cell(segment, at, columns)]) {
      cell[0] = (cell[0] as number) + 1;
      cell[1] = (cell[1] as number) + 1;
      cell[2] = (cell[2] as number) + score;
      if (!(decided > 0)) continue;
      if (taken !== undefined) {
        const column = SPLIT_FIRST + 2 * taken.number;
        cell[column + 1] = (cell[column + 1] as number) + taken.points;
      }
      for (const [number, weight, isPassed] of counted) {
        const column = SPLIT_FIRST + 2 * number;
        cell[column] = (cell[column] as number) + weight / decided;
        if (isPassed) cell[column + 1] = (cell[column + 1] as number) + weight / decided;
      }
    }
  }

  #confirmCriteria(at: number): void {
    const watches = this.#criterionWatches.filter((watch) => watch !== undefined);
    const needed = stepUp(
      watches.map((watch) => watch.standing),
      watches.length,
    );
    for (const watch of watches) if (watch.standing >= needed) watch.confirm(at);
  }

  #criterion(number: number): LevelWatch {
    const known = this.#criterionWatches[number];
    if (known !== undefined) return known;
    while (this.#criterionWatches.length < number) this.#criterionWatches.push(undefined);
    const watch = new LevelWatch(this.#settings.watch, this.#settings.levels.criterion, { together: true });
    this.#criterionWatches[number] = watch;
    return watch;
  }

  *#byCriterion(): Iterable<readonly [string, LevelWatch]> {
    for (const [number, name] of this.#criteria.all.entries()) {
      const watch = this.#criterionWatches[number];
      if (watch !== undefined) yield [name, watch];
    }
  }

  #split(): TcrSplit | undefined {
    const tcr = this.#watches.tcr;
    const gap = this.#settings.watch.baseline.gapMs;
    const since = tcr.reading().onset ?? this.#lastAt - gap;
    const names = this.#criteria.all;
    return splitChange(this.#usual.usual, this.#recent.since(since, SPLIT_FIRST + 2 * names.length), names);
  }
}

interface Kept {
  readonly labels: StreamLabels;
  readonly lastAt: number;
  readonly segments: Json;
  readonly criteria: Json;
  readonly watches: readonly Json[];
  readonly criterionWatches: readonly Json[];
  readonly costs: Json;
  readonly steps: Json;
  readonly versions: Json;
  readonly usual: Json;
  readonly recent: Json;
}

function isChosen(chosen: ChosenLevels, { metric, criterion }: WatchedLevel): boolean {
  return (
    (chosen.metric === undefined || chosen.metric === metric) &&
    (chosen.criterion === undefined || chosen.criterion === criterion)
  );
}

function within(score: number | undefined): number | undefined {
  if (score === undefined || Number.isNaN(score)) return undefined;
  return Math.min(1, Math.max(0, score));
}

function positive(weight: number | undefined): number {
  return weight !== undefined && weight > 0 && weight < Number.POSITIVE_INFINITY ? weight : 0;
}
