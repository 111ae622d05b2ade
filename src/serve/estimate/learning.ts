/** Learns predictions each day, elsewhere, and hands them on. Every instance does: they are the same. */
import type { AgentPrediction } from './learned-predictions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LOOK_EVERY_MS = 10 * 60 * 1000;

interface LearningParts {
  readonly learn: () => Promise<readonly AgentPrediction[]>;
  readonly onLearned: (predictions: readonly AgentPrediction[]) => void;
  readonly onProblem: (problem: string) => void;
}

export class Learning {
  readonly #parts: LearningParts;
  readonly #timer: NodeJS.Timeout;
  #learnedOn: number | undefined;
  #learning: Promise<void> | undefined;

  constructor(parts: LearningParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    void this.look();
  }

  /** Never rejects. */
  async look(now: number = Date.now()): Promise<void> {
    const day = Math.floor(now / DAY_MS);
    if (day !== this.#learnedOn)
      this.#learning ??= this.#learn(day).finally(() => {
        this.#learning = undefined;
      });
    await this.#learning;
  }

  /** Must be called before the reading thread is stopped. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#learning;
  }

  async #learn(day: number): Promise<void> {
    const { learn, onLearned, onProblem } = this.#parts;
    try {
      onLearned(await learn());
      this.#learnedOn = day;
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  }
}
