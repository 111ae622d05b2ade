/**
 * Names from spans as small numbers, in the order in which they came. Names beyond the limit share number 0 and are
 * called `other`; each time is counted. A name keeps its number permanently.
 */
import type { Json } from '../../model/json.ts';

const OTHER = 'other';

export class Names {
  readonly #limit: number;
  readonly #numbers = new Map<string, number>();
  #lastName: string | undefined;
  #lastNumber = 0;
  folded = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get all(): readonly string[] {
    return [OTHER, ...this.#numbers.keys()];
  }

  /** How many numbers there are, with that of `other`. */
  get count(): number {
    return this.#numbers.size + 1;
  }

  /** Undefined where it was never met, or is one of those without a number of their own. */
  known(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  numberOf(name: string): number {
    if (name === this.#lastName) return this.#lastNumber;
    let number = this.#numbers.get(name);
    if (number === undefined) {
      if (this.#numbers.size >= this.#limit) {
        this.folded += 1;
        return 0;
      }
      number = this.#numbers.size + 1;
      this.#numbers.set(name, number);
    }
    this.#lastName = name;
    this.#lastNumber = number;
    return number;
  }

  snapshot(): Json {
    return { names: [...this.#numbers.keys()], folded: this.folded };
  }

  restore(json: Json): void {
    const { names, folded } = json as { readonly names: readonly string[]; readonly folded: number };
    for (const name of names) this.#numbers.set(name, this.#numbers.size + 1);
    this.folded = folded;
  }
}
