/**
 * The detectors of all suites, in the words of the reports. Each suite has its own. When it has become another version,
 * its score is another one, and nothing that was usual before says anything of it: a new one is learned from the stored
 * conversations (learning.ts), and from live ones until then.
 *
 * A verdict on a version that has changed since it was last looked at is a transition as well.
 */
import { AlarmBudget } from '../../statistics/detect/alarm-budget.ts';
import { Detection } from '../../statistics/detect/detection.ts';
import type { Reading, Transition as Change } from '../../statistics/detect/observation.ts';
import type { DetectionSettings } from '../../statistics/detect/settings.ts';
import { hash } from 'node:crypto';
import {
  type Acceptance,
  type ChosenLevels,
  type DetectionReport,
  isWorse,
  type JudgesReading,
  type LevelReading,
  type Transition,
  type VersionReading,
  type Watched,
} from '../../model/detection.ts';
import type { Json } from '../../model/json.ts';
import type { TcrSplit } from '../../model/tcr-split.ts';
import type { HistoryPart, HistoryWanted, RunningSuite } from '../../model/history-learning.ts';
import { Learning } from './learning.ts';
import type { ObservedEvaluation } from './observations.ts';

interface OfSuite {
  version: string;
  detection: Detection;
  /** Key of the running suite that it has been learned for, or that was given up; undefined before. */
  learned: string | undefined;
  learning: Learning | undefined;
}

type KeptSuite = readonly [
  suite: string,
  version: string,
  state: Json,
  learned?: string | null,
  learning?: Json | null,
];

export interface DetectorsState {
  readonly suites: readonly KeptSuite[];
  readonly verdicts: readonly (readonly [candidate: string, verdict: VersionReading['verdict']])[];
}

type Split = Pick<LevelReading, 'parts' | 'segmentParts' | 'counted'>;
type Readings = Pick<DetectionReport, 'levels' | 'versions' | 'judges'>;

/** A suite has been learned from stored conversations, or there was a problem with them. */
export interface Learned {
  readonly suite: string;
  readonly conversations: number;
  readonly problem: string | undefined;
}

export class Detectors {
  readonly #settings: DetectionSettings;
  readonly #suites = new Map<string, OfSuite>();
  readonly #budget: AlarmBudget;
  readonly #running: ReadonlyMap<string, RunningSuite>;
  /** Found while learning, and still so. */
  #found: Change[] = [];
  #passedOver = 0;
  #verdicts: ReadonlyMap<string, VersionReading['verdict']> = new Map();

  /** `running`: suites as they run here, which are learned from the past when they have changed. */
  constructor(settings: DetectionSettings, running: readonly RunningSuite[] = []) {
    this.#settings = settings;
    this.#budget = new AlarmBudget(settings);
    this.#running = new Map(running.map((one) => [one.suite, one]));
  }

