/** Problems of several kinds of work as one: reported when the first begins and when the last is over, not in between. */
import type { Troubles } from '../scoring/scoring-side.ts';

export class ProblemLatch implements Troubles {
  readonly #say: (problem: string | undefined) => void;
  readonly #problems = new Map<string, string>();

  /** `say` gets undefined when all work goes on. */
  constructor(say: (problem: string | undefined) => void) {
    this.#say = say;
  }

  /** Must be followed by `over`, also if the work is given up: an instance with a problem leaves its lanes to others. */
  said(work: string, error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    const isNew = this.#problems.size === 0;
    this.#problems.set(work, problem);
    if (isNew) this.#say(problem);
  }

  over(work: string): void {
    if (this.#problems.delete(work) && this.#problems.size === 0) this.#say(undefined);
  }
}
