/**
 * Judges what is due by the cluster's time: takes conversations, runs the engine over what has arrived for them, and commits; first
 * those that this instance filed, and when there are none of them, anybody's. So a dead instance's work is done by the others,
 * and an idle one helps.
 */
import type { EngineEvent } from '../../model/events/scoring-events.ts';
import type { Judges } from '../../score/judge/judges.ts';
import type { CompiledSuite } from '../../score/suite.ts';
import type { ClusterStore, Judged, WorkingSet } from '../../store/cluster-store.ts';
import type { CheckWatch } from '../../engine/check-watch.ts';
import { Engine, type EngineSettings } from '../../engine/engine.ts';
import type { WrittenTruth } from '../../engine/truths.ts';

export interface JudgeParts {
  readonly store: Pick<ClusterStore, 'engineStore' | 'scoring' | 'time'>;
  readonly settings: EngineSettings;
  readonly suites: readonly CompiledSuite[];
  readonly truth: WrittenTruth | undefined;
  /** What is configured under the name of a judge. */
  readonly judge: Judges['settings'];
  readonly watch: CheckWatch;
  readonly onJudged: (judged: Judged & { readonly events: readonly EngineEvent[]; readonly tookMs: number }) => void;
  readonly onTime: (time: number) => void;
}

const CONVERSATIONS_MAX = 256;
const BYTES_MAX = 32 << 20;
const MOVE_TIME_EVERY_MS = 500;
/** Others' work is looked at only so often: whoever filed it is most often about to judge it. */
const HELP_EVERY_MS = 1000;

export class Judge {
  readonly #parts: JudgeParts;
  #engine: Engine;
  #events: EngineEvent[] = [];
  #timeMovedAt = Number.NEGATIVE_INFINITY;
  #helpedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    this.#engine = this.#makeEngine();
  }

  /** One transaction's worth. False where there was nothing to do. Rejects where the store failed; then nothing was done. */
  async judgeNext(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#timeMovedAt >= MOVE_TIME_EVERY_MS) {
      const time = await this.#parts.store.time.move();
      this.#timeMovedAt = now;
      if (time !== undefined) this.#parts.onTime(time);
    }
    if (await this.#judge('own')) return true;
    if (now - this.#helpedAt < HELP_EVERY_MS) return false;
    const helped = await this.#judge('any');
    // As long as there is something to help with, it goes on.
    if (!helped) this.#helpedAt = now;
    return helped;
  }

  async #judge(whose: 'own' | 'any'): Promise<boolean> {
    const startedAt = performance.now();
    this.#events = [];
    try {
      const limits = { whose, conversationsMax: CONVERSATIONS_MAX, bytesMax: BYTES_MAX };
      const judged = await this.#parts.store.scoring.scoreDue(limits, (set) => this.#run(set));
      if (judged.conversations === 0) return false;
      this.#parts.onJudged({ ...judged, events: this.#events, tookMs: performance.now() - startedAt });
      return true;
    } catch (error) {
      // Its label guard may remember what was undone.
      this.#engine = this.#makeEngine();
      throw error;
    }
  }

  #run(set: WorkingSet): void {
    for (const arrival of set.arrivals) this.#engine.arrive(arrival);
    this.#engine.advance(set.time);
  }

  #makeEngine(): Engine {
    const { settings, suites, truth, judge, store, watch } = this.#parts;
    return new Engine({
      settings,
      suites,
      truth,
      judge,
      store: store.engineStore,
      read: () => {
        throw new Error('what is judged has been filed with its bytes: there is no log to read');
      },
      watch,
      onEvent: (event) => this.#events.push(event),
    });
  }
}
