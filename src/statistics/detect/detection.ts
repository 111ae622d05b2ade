/**
 * Regression detection in the process: evaluations in, in the order in which they were committed; readings and state
 * changes out. No clock, no chance, no store: the same observations give the same results, and a snapshot goes on as if
 * nothing had happened in between.
 *
 * There are at most `limits.streams` streams. When one more comes, the one that has been silent longest makes room
 * if it has been silent for a week; otherwise the newcomer is not watched, and each of its observations is counted.
 */
import type { ChosenLevels, Watched, WatchedLevel } from '../../model/detection.ts';
import type { Json } from '../../model/json.ts';
import { AgentStream, type Folded } from './agent-stream.ts';
import { AlarmBudget } from './alarm-budget.ts';
import type { JudgesBridged, JudgesChanged, LearnedFrom, Observation, Reading, Transition } from './observation.ts';
import { DAY_MS, DEFAULT_DETECTION, type DetectionSettings } from './settings.ts';

export const SNAPSHOT_VERSION = 2;
const SILENT_MS = 7 * DAY_MS;

interface DetectionFolded extends Folded {
  /** Observations of streams beyond the limit. */
  readonly unwatched: number;
  /** Streams that made room. */
  readonly forgotten: number;
}

export class Detection {
  readonly #settings: DetectionSettings;
  readonly #streams = new Map<string, AgentStream>();
  readonly #budget: AlarmBudget;
  #last: AgentStream | undefined;
  #unwatched = 0;
  #forgotten = 0;

  constructor(settings: DetectionSettings = DEFAULT_DETECTION, budget = new AlarmBudget(settings)) {
    this.#settings = settings;
    this.#budget = budget;
  }

  get folded(): DetectionFolded {
    const sum = { segments: 0, criteria: 0, versions: 0, capped: 0 };
    for (const { folded } of this.#streams.values()) {
      sum.segments += folded.segments;
      sum.criteria += folded.criteria;
      sum.versions += folded.versions;
      sum.capped += folded.capped;
    }
    return { ...sum, unwatched: this.#unwatched, forgotten: this.#forgotten };
  }

  observe(observed: Observation): void {
    if (!Number.isFinite(observed.at)) throw new Error(`observe an evaluation: its time is ${observed.at}`);
    const stream = this.#streamOf(observed);
    if (stream === undefined) this.#unwatched += 1;
    else stream.observe(observed);
  }

  /** Log time has come to `time`, whether or not there were evaluations. */
  advance(time: number): void {
    let active = 0;
    for (const { lastAt } of this.#streams.values()) if (time - lastAt < SILENT_MS) active += 1;
    this.#budget.count(this, active);
    for (const stream of this.#streams.values()) stream.advance(time);
  }

  /** A person says that levels which have regressed are the ones to expect from now on. Which ones were. */
  accept(chosen: ChosenLevels, at: number): readonly WatchedLevel[] {
    return [...this.#streams.values()].flatMap((stream) =>
      isMeant(stream.labels, chosen) ? stream.accept(chosen, at) : [],
    );
  }

  scaleTraffic(of: Pick<Watched, 'agent' | 'environment'> & LearnedFrom, at: number): void {
    for (const stream of this.#streams.values()) {
      const { agent, environment } = stream.labels;
      if (agent === of.agent && environment === of.environment) stream.scaleTraffic(of, at);
    }
  }

  /** Takes the place of another, whose judges were others: how far they moved the score is shown from here on. */
  follow(other: Detection, bridgeOf: (labels: Watched) => JudgesBridged | undefined, at: number): void {
    for (const [key, stream] of this.#streams) {
      const before = other.#streams.get(key);
      if (before !== undefined) stream.follow(before, bridgeOf(stream.labels), at);
    }
  }

  readings(): readonly Reading[] {
    return [...this.#streams.values()].flatMap((stream) => stream.readings());
  }

  takeTransitions(): readonly Transition[] {
    return [...this.#streams.values()].flatMap((stream) => stream.takeTransitions());
  }

  takeJudgesChanged(): readonly JudgesChanged[] {
    return [...this.#streams.values()].flatMap((stream) => stream.takeJudgesChanged());
  }

  snapshot(): Json {
    return {
      version: SNAPSHOT_VERSION,
      streams: [...this.#streams.values()].map((stream) => stream.snapshot()),
      unwatched: this.#unwatched,
      forgotten: this.#forgotten,
    };
  }

  /** Throws if the snapshot is of another version or of other bets: start from nothing then. */
  static restore(settings: DetectionSettings, json: Json, budget = new AlarmBudget(settings)): Detection {
    const kept = json as unknown as {
      readonly version: number;
      readonly streams: readonly Json[];
      readonly unwatched: number;
      readonly forgotten: number;
    } | null;
    if (kept?.version !== SNAPSHOT_VERSION)
      throw new Error(`restore detection: version ${kept?.version}, not ${SNAPSHOT_VERSION}`);
    const detection = new Detection(settings, budget);
    for (const state of kept.streams) {
      const stream = AgentStream.restore(settings, state, budget);
      detection.#streams.set(keyOf(stream.labels), stream);
    }
    budget.count(detection, detection.#streams.size);
    detection.#unwatched = kept.unwatched;
    detection.#forgotten = kept.forgotten;
    return detection;
  }

  #streamOf(observed: Observation): AgentStream | undefined {
    const last = this.#last;
    if (last !== undefined && isSame(last.labels, observed)) return last;
    const key = keyOf(observed);
    let stream = this.#streams.get(key);
    if (stream === undefined) {
      if (this.#streams.size >= this.#settings.limits.streams && !this.#makeRoom(observed.at)) return undefined;
      const { suite, agent, environment } = observed;
      stream = new AgentStream({ suite, agent, environment }, this.#settings, this.#budget);
      this.#streams.set(key, stream);
      this.#budget.count(this, this.#streams.size);
    }
    this.#last = stream;
    return stream;
  }

  #makeRoom(at: number): boolean {
    let oldest: string | undefined;
    let since = at - SILENT_MS;
    for (const [key, { lastAt }] of this.#streams)
      if (lastAt <= since) {
        since = lastAt;
        oldest = key;
      }
    if (oldest === undefined) return false;
    this.#streams.delete(oldest);
    this.#last = undefined;
    this.#forgotten += 1;
    return true;
  }
}

function isSame(one: Watched, other: Watched): boolean {
  return one.agent === other.agent && one.suite === other.suite && one.environment === other.environment;
}

function isMeant(labels: Watched, chosen: ChosenLevels): boolean {
  return (
    labels.agent === chosen.agent &&
    labels.suite === chosen.suite &&
    (chosen.environment === undefined || labels.environment === chosen.environment)
  );
}

/** Lengths, so that no name can pass for the end of another. */
function keyOf({ suite, agent, environment }: Watched): string {
  return `${suite.length}:${suite}${agent.length}:${agent}${environment}`;
}
