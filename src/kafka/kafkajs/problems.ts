/** Current problems, by subject; reported when they change. */
export class ClientProblems {
  readonly #found = new Map<string, string>();
  readonly #tell: (problem: string | undefined) => void;
  #told: string | undefined;

  constructor(tell: (problem: string | undefined) => void) {
    this.#tell = tell;
  }

  set(about: string, problem: string): void {
    this.#found.set(about, problem);
    this.#tellChange();
  }

  clear(about: string): void {
    if (this.#found.delete(about)) this.#tellChange();
  }

  #tellChange(): void {
    const problem = [...new Set(this.#found.values())].join('; ') || undefined;
    if (problem === this.#told) return;
    this.#told = problem;
    this.#tell(problem);
  }
}
