/**
 * All that is watched of one suite on one agent in one environment: its score, its hard failures, each criterion, cost and steps per
 * success, its versions, and what moved its score. Streams know nothing of each other.
 *
 * Criteria are compared together (step-up.ts), everything else by itself. Hard failures, cost and steps are compared with
 * those of conversations of the same outcome: when success falls there are more of them per success, and one fall would
 * alarm three times. So they alarm where they rise beyond what the fall explains.
 */
import { decisionOf } from '../../model/decision.ts';
import { isGood, isInSuccessRate, isScored, isWorst } from '../../model/severity.ts';
import type { ChosenLevels, Watched, WatchedLevel } from '../../model/detection.ts';
import type { Json } from '../../model/json.ts';
import type { AlarmBudget } from './alarm-budget.ts';
import { Cap } from './cap.ts';
import { ClusterSlots, type Slot } from './cluster-slots.ts';
import { FallSample, type NamedCause } from './fall-sample.ts';
import { LevelWatch } from './level-watch.ts';
import type { WatchReading } from './watch-reading.ts';
import { Names } from './names.ts';
import type { JudgesBridged, JudgesChanged, LearnedFrom, Observation, Reading, Transition } from './observation.ts';
import { RecentChunks } from './recent-chunks.ts';
import type { DetectionSettings, Metric } from './settings.ts';
import { beforeToJson, type StreamJudges } from './stream-judges.ts';
import type { KeptStream } from './kept-stream.ts';
import { SegmentWatches } from './segment-watches.ts';
import { Strata } from './strata.ts';
import { stepUp } from './step-up.ts';
import { HARD_FAILURES, SPLIT_FIRST, splitChange, takenByHardFailure, type TcrSplit } from '../../model/tcr-split.ts';
import { cellsFromJson, TrailingBaseline } from './trailing-baseline.ts';
import { Versions } from './versions.ts';

const SINGLE = ['tcr', 'hard_failure', 'cost_per_success', 'steps_per_success'] as const satisfies readonly Metric[];

/** Compared with conversations of the same outcome. */
const BY_OUTCOME: ReadonlySet<Metric> = new Set(['hard_failure', 'cost_per_success', 'steps_per_success']);
/** Share of conversations without a user from which alarms take more evidence. */
const UNNAMED_FROM = 0.5;
/** Values of a stratum beside those that strata.ts numbers. */
const SUCCEEDED = -1;
const FAILED = -2;

export interface Folded {
  readonly segments: number;
  readonly criteria: number;
  readonly versions: number;
  /** Costs and step counts that were larger than what is credible. */
  readonly capped: number;
}

export class AgentStream {
  readonly labels: Watched;
  readonly #settings: DetectionSettings;
  readonly #segments: Names;
  readonly #strata: Strata;
  readonly #criteria: Names;
  #watches: Readonly<Record<(typeof SINGLE)[number], LevelWatch>>;
  /** Watches by number of the criterion; number 0 is the folded rest, which is not watched. */
  readonly #criterionWatches: (LevelWatch | undefined)[] = [];
  readonly #costs = new Cap();
  readonly #steps = new Cap();
  #versions: Versions;
  #usual: TrailingBaseline;
  #recent = new RecentChunks();
  readonly #users = new ClusterSlots();
  #parts: SegmentWatches;
  #sample = new FallSample();
  #judges: StreamJudges = { by: '', names: [], before: undefined };
  #judgesChanged: JudgesChanged[] = [];
  readonly #budget: AlarmBudget;
  #lastAt = 0;

  constructor(labels: Watched, settings: DetectionSettings, budget: AlarmBudget) {
    this.labels = labels;
    this.#settings = settings;
    this.#segments = new Names(settings.limits.segments);
    this.#strata = new Strata(settings.limits.strata);
    this.#criteria = new Names(settings.limits.criteria);
    this.#budget = budget;
    this.#parts = new SegmentWatches(settings, budget, this.#hasUsers);
    this.#watches = this.#newWatches();
    this.#versions = new Versions(settings.versions, settings.limits, budget);
    this.#usual = new TrailingBaseline(settings.watch.baseline, SPLIT_FIRST);
  }

  #newWatches(): Readonly<Record<(typeof SINGLE)[number], LevelWatch>> {
    const { watch, levels } = this.#settings;
    const begin = (metric: Metric) => {
      // Hard failures are compared among conversations that did not succeed, which is no split.
      const isSplit = BY_OUTCOME.has(metric) && metric !== 'hard_failure';
      const valuesOf = isSplit ? this.#valuesByOutcome : this.#valuesOf;
      const hasUsers = this.#hasUsers;
      return new LevelWatch(watch, levels[metric], { together: false, budget: this.#budget, hasUsers, valuesOf });
    };
    return {
      tcr: begin('tcr'),
      hard_failure: begin('hard_failure'),
      cost_per_success: begin('cost_per_success'),
      steps_per_success: begin('steps_per_success'),
    };
  }

  readonly #hasUsers = () => this.#users.unnamedShare <= UNNAMED_FROM;
  readonly #valuesOf = (stratum: number) => this.#strata.valuesOf(stratum);
  readonly #valuesByOutcome = (stratum: number) => [
    stratum % 2 === 1 ? SUCCEEDED : FAILED,
    ...this.#strata.valuesOf(Math.floor(stratum / 2)),
  ];

