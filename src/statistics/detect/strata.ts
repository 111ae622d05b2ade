/**
 * Kinds of requests that are compared with their own past: the configured segment, and the language and the intent that
 * spans name. A version that gets harder requests is not worse.
 *
 * Only what the request brings counts. The model, the prompt, the tools and the errors are the agent's doing, and must not
 * excuse it.
 *
 * A kind is numbered when it first comes. Beyond the limit a conversation counts to its segment alone.
 */
import type { Json } from '../../model/json.ts';
import { Names } from './names.ts';

const OF_REQUEST = ['language: ', 'intent: '];

export class Strata {
  readonly #names: Names;
  /** By number: the values that its conversations have in common. */
  readonly #values: (readonly number[])[] = [[]];
  readonly #known = new Map<string, number>();

  constructor(limit: number) {
    this.#names = new Names(limit);
  }

  get areSeveral(): boolean {
    return this.#names.count > 2;
  }

  numberOf(segment: string, traits: readonly string[]): number {
    const ofRequest = traits.filter((trait) => OF_REQUEST.some((prefix) => trait.startsWith(prefix)));
    if (ofRequest.length === 0) return this.#number(segment, [segment]);
    const number = this.#number(JSON.stringify([segment, ...ofRequest]), [segment, ...ofRequest]);
    return number === 0 ? this.#number(segment, [segment]) : number;
  }

  valuesOf(number: number): readonly number[] {
    return this.#values[number] ?? [];
  }

  snapshot(): Json {
    return [this.#names.snapshot(), this.#values.map((values) => [...values]), [...this.#known.keys()]];
  }

  /** From its own snapshot, or from the names of segments that 0.1.0 kept. */
  restore(json: Json, segments: Names): void {
    if (json === undefined || json === null) {
      for (const segment of segments.all.slice(1)) this.#number(segment, [segment]);
      return;
    }
    const [names, values, known] = json as unknown as readonly [
      Json,
      readonly (readonly number[])[],
      readonly string[],
    ];
    this.#names.restore(names);
    this.#values.splice(0, this.#values.length, ...values);
    for (const name of known) this.#known.set(name, this.#known.size + 1);
  }

  #number(key: string, names: readonly string[]): number {
    const number = this.#names.numberOf(key);
    if (number === this.#values.length) this.#values.push(names.map((name, place) => this.#value(name, place)));
    return number;
  }

  #value(name: string, place: number): number {
    const key = place === 0 ? `segment: ${name}` : name;
    const known = this.#known.get(key) ?? this.#known.size + 1;
    this.#known.set(key, known);
    return known;
  }
}
