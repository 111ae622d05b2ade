/**
 * Conversations that are kept to say which part of the traffic explains a fall (causes.ts): up to two thousand of the last
 * two weeks, spread evenly, and the last thousand. Each has its time, how bad it was and up to ten segments.
 */
import type { Json } from '../../model/json.ts';
import { isErrorPart } from './error-part.ts';
import { type Cause, causesOf, type Sampled } from './causes.ts';
import { Names } from './names.ts';
import { fromBase64, toBase64 } from './packed.ts';
import { DAY_MS } from './settings.ts';

const SPREAD = 2000;
const LATEST = 1000;
const SEGMENTS = 10;
/** Numbers fit a byte. */
const NAMES_MAX = 250;
const SPAN_MS = 14 * DAY_MS;
const BAD_UNIT = 255;

/** Rows of a fixed number, the oldest replaced first. */
class Rows {
  readonly size: number;
  readonly times: Uint32Array;
  readonly bads: Uint8Array;
  readonly segments: Uint8Array;
  count = 0;
  next = 0;

  constructor(size: number) {
    this.size = size;
    this.times = new Uint32Array(size);
    this.bads = new Uint8Array(size);
    this.segments = new Uint8Array(size * SEGMENTS);
  }

  put(seconds: number, bad: number, numbers: readonly number[]): void {
    this.times[this.next] = seconds;
    this.bads[this.next] = bad;
    for (let place = 0; place < SEGMENTS; place += 1) this.segments[this.next * SEGMENTS + place] = numbers[place] ?? 0;
    this.next = (this.next + 1) % this.size;
    this.count = Math.min(this.size, this.count + 1);
  }

  get oldest(): number {
    return this.times[this.count < this.size ? 0 : this.next] as number;
  }

  /** Every second row, in order. */
  thin(): void {
    const kept = this.ordered().filter((_, place) => place % 2 === 1);
    const rows = kept.map((row) => [this.times[row] as number, this.bads[row] as number, this.numbersOf(row)] as const);
    this.count = 0;
    this.next = 0;
    for (const [seconds, bad, numbers] of rows) this.put(seconds, bad, numbers);
  }

  *between(from: number, to: number): Iterable<Sampled> {
    for (const row of this.ordered()) {
      const seconds = this.times[row] as number;
      if (seconds >= from && seconds < to)
        yield { bad: (this.bads[row] as number) / BAD_UNIT, segments: this.numbersOf(row) };
    }
  }

  ordered(): number[] {
    const first = this.count < this.size ? 0 : this.next;
    return Array.from({ length: this.count }, (_, place) => (first + place) % this.size);
  }

  numbersOf(row: number): number[] {
    const numbers = this.segments.subarray(row * SEGMENTS, (row + 1) * SEGMENTS);
    return Array.from(numbers).filter((number) => number > 0);
  }

  snapshot(): Json {
    const [times, bads] = [this.times.subarray(0, this.count), this.bads.subarray(0, this.count)];
    const segments = this.segments.subarray(0, this.count * SEGMENTS);
    return [this.count, this.next, toBase64(times), toBase64(bads), toBase64(segments)];
  }

  restore(json: Json): void {
    const [count, next, times, bads, segments] = json as readonly [number, number, string, string, string];
    const size = Buffer.from(times, 'base64').length / Uint32Array.BYTES_PER_ELEMENT;
    // Fewer rows than fit, or those of 0.1.0, which kept fewer.
    const kept = size === this.size ? this : new Rows(size);
    kept.count = count;
    kept.next = next;
    fromBase64(times, kept.times);
    fromBase64(bads, kept.bads);
    fromBase64(segments, kept.segments);
    if (kept === this) return;
    for (const row of kept.ordered())
      this.put(kept.times[row] as number, kept.bads[row] as number, kept.numbersOf(row));
  }
}

/** A cause, in the names of its segments. */
export interface NamedCause extends Omit<Cause, 'segments'> {
  readonly segments: readonly string[];
}

export class FallSample {
  readonly #names = new Names(NAMES_MAX);
  readonly #spread = new Rows(SPREAD);
  readonly #latest = new Rows(LATEST);
  /** One of so many conversations is spread over the weeks. */
  #every = 1;
  #counter = 0;

  add(at: number, bad: number, segments: readonly string[]): void {
    const seconds = Math.floor(at / 1000);
    const numbers: number[] = [];
    for (const name of segments) {
      if (isErrorPart(name)) continue;
      const number = this.#names.numberOf(name);
      if (number > 0 && numbers.length < SEGMENTS && !numbers.includes(number)) numbers.push(number);
    }
    const unit = Math.round(Math.min(1, Math.max(0, bad)) * BAD_UNIT);
    this.#latest.put(seconds, unit, numbers);
    this.#counter += 1;
    if (this.#counter < this.#every) return;
    this.#counter = 0;
    if (this.#spread.count === SPREAD && seconds - this.#spread.oldest < SPAN_MS / 1000) {
      this.#spread.thin();
      this.#every *= 2;
    }
    this.#spread.put(seconds, unit, numbers);
  }

  /** Which parts of the traffic explain that it is worse since `onset`. */
  causes(onset: number, found?: string): readonly NamedCause[] {
    const from = Math.floor(onset / 1000);
    // The latest ones before the onset may have fallen already, and would count more than their share of the weeks.
    const before = [...this.#spread.between(0, from)];
    const latest = [...this.#latest.between(from, Number.POSITIVE_INFINITY)];
    const names = this.#names.all;
    const number = found === undefined ? undefined : this.#names.known(found);
    const traitOf = (segment: number) => names[segment]?.split(':', 1)[0] ?? '';
    return causesOf(before, latest, { found: number, traitOf }).map((cause) => ({
      ...cause,
      segments: cause.segments.map((number) => names[number] ?? ''),
    }));
  }

  snapshot(): Json {
    return [this.#names.snapshot(), this.#spread.snapshot(), this.#latest.snapshot(), this.#every, this.#counter];
  }

  restore(json: Json): void {
    const [names, spread, latest, every, counter] = json as readonly [Json, Json, Json, number, number];
    this.#names.restore(names);
    this.#spread.restore(spread);
    this.#latest.restore(latest);
    this.#every = every;
    this.#counter = counter;
  }
}