  /**
   * Other judges are not another agent: their answers are learnt from scratch, and so is the score. Criteria that
   * code decides are watched on. The usual figures from before are kept, to say how much of the change is the judges'.
   */
  #renewJudged(by: string, judged: ReadonlySet<string>, at: number): void {
    const from = this.#judges.by;
    const before = from === '' ? undefined : { at, cells: this.#usual.usual, bridge: undefined };
    this.#judges = { by, names: [...judged], before };
    if (from === '') return;
    this.#judgesChanged.push({ ...this.labels, at, from, to: by });
    this.#watches = this.#newWatches();
    for (const [number, name] of this.#criteria.all.entries())
      if (judged.has(name)) this.#criterionWatches[number] = undefined;
    this.#versions = new Versions(this.#settings.versions, this.#settings.limits, this.#budget);
    this.#parts = new SegmentWatches(this.#settings, this.#budget, this.#hasUsers);
    this.#sample = new FallSample();
    this.#usual = new TrailingBaseline(this.#settings.watch.baseline, SPLIT_FIRST);
    this.#recent = new RecentChunks();
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
    if (observed.judgedBy !== this.#judges.by) this.#renewJudged(observed.judgedBy, observed.judged, at);
    const segment = this.#segments.numberOf(observed.segment);
    const stratum = this.#strata.numberOf(observed.segment, observed.traits);
    const user = this.#users.slotOf(observed.user, at);
    const score = within(observed.score);
    if (score !== undefined) this.#score(score, { observed, stratum, user, at });
    if (isScored(observed.outcome)) {
      const success = isGood(observed.outcome);
      const given = 2 * stratum + (success ? 1 : 0);
      const isHard = isWorst(observed.outcome) ? 1 : 0;
      this.#watches.hard_failure.observe(stratum, isHard, success ? 0 : 1, at, user, 1);
      if (isInSuccessRate(observed.outcome)) {
        const vote = score === undefined ? 1 : this.#watches.tcr.foreseen.given.vote;
        this.#versions.observe(observed.version, { segment: stratum, success, vote, at });
      }
      const cost = observed.costUsd === undefined ? undefined : this.#costs.take(observed.costUsd);
      if (cost !== undefined) this.#watches.cost_per_success.observe(given, cost, 1, at, user, success ? 1 : 0);
      const steps = this.#steps.take(observed.steps);
      if (steps !== undefined) this.#watches.steps_per_success.observe(given, steps, 1, at, user, success ? 1 : 0);
    }
    this.#verdicts(observed, { score, segment, stratum, user, at });
  }

  advance(time: number): void {
    const before = this.#watches.tcr.phase;
    for (const metric of SINGLE) this.#watches[metric].advance(time);
    for (const watch of this.#criterionWatches) watch?.advance(time);
    this.#parts.advance(time);
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
    const level = { ...this.labels, criterion: undefined, part: undefined };
    for (const metric of SINGLE) take(this.#watches[metric], { ...level, metric });
    for (const [criterion, watch] of this.#byCriterion()) take(watch, { ...level, metric: 'criterion', criterion });
    for (const [part, watch] of this.#parts.watches()) take(watch, { ...level, metric: 'segment', part });
    if (!accepted.some(({ metric }) => metric === 'tcr')) return accepted;
    this.#usual.adopt();
    // The accepted level is expected of each part as well.
    for (const [, watch] of this.#parts.watches()) if (watch.phase === 'suspected') watch.accept(at);
    return accepted;
  }

  /**
   * Scales counts of learned history, of which one in this many was read, and fewer for scores if judges had to be
   * asked.
   */
  scaleTraffic({ all, scored }: LearnedFrom, at: number): void {
    const judged = new Set(this.#judges.names);
    for (const metric of SINGLE) this.#watches[metric].scaleTraffic(scored, at);
    for (const [name, watch] of this.#byCriterion()) watch.scaleTraffic(judged.has(name) ? scored : all, at);
    for (const [, watch] of this.#parts.watches()) watch.scaleTraffic(scored, at);
  }

  /** Takes over from a stream with other judges, after learning from stored conversations. Reports the change once. */
  follow(other: AgentStream, bridge: JudgesBridged | undefined, at: number): void {
    const { by } = this.#judges;
    const [from, before] = [other.#judges.by, other.#judges.before];
    if (from === by) {
      // The change has been reported.
      this.#judges = { ...this.#judges, before: before === undefined ? undefined : { ...before, bridge } };
      this.#judgesChanged = [...other.#judgesChanged];
      return;
    }
    if (from === '' || by === '') return;
    this.#judges = { ...this.#judges, before: { at, cells: other.#usual.usual, bridge } };
    this.#judgesChanged.push({ ...this.labels, at, from, to: by });
  }

  readings(): readonly Reading[] {
    const readings: Reading[] = [];
    const level = { ...this.labels, of: 'level' as const, criterion: undefined, part: undefined, causes: [] };
    for (const metric of SINGLE) {
      const reading = this.#readingOf(metric);
      const causes = metric === 'tcr' ? this.#causes(reading) : [];
      readings.push({ ...level, metric, level: reading, causes });
    }
    for (const [criterion, watch] of this.#byCriterion())
      readings.push({ ...level, metric: 'criterion', criterion, level: watch.reading() });
    for (const [part, reading] of this.#parts.readings())
      readings.push({ ...level, metric: 'segment', part, level: reading, causes: this.#causes(reading, part) });
    const split = this.#split();
    if (split !== undefined) readings.push({ ...this.labels, of: 'split', split, segments: this.#segments.all });
    const judges = this.#sinceJudges();
    if (judges !== undefined) readings.push({ ...this.labels, of: 'judges', ...judges });
    for (const race of this.#versions.readings()) readings.push({ ...this.labels, of: 'version', ...race });
    return readings;
  }

  takeTransitions(): readonly Transition[] {
    const taken: Transition[] = [];
    const level = { ...this.labels, criterion: undefined, part: undefined };
    const take = (watch: LevelWatch, of: Pick<Transition, 'metric' | 'criterion'>) => {
      for (const change of watch.takeChanges()) {
        const reading = of.metric === 'tcr' ? this.#readingOf('tcr') : watch.reading();
        const causes = of.metric === 'tcr' ? this.#causes(reading) : [];
        taken.push({ ...level, ...of, ...change, level: reading, causes });
      }
    };
    for (const metric of SINGLE) take(this.#watches[metric], { metric, criterion: undefined });
    for (const [criterion, watch] of this.#byCriterion()) take(watch, { metric: 'criterion', criterion });
    for (const [part, change, reading] of this.#parts.takeChanges())
      taken.push({ ...level, metric: 'segment', part, ...change, level: reading, causes: this.#causes(reading, part) });
    return taken;
  }

  takeJudgesChanged(): readonly JudgesChanged[] {
    const taken = this.#judgesChanged;
    if (taken.length > 0) this.#judgesChanged = [];
    return taken;
  }

  /** How TCR moved when the judges changed, for as long as the baseline remembers what was before. */
  #sinceJudges(): Omit<Extract<Reading, { of: 'judges' }>, 'of' | keyof Watched> | undefined {
    const { before, names } = this.#judges;
    const { memoryMs, gapMs } = this.#settings.watch.baseline;
    if (before === undefined || this.#lastAt - before.at > memoryMs) return undefined;
    const criteria = this.#criteria.all;
    const since = this.#recent.since(Math.max(before.at, this.#lastAt - gapMs), SPLIT_FIRST + 2 * criteria.length);
    const split = splitChange(before.cells, since, criteria);
    if (split === undefined) return undefined;
    const { at, bridge } = before;
    return { at, split, judged: new Set(names), ...(bridge === undefined ? {} : { bridge }) };
  }

  #readingOf(metric: (typeof SINGLE)[number]): WatchReading {
    const reading = this.#watches[metric].reading();
    return metric === 'tcr' ? { ...reading, unnamedShare: this.#users.unnamedShare } : reading;
  }

  readonly #causesOf = (onset: number, part?: string) => this.#sample.causes(onset, part);
  #causes({ onset }: WatchReading, part?: string): readonly NamedCause[] {
    return onset === undefined ? [] : this.#causesOf(onset, part);
  }

  snapshot(): Json {
    return {
      labels: { ...this.labels },
      lastAt: this.#lastAt,
      segments: this.#segments.snapshot(),
      strata: this.#strata.snapshot(),
      criteria: this.#criteria.snapshot(),
      watches: SINGLE.map((metric) => this.#watches[metric].snapshot()),
      criterionWatches: this.#criterionWatches.map((watch) => watch?.snapshot() ?? null),
      costs: this.#costs.snapshot(),
      steps: this.#steps.snapshot(),
      versions: this.#versions.snapshot(),
      usual: this.#usual.snapshot(),
      recent: this.#recent.snapshot(),
      users: this.#users.snapshot(),
      parts: this.#parts.snapshot(),
      sample: this.#sample.snapshot(),
      judges: [
        this.#judges.by,
        [...this.#judges.names],
        this.#judges.before === undefined ? null : beforeToJson(this.#judges.before),
      ],
      judgesChanged: this.#judgesChanged.map((change) => ({ ...change })),
    };
  }

  static restore(settings: DetectionSettings, json: Json, budget: AlarmBudget): AgentStream {
    // The cast holds for what `snapshot` gave; Detection looks at its version.
    const kept = json as unknown as KeptStream;
    const stream = new AgentStream(kept.labels, settings, budget);
    stream.#lastAt = kept.lastAt;
    stream.#segments.restore(kept.segments);
    stream.#criteria.restore(kept.criteria);
    stream.#strata.restore(kept.strata ?? null, stream.#segments);
    // 0.1.0 did not compare by outcome: these levels are learnt from scratch.
    for (const [index, metric] of SINGLE.entries())
      if (kept.strata !== undefined || !BY_OUTCOME.has(metric))
        stream.#watches[metric].restore(kept.watches[index] ?? null);
    for (const [number, state] of kept.criterionWatches.entries()) {
      if (state === null) stream.#criterionWatches[number] = undefined;
      else stream.#criterion(number).restore(state);
    }
    stream.#costs.restore(kept.costs);
    stream.#steps.restore(kept.steps);
    stream.#versions.restore(kept.versions);
    // 0.1.0 compared versions by segment, and a kind without traits is called as its segment.
    stream.#usual.restore(kept.usual);
    stream.#recent.restore(kept.recent);
    stream.#users.restore(kept.users);
    stream.#parts.restore(kept.parts);
    stream.#sample.restore(kept.sample);
    const [by, names, before] = kept.judges;
    stream.#judges = {
      by,
      names,
      before:
        before === null
          ? undefined
          : { at: before[0], cells: cellsFromJson(before[1]), bridge: before[2] ?? undefined },
    };
    stream.#judgesChanged = [...kept.judgesChanged];
    return stream;
  }

  #score(
    score: number,
    { observed, stratum, user, at }: Omit<Placed, 'segment'> & { readonly observed: Observation },
  ): void {
    const { tcr } = this.#watches;
    const before = tcr.phase;
    const bad = 1 - score;
    tcr.observe(stratum, bad, 1, at, user);
    this.#follow(before, at);
    const parts = observed.segment === '' ? observed.traits : [`segment: ${observed.segment}`, ...observed.traits];
    // If requests differ, a part is learned only after the differences are known.
    const foreseen = tcr.forParts ?? (this.#strata.areSeveral ? undefined : tcr.foreseen);
    const whole = { bad, at, isDoubted: tcr.phase === 'regressed', causesOf: this.#causesOf };
    if (foreseen !== undefined) this.#parts.observe(parts, { ...whole, foreseen });
    // A version is no part of the traffic that is watched: it has its own comparison.
    this.#sample.add(at, bad, [`version: ${observed.version}`, ...parts]);
  }

  /** The split follows the score's own baseline: it waits, ripens and is cut with it. */
  #follow(before: LevelWatch['phase'], at: number): void {
    const { phase, onset } = this.#watches.tcr;
    if (phase === 'regressed' && before !== 'regressed') this.#usual.cut(onset);
    if (phase === 'recovered' && before === 'regressed') {
      this.#usual.cut(0);
      this.#parts.dismiss(at);
    }
    if (phase === 'suspected' || phase === 'regressed') return;
    this.#usual.ripen(at);
    this.#recent.forget(at - this.#settings.watch.baseline.gapMs);
  }

  #verdicts(
    { verdicts, weights }: Observation,
    { score, segment, stratum, user, at }: Placed & { readonly score: number | undefined },
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
      watch.observe(stratum, decision === 'pass' ? 0 : 1, 1, at, user);
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
    const watch = new LevelWatch(this.#settings.watch, this.#settings.levels.criterion, {
      together: true,
      budget: this.#budget,
      hasUsers: this.#hasUsers,
      valuesOf: this.#valuesOf,
    });
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

interface Placed {
  /** Number of the configured segment. */
  readonly segment: number;
  /** Kind of request. */
  readonly stratum: number;
  readonly user: Slot | undefined;
  readonly at: number;
}

function isChosen(chosen: ChosenLevels, { metric, criterion, part }: WatchedLevel): boolean {
  return (
    (chosen.metric === undefined || chosen.metric === metric) &&
    (chosen.criterion === undefined || chosen.criterion === criterion) &&
    (chosen.part === undefined || chosen.part === part)
  );
}

function within(score: number | undefined): number | undefined {
  if (score === undefined || Number.isNaN(score)) return undefined;
  return Math.min(1, Math.max(0, score));
}

function positive(weight: number | undefined): number {
  return weight !== undefined && weight > 0 && weight < Number.POSITIVE_INFINITY ? weight : 0;
}
