/**
 * The detectors of all suites, in the words of the reports. Each suite has its own, and a new one when it has become another version: what
 * it says then is another score, and nothing that was usual before says anything of it.
 *
 * A verdict on a version that has changed since it was last looked at is a transition as well.
 */
import { AlarmBudget } from '../../detect/alarm-budget.ts';
import { Detection } from '../../detect/detection.ts';
import type { Reading, Transition as Change } from '../../detect/observation.ts';
import type { DetectionSettings } from '../../detect/settings.ts';
import { createHash } from 'node:crypto';
import type {
  Acceptance,
  ChosenLevels,
  DetectionReport,
  JudgesReading,
  LevelReading,
  Transition,
  VersionReading,
  Watched,
} from '../../model/detection.ts';
import type { Json } from '../../model/json.ts';
import type { TcrSplit } from '../../model/tcr-split.ts';
import type { ObservedEvaluation } from './observations.ts';

interface OfSuite {
  readonly version: string;
  readonly detection: Detection;
}

export interface DetectorsState {
  readonly suites: readonly (readonly [suite: string, version: string, state: Json])[];
  readonly verdicts: readonly (readonly [candidate: string, verdict: VersionReading['verdict']])[];
}

type Split = Pick<LevelReading, 'parts' | 'segmentParts' | 'counted'>;
type Readings = Pick<DetectionReport, 'levels' | 'versions' | 'judges'>;

export class Detectors {
  readonly #settings: DetectionSettings;
  readonly #suites = new Map<string, OfSuite>();
  readonly #budget: AlarmBudget;
  #verdicts: ReadonlyMap<string, VersionReading['verdict']> = new Map();

  constructor(settings: DetectionSettings) {
    this.#settings = settings;
    this.#budget = new AlarmBudget(settings);
  }

  /** Throws if the state cannot be read. */
  static restore(settings: DetectionSettings, state: DetectorsState): Detectors {
    const detectors = new Detectors(settings);
    for (const [suite, version, json] of state.suites) {
      detectors.#suites.set(suite, { version, detection: Detection.restore(settings, json, detectors.#budget) });
    }
    detectors.#verdicts = new Map(state.verdicts);
    return detectors;
  }

  state(): DetectorsState {
    return {
      suites: [...this.#suites].map(([suite, { version, detection }]) => [suite, version, detection.snapshot()]),
      verdicts: [...this.#verdicts],
    };
  }

  observe(evaluation: ObservedEvaluation, at: number): void {
    let known = this.#suites.get(evaluation.suite);
    if (known === undefined || known.version !== evaluation.suiteVersion) {
      if (known !== undefined) this.#budget.drop(known.detection);
      known = { version: evaluation.suiteVersion, detection: new Detection(this.#settings, this.#budget) };
      this.#suites.set(evaluation.suite, known);
    }
    known.detection.observe({ ...evaluation, at });
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

  readings(): Readings {
    const all = [...this.#suites.values()].flatMap(({ detection }) => detection.readings());
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
    const sum = { unwatched: 0, forgotten: 0, segments: 0, criteria: 0, versions: 0, capped: 0 };
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
    const changes = [...this.#suites.values()].flatMap(({ detection }) => detection.takeTransitions());
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

function judgesOf({ suite, agent, environment, split, judged }: Extract<Reading, { of: 'judges' }>): JudgesReading {
  const { baseline: before, observed: after, criteria } = split;
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

function keyOf({ suite, agent, environment }: Watched): string {
  return JSON.stringify([suite, agent, environment]);
}

function levelKey(of: Pick<LevelReading, 'metric' | 'criterion' | 'part'> & Watched): string {
  return JSON.stringify([keyOf(of), of.metric, of.criterion ?? of.part ?? '']);
}

function idOf(key: string, at: number, to: string): string {
  return createHash('sha256')
    .update(JSON.stringify([key, at, to]))
    .digest('hex')
    .slice(0, 32);
}
