/** What keeps each kind of work from going on. Said when the first comes and when the last is over, not in between. */
export class Problems {
  readonly #say: (problem: string | undefined) => void;
  readonly #problems = new Map<string, string>();

  /** Undefined: all of it goes on. */
  constructor(say: (problem: string | undefined) => void) {
    this.#say = say;
  }

  /** Undefined: it is over. */
  changed(work: string, error: unknown): void {
    if (error === undefined) this.over(work);
    else this.said(work, error);
  }

  /** Whoever says so says `over` some day, also where the work is given up: an instance with a problem leaves its lanes to others. */
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
