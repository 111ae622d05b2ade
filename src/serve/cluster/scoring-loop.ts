/**
 * Scores what is due by the cluster's time: takes conversations, runs the engine over their arrivals, and commits; first those that this instance
 * filed, and when there are none of them, those of any instance. So a dead instance's work is done by the others, and an idle one helps.
 */
import type { Engine } from '../../engine/engine.ts';
import type { EngineEvent } from '../../model/events/scoring-events.ts';
import type { ClusterStore, DueWork } from '../../store/cluster-store.ts';
import type { ScoringParts } from '../scoring/scoring-side.ts';

interface ScoringLoopParts extends Pick<ScoringParts, 'makeEngine' | 'post'> {
  readonly store: Pick<ClusterStore, 'engineStore' | 'scoring' | 'time'>;
}

const CONVERSATIONS_MAX = 256;
const BYTES_MAX = 32 << 20;
const MOVE_TIME_EVERY_MS = 500;
/** Work of others is looked at only so often, because the instance that filed it is most often about to score it. */
const HELP_EVERY_MS = 1000;

export class ScoringLoop {
  readonly #parts: ScoringLoopParts;
  #engine: Engine;
  #events: EngineEvent[] = [];
  #timeMovedAt = Number.NEGATIVE_INFINITY;
  #helpedAt = Number.NEGATIVE_INFINITY;
  #scoredTo: number | undefined;

  constructor(parts: ScoringLoopParts) {
    this.#parts = parts;
    this.#engine = this.#makeEngine();
  }

  /** The cluster's time when it was moved last. */
  get scoredTo(): number | undefined {
    return this.#scoredTo;
  }

  /**
   * Scores a transaction's worth. False if there was nothing to do. Rejects if the store failed; then nothing was done.
   */
  async scoreNext(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#timeMovedAt >= MOVE_TIME_EVERY_MS) {
      const time = await this.#parts.store.time.move();
      this.#timeMovedAt = now;
      this.#scoredTo = time;
      if (time !== undefined) this.#parts.post({ type: 'scored-to', time });
    }
    if (await this.#score('own')) return true;
    if (now - this.#helpedAt < HELP_EVERY_MS) return false;
    const helped = await this.#score('any');
    // Helps again at once while there is something to help with.
    if (!helped) this.#helpedAt = now;
    return helped;
  }

  async #score(whose: 'own' | 'any'): Promise<boolean> {
    const startedAt = performance.now();
    this.#events = [];
    try {
      const limits = { whose, conversationsMax: CONVERSATIONS_MAX, bytesMax: BYTES_MAX };
      const scored = await this.#parts.store.scoring.scoreDue(limits, (set) => this.#run(set));
      const { conversations, arrivals, totals, reused } = scored;
      if (conversations === 0) return false;
      const { post } = this.#parts;
      const tookMs = performance.now() - startedAt;
      post({ type: 'totals', totals });
      post({
        type: 'events',
        events: [
          ...this.#events,
          ...reused.map((judge) => ({ type: 'answer-reused', judge }) as const),
          { type: 'conversations-scored', conversations, arrivals, tookMs },
        ],
      });
      return true;
    } catch (error) {
      // A new engine, because the label guard may remember labels that were rolled back.
      this.#engine = this.#makeEngine();
      throw error;
    }
  }

  #run(set: DueWork): void {
    for (const arrival of set.arrivals) this.#engine.arrive({ ...arrival, position: 0, rows: arrival.spans });
    this.#engine.advance(set.time);
  }

  #makeEngine(): Engine {
    return this.#parts.makeEngine(this.#parts.store.engineStore, (event) => this.#events.push(event));
  }
}
