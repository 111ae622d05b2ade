/**
 * Learning from stored conversations: a suite that has become another one (version, judges, segments) is scored over
 * the conversations of the past, so that detection watches it within minutes.
 *
 *   begun     the running suite is not the one that was learned. A detection of its own, with a budget of its own, is
 *             fed from the store; live observations go on to the detection in use, and are kept here as well
 *   reading   a part comes: its observations, and the row they end with, become state in one transaction
 *                 a crash before: the part is asked for again, from the row in the state    after: it goes on behind it
 *                 a part that does not begin at the row in the state is left out            so none counts twice
 *   learned   the last part has come: the kept live observations follow, and the detection takes the other's place
 *   given up  the store or the suite could not be read: the detection in use goes on, and learns from live traffic
 *
 * History and live traffic are told apart by log time: conversations that were scored before the learning began, and
 * those since. Nothing of it reaches the counters or the stored evaluations.
 */
import { Detection } from '../../statistics/detect/detection.ts';
import type { DetectionSettings } from '../../statistics/detect/settings.ts';
import type {
  HistoryPart,
  HistoryWanted,
  JudgesBridge,
  RunningSuite,
  StoredTraffic,
} from '../../model/history-learning.ts';
import type { Json } from '../../model/json.ts';
import { observedEvaluation } from './observations.ts';

/** Live observations that are kept until it has learned; the oldest of more are left out. */
const LIVE_MAX = 10_000;
const HOUR_MS = 3_600_000;

type KeptObservation = readonly [at: number, payload: string];

export class Learning {
  readonly #detection: Detection;
  #wanted: HistoryWanted;
  readonly #live: KeptObservation[];
  readonly #bridges: Map<string, JudgesBridge>;
  #observed: number;
  #hour = 0;

  private constructor(kept: Kept, detection: Detection) {
    this.#detection = detection;
    this.#wanted = kept.wanted;
    this.#live = [...kept.live];
    this.#bridges = new Map(kept.bridges.map((bridge) => [keyOf(bridge), bridge]));
    this.#observed = kept.observed;
  }

  /** `until`: everything that was scored before is history. The baseline leaves out its youngest part, so more is read. */
  static begin(settings: DetectionSettings, running: RunningSuite, until: number): Learning {
    const { learn, baseline } = settings.watch;
    const since = until - learn.historyMs - baseline.gapMs - baseline.bucketMs;
    const begun = { since, until, after: 0, done: 0, of: 0, stage: 'counting', isSampled: false } as const;
    const wanted: HistoryWanted = { ...running, ...begun };
    return new Learning({ wanted, live: [], bridges: [], observed: 0 }, new Detection(settings));
  }

  /** Throws if the state cannot be read. */
  static restore(settings: DetectionSettings, json: Json): Learning {
    // The cast holds for what `snapshot` gave.
    const { detection, ...kept } = json as unknown as Kept & { readonly detection: Json };
    return new Learning(kept, Detection.restore(settings, detection));
  }

  snapshot(): Json {
    const kept: Kept = {
      wanted: this.#wanted,
      live: this.#live,
      bridges: [...this.#bridges.values()],
      observed: this.#observed,
    };
    // The cast holds because all of it is plain data without functions.
    return { ...(kept as unknown as { readonly [key: string]: Json }), detection: this.#detection.snapshot() };
  }

  get wanted(): HistoryWanted {
    return this.#wanted;
  }

  /** Conversations of the past that it has learned from. */
  get observed(): number {
    return this.#observed;
  }

  /** Judges answered for the sample; empty if the judges are the same, or the suite is another one. */
  get bridges(): readonly JudgesBridge[] {
    return [...this.#bridges.values()];
  }

  isOf({ key }: RunningSuite): boolean {
    return this.#wanted.key === key;
  }

  /** A live observation of the suite as it runs now. */
  hold(at: number, payload: string): void {
    if (at < this.#wanted.until) return;
    this.#live.push([at, payload]);
    if (this.#live.length > LIVE_MAX) this.#live.shift();
  }

  /** False for a part that is not the next one. Throws where an observation is not one. */
  take(part: HistoryPart): boolean {
    const { key, after, cursor, done, of, stage, isSampled } = part;
    if (key !== this.#wanted.key || after !== this.#wanted.after) return false;
    for (const [at, payload] of part.observed) this.#observe(at, payload);
    this.#observed += part.observed.length;
    for (const bridge of part.bridges)
      this.#bridges.set(keyOf(bridge), sumOf(this.#bridges.get(keyOf(bridge)), bridge));
    this.#wanted = { ...this.#wanted, after: cursor, done, of, stage, isSampled };
    return true;
  }

  /** The detection as it has learned: live observations follow until now. Nothing is taken from it afterwards. */
  finish(traffic: readonly StoredTraffic[]): Detection {
    const detection = this.#detection;
    detection.advance(this.#wanted.until);
    for (const stream of traffic) detection.scaleTraffic(stream, this.#wanted.until);
    for (const [at, payload] of this.#live) detection.observe({ ...observedEvaluation({ payload }), at });
    return detection;
  }

  #observe(at: number, payload: string): void {
    const hour = Math.floor(at / HOUR_MS);
    if (hour !== this.#hour) this.#detection.advance(at);
    this.#hour = hour;
    const observed = observedEvaluation({ payload });
    this.#detection.observe({ ...observed, at });
  }
}

interface Kept {
  readonly wanted: HistoryWanted;
  readonly live: readonly KeptObservation[];
  readonly bridges: readonly JudgesBridge[];
  readonly observed: number;
}

function keyOf({ agent, environment }: Pick<JudgesBridge, 'agent' | 'environment'>): string {
  return JSON.stringify([agent, environment]);
}

function sumOf(known: JudgesBridge | undefined, more: JudgesBridge): JudgesBridge {
  if (known === undefined) return more;
  return {
    ...more,
    conversations: known.conversations + more.conversations,
    before: known.before + more.before,
    after: known.after + more.after,
  };
}