  /** Throws if the state cannot be read. */
  static restore(settings: DetectionSettings, state: DetectorsState, running: readonly RunningSuite[] = []): Detectors {
    const detectors = new Detectors(settings, running);
    for (const [suite, version, json, learned, learning] of state.suites) {
      const current = detectors.#running.get(suite);
      // A state of an older Assay does not say for which suite it has learned.
      const isUsed = learned === undefined && current?.version === version;
      detectors.#suites.set(suite, {
        version,
        detection: Detection.restore(settings, json, detectors.#budget),
        learned: isUsed ? current.key : (learned ?? undefined),
        learning: learning === undefined || learning === null ? undefined : Learning.restore(settings, learning),
      });
    }
    detectors.#verdicts = new Map(state.verdicts);
    return detectors;
  }

  state(): DetectorsState {
    return {
      suites: [...this.#suites].map(([suite, { version, detection, learned, learning }]) => [
        suite,
        version,
        detection.snapshot(),
        learned ?? null,
        learning?.snapshot() ?? null,
      ]),
      verdicts: [...this.#verdicts],
    };
  }

  /** Begins to learn suites that are not what was learned, from everything that was scored before `until`. */
  learnFrom(until: number): boolean {
    let hasBegun = false;
    // Before the first time there is nothing.
    for (const running of until === 0 ? [] : this.#running.values()) {
      const known = this.#suites.get(running.suite) ?? this.#begin(running.suite, running.version);
      if (known.learning?.isOf(running) === true) continue;
      // Another instance, whose configuration is older, may have begun.
      known.learning = undefined;
      if (known.learned === running.key) continue;
      known.learning = Learning.begin(this.#settings, running, until);
      hasBegun = true;
    }
    return hasBegun;
  }

  /** The parts of the past that are wanted next. */
  get wanted(): readonly HistoryWanted[] {
    return [...this.#running.values()].flatMap((running) => {
      const { learning } = this.#suites.get(running.suite) ?? {};
      return learning?.isOf(running) === true ? learning.wanted : [];
    });
  }

  /** Observes a part of the past. The last one makes what was learned the detection of its suite. */
  take(part: HistoryPart): Learned | undefined {
    const known = this.#suites.get(part.suite);
    const { learning } = known ?? {};
    if (known === undefined || learning === undefined) return undefined;
    let problem: string | undefined;
    try {
      if (!learning.take(part) || part.end === undefined) return undefined;
      if ('problem' in part.end) problem = part.end.problem;
      else if (isUseful(known, learning)) this.#replace(known, learning, part.end.traffic);
    } catch (error) {
      // The past is not worth the detection in use.
      problem = error instanceof Error ? error.message : String(error);
    }
    known.learned = part.key;
    known.learning = undefined;
    return { suite: part.suite, conversations: learning.observed, problem };
  }

  #replace(known: OfSuite, learning: Learning, traffic: Parameters<Learning['finish']>[0]): void {
    const { version, until } = learning.wanted;
    const learned = learning.finish(traffic);
    const isSameSuite = known.version === version;
    if (isSameSuite) {
      const bridges = new Map(learning.bridges.map((bridge) => [keyOf({ ...bridge, suite: '' }), bridge]));
      learned.follow(
        known.detection,
        ({ agent, environment }) => {
          const sums = bridges.get(keyOf({ suite: '', agent, environment }));
          return sums && { before: sums.before / sums.conversations, after: sums.after / sums.conversations };
        },
        until,
      );
    }
    this.#found.push(...stillWorse(learned.takeTransitions()));
    this.#budget.drop(known.detection);
    known.version = version;
    known.detection = Detection.restore(this.#settings, learned.snapshot(), this.#budget);
  }

  /** `payload` is the evaluation as it waited. */
  observe(evaluation: ObservedEvaluation, at: number, payload?: string): void {
    const running = this.#running.get(evaluation.suite);
    let known = this.#suites.get(evaluation.suite);
    if (known !== undefined && known.version !== evaluation.suiteVersion && known.version === running?.version) {
      // An evaluation that has waited for a judge since before the change.
      this.#passedOver += 1;
      return;
    }
    if (known === undefined || known.version !== evaluation.suiteVersion)
      known = this.#begin(evaluation.suite, evaluation.suiteVersion);
    known.detection.observe({ ...evaluation, at });
    const isRunning = running?.version === evaluation.suiteVersion && running.judgedBy === evaluation.judgedBy;
    if (isRunning && payload !== undefined) known.learning?.hold(at, payload);
  }

  /** Begins a detection without history; learning goes on. */
  #begin(suite: string, version: string): OfSuite {
    const before = this.#suites.get(suite);
    if (before !== undefined) this.#budget.drop(before.detection);
    const detection = new Detection(this.#settings, this.#budget);
    const begun = { version, detection, learned: undefined, learning: before?.learning };
    this.#suites.set(suite, begun);
    return begun;
  }

  advance(time: number): void {
    for (const { detection } of this.#suites.values()) detection.advance(time);
  }

  /** Levels that have regressed become what is expected. Their reported state is the one before. */
  accept(chosen: ChosenLevels, at: number): Exclude<Acceptance, { readonly problem: string }> {
    const meant = this.readings().levels.filter((level) => isMeant(level, chosen));
    const detection = this.#suites.get(chosen.suite)?.detection;
    const taken = new Set((detection?.accept(chosen, at) ?? []).map(levelKey));
    const { accepted = [], others = [] } = Object.groupBy(meant, (level) =>
      taken.has(levelKey(level)) ? 'accepted' : 'others',
    );
    return { accepted, others };
  }

  /** A suite that was removed from the configuration has no alarms. Its state is kept, in case that it returns. */
  #shown(): readonly Detection[] {
    return [...this.#suites].flatMap(([suite, { detection }]) =>
      this.#running.size === 0 || this.#running.has(suite) ? detection : [],
    );
  }

  readings(): Readings {
    const all = this.#shown().flatMap((detection) => detection.readings());
    const splits = new Map<string, Split>();
    for (const reading of all) if (reading.of === 'split') splits.set(keyOf(reading), splitOf(reading));
    return {
      levels: all.flatMap((reading) =>
        reading.of === 'level'
          ? levelOf(reading, reading.metric === 'tcr' ? splits.get(keyOf(reading)) : undefined)
          : [],
      ),
      versions: all.flatMap((reading) => (reading.of === 'version' ? versionOf(reading) : [])),
      judges: all.flatMap((reading) => (reading.of === 'judges' ? judgesOf(reading) : [])),
    };
  }

  /** Observations that limits kept out of all suites' detectors. */
  keptOut(): DetectionReport['keptOut'] {
    const sum = { unwatched: this.#passedOver, forgotten: 0, segments: 0, criteria: 0, versions: 0, capped: 0 };
    for (const { detection } of this.#suites.values()) {
      const { folded } = detection;
      sum.unwatched += folded.unwatched;
      sum.forgotten += folded.forgotten;
      sum.segments += folded.segments;
      sum.criteria += folded.criteria;
      sum.versions += folded.versions;
      sum.capped += folded.capped;
    }
    return sum;
  }

  /** Changes since the last call. */
  takeTransitions(readings: Readings, at: number): readonly Transition[] {
    const levels = new Map(readings.levels.map((reading) => [levelKey(reading), reading]));
    const changes = [...this.#found, ...this.#shown().flatMap((detection) => detection.takeTransitions())];
    this.#found = [];
    const found: Transition[] = changes.map((change) => {
      const now = levels.get(levelKey(change));
      return levelTransition(change, now);
    });
    for (const { detection } of this.#suites.values())
      for (const { at: changedAt, from, to, suite, agent, environment } of detection.takeJudgesChanged()) {
        const watched = { suite, agent, environment };
        const id = idOf(keyOf(watched), changedAt, to);
        found.push({ kind: 'judges', id, at: changedAt, from, to, reading: { ...watched, moved: undefined } });
      }
    const verdicts = new Map<string, VersionReading['verdict']>();
    for (const reading of readings.versions) {
      const key = JSON.stringify([keyOf(reading), reading.version, reading.baselineVersion]);
      const from = this.#verdicts.get(key) ?? 'inconclusive';
      verdicts.set(key, reading.verdict);
      if (from === reading.verdict) continue;
      const id = idOf(key, at, reading.verdict);
      found.push({ kind: 'version', id, at, from, to: reading.verdict, reading });
    }
    this.#verdicts = verdicts;
    return found;
  }
}

function levelOf(reading: Extract<Reading, { of: 'level' }>, split: Split | undefined): LevelReading {
  const { level } = reading;
  const { estimate } = level;
  return {
    suite: reading.suite,
    agent: reading.agent,
    environment: reading.environment,
    metric: reading.metric,
    criterion: reading.criterion,
    ...(reading.part === undefined ? {} : { part: reading.part }),
    state: level.state,
    since: level.stateSince,
    logEvidence: level.logEvidence,
    logThreshold: level.logThreshold,
    change:
      estimate === undefined
        ? undefined
        : {
            baseline: estimate.baseline,
            observed: estimate.observed,
            ratio: estimate.change,
            lower: estimate.changeLower,
            upper: estimate.changeUpper,
          },
    onset: level.onset,
    minimumDetectableRatio: level.minimumDetectableChange,
    ...(level.unnamedShare === undefined ? {} : { unnamedShare: level.unnamedShare }),
    parts: split?.parts ?? [],
    segmentParts: split?.segmentParts ?? [],
    counted: split?.counted,
    causes: reading.causes.map(({ segments, probability, share, conversations, expected, observed }) => ({
      parts: segments,
      probability,
      share,
      conversations,
      expected: 1 - expected,
      observed: 1 - observed,
    })),
  };
}

function splitOf({ split, segments }: Extract<Reading, { of: 'split' }>): Split {
  const { baseline, observed, criteria, mix } = split;
  return {
    counted: { baseline, observed },
    parts: [
      ...[...criteria].map(([criterion, points]) => ({ part: 'criterion' as const, criterion, points })),
      { part: 'mix', criterion: '', points: mix },
    ],
    segmentParts: bySegment(split, segments),
  };
}

function bySegment(
  { baseline, observed, segments }: TcrSplit,
  names: readonly string[],
): NonNullable<Split['segmentParts']> {
  const parts = segments.flatMap((points, place) =>
    points === undefined ? [] : [{ part: 'segment' as const, segment: names[place] ?? '', points }],
  );
  if (parts.length < 2) return [];
  const explained = parts.reduce((sum, { points }) => sum + points, 0);
  return [...parts, { part: 'mix', segment: '', points: observed - baseline - explained }];
}

function versionOf({
  suite,
  agent,
  environment,
  version,
  baselineVersion,
  race,
}: Extract<Reading, { of: 'version' }>): VersionReading {
  return {
    suite,
    agent,
    environment,
    version,
    baselineVersion,
    verdict: race.verdict,
    logEvidenceWorse: race.logEvidence.worse,
    logEvidenceBetter: race.logEvidence.better,
    difference: race.difference,
  };
}

function judgesOf({
  suite,
  agent,
  environment,
  split,
  judged,
  bridge,
}: Extract<Reading, { of: 'judges' }>): JudgesReading {
  const { observed: after, criteria } = split;
  // Both judges answered for the same conversations: the difference that they do not explain is the agent's.
  if (bridge !== undefined) {
    const { before, after: byBoth } = bridge;
    return {
      ...{ suite, agent, environment },
      moved: { before, after, byJudges: byBoth - before, byOthers: after - byBoth },
    };
  }
  const before = split.baseline;
  const byJudges = [...criteria].reduce((sum, [name, points]) => sum + (judged.has(name) ? points : 0), 0);
  return { suite, agent, environment, moved: { before, after, byJudges, byOthers: after - before - byJudges } };
}

function levelTransition(change: Change, split: Split | undefined): Transition {
  const reading = levelOf({ ...change, of: 'level' }, split);
  const id = idOf(levelKey(change), change.at, change.to);
  return { kind: 'level', id, at: change.at, from: change.from, to: change.to, reading };
}

function isMeant(level: LevelReading, { suite, agent, environment, metric, criterion, part }: ChosenLevels): boolean {
  return (
    level.suite === suite &&
    level.agent === agent &&
    (environment === undefined || level.environment === environment) &&
    (metric === undefined || level.metric === metric) &&
    (criterion === undefined || level.criterion === criterion) &&
    (part === undefined || level.part === part)
  );
}

/** A learned detection without answers of other judges knows only code criteria, which the one in use has as well. */
function isUseful(known: OfSuite, { wanted, observed, bridges }: Learning): boolean {
  return observed > 0 && (known.version !== wanted.version || !wanted.isSampled || bridges.length > 0);
}

/** The last change of each level that is worse now. */
function stillWorse(changes: readonly Change[]): readonly Change[] {
  const last = new Map(changes.map((change) => [levelKey(change), change]));
  return [...last.values()].filter(({ to }) => isWorse(to));
}

function keyOf({ suite, agent, environment }: Watched): string {
  return JSON.stringify([suite, agent, environment]);
}

function levelKey(of: Pick<LevelReading, 'metric' | 'criterion' | 'part'> & Watched): string {
  return JSON.stringify([keyOf(of), of.metric, of.criterion ?? of.part ?? '']);
}

function idOf(key: string, at: number, to: string): string {
  return hash('sha256', JSON.stringify([key, at, to])).slice(0, 32);
}
