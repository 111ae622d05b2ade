/**
 * The baseline, as sums that forget: per segment, columns of numbers that fade by 1/e every `memoryMs`. A segment keeps
 * at least its last `KEPT_MIN` conversations, however old, so that a small agent has a baseline too.
 *
 * How much has been learned is counted without fading: conversations, and the time since the first of them.
 *
 * Observations wait in buckets for `gapMs` before they enter the baseline, so that a level is not compared with itself.
 * While something is suspected the owner keeps the buckets waiting; when it turns out to be a regression, the buckets
 * since its onset are thrown away, and the baseline is not poisoned by what it should show. Buckets that wait long are
 * joined, so that there are never more than `BUCKETS_MAX`.
 *
 * Columns are the owner's, except the first two: 0 counts observations, 1 the squares of their fading weights, so that
 * count² / squares is the number of unfaded observations that would say as much.
 */
import type { Json } from '../../model/json.ts';

export interface BaselineSettings {
  readonly memoryMs: number;
  readonly gapMs: number;
  readonly bucketMs: number;
}

interface Bucket {
  readonly from: number;
  to: number;
  readonly cells: Cells;
}

const BUCKETS_MAX = 24;
/** Conversations of a segment that do not fade: more than what a segment must have to be compared (expectations.ts). */
const KEPT_MIN = 50;
/** Standard errors of the baseline that are let pass at most. */
const DOUBT_MAX = 2;
/** A sum that fades over `memoryMs` cannot tell longer times apart. */
const MEMORIES_MAX = 10;

export class TrailingBaseline {
  readonly #settings: BaselineSettings;
  readonly #columns: number;
  #cells: Cells = [];
  #waiting: Bucket[] = [];
  #current: Bucket | undefined;
  /** Until when the sums have faded. */
  #fadedTo = 0;
  /** Time and conversations, both fading: their ratio is the traffic. */
  #covered = 0;
  #arrived = 0;
  /** Conversations that have become usual, not fading. */
  #seen = 0;
  /** Time of the first conversation; undefined before. */
  #beganAt: number | undefined;

  constructor(settings: BaselineSettings, columns: number) {
    this.#settings = settings;
    this.#columns = columns;
  }

  /** Conversations that have become usual. */
  get conversations(): number {
    return this.#seen;
  }

  /** Time from the first conversation to `time`. */
  historyMs(time: number): number {
    return this.#beganAt === undefined ? 0 : Math.max(0, time - this.#beganAt);
  }

  /** Traffic of late. */
  get conversationsPerMs(): number {
    return this.#covered > 0 ? this.#arrived / this.#covered : 0;
  }

  /** Scales counts of learned history, of which one in this many was read. */
  scaleTraffic(times: number): void {
    this.#arrived *= times;
  }

  /**
   * Standard errors to let pass, from those of a baseline that has all conversations. Evidence grows faster against the
   * error of a baseline that has few of many.
   */
  doubt(errors: number): number {
    const usual = this.#cells.reduce((sum, cell) => sum + (cell?.[0] ?? 0), 0);
    const oneIn = usual > 0 ? Math.max(1, this.#arrived / usual) : 1;
    return Math.max(errors, Math.min(DOUBT_MAX, errors * Math.sqrt(oneIn)));
  }

  /** The sums of the bucket that `at` falls in, to add to. */
  cell(segment: number, at: number, columns: number = this.#columns): Float64Array {
    const bucket = this.#current !== undefined && at < this.#current.to ? this.#current : this.#open(at);
    return cellOf(bucket.cells, segment, columns);
  }

  /** The sums that count as usual. */
  get usual(): Readonly<Cells> {
    return this.#cells;
  }

  /** Observations that wait: those of the last `gapMs`, or more while it is held. */
  recent(): Cells {
    const sums: Cells = [];
    for (const bucket of this.#waiting) addCells(sums, bucket.cells, this.#columns);
    return sums;
  }

  /** Lets buckets that are older than the gap become usual. True where something did. */
  ripen(time: number): boolean {
    let changed = false;
    while (this.#waiting.length > 0) {
      const bucket = this.#waiting[0] as Bucket;
      if (bucket.to + this.#settings.gapMs > time) break;
      this.#absorb(bucket);
      this.#waiting.shift();
      if (bucket === this.#current) this.#current = undefined;
      changed = true;
    }
    return changed;
  }

  /** A regression began at `onset`: what waits from before becomes usual, what waits from then on is not. */
  cut(onset: number): void {
    for (const bucket of this.#waiting) if (bucket.to <= onset) this.#absorb(bucket);
    this.#waiting = [];
    this.#current = undefined;
  }

  /** Drops observations from before `onset`, which are neither usual nor part of the regression. */
  drop(onset: number): void {
    this.#waiting = this.#waiting.filter((bucket) => bucket.to > onset);
    if (this.#current !== undefined && !this.#waiting.includes(this.#current)) this.#current = undefined;
  }

  /** The level since the regression is accepted: it alone is what is usual. */
  adopt(): void {
    this.#cells = [];
    this.#covered = 0;
    this.#arrived = 0;
    this.#seen = 0;
    this.#beganAt = this.#waiting[0]?.from;
    for (const bucket of this.#waiting) this.#absorb(bucket);
    this.#waiting = [];
    this.#current = undefined;
  }

  snapshot(): Json {
    return {
      cells: cellsToJson(this.#cells),
      waiting: this.#waiting.map(({ from, to, cells }) => [from, to, cellsToJson(cells)]),
      current: this.#current === undefined ? -1 : this.#waiting.indexOf(this.#current),
      faded: this.#fadedTo,
      covered: this.#covered,
      learned: [this.#arrived, this.#seen, this.#beganAt ?? null],
    };
  }

  restore(kept: Json): void {
    // The cast holds for what `snapshot` gave; Detection looks at its version.
    const { cells, waiting, current, faded, covered, learned } = kept as {
      readonly cells: Json;
      readonly waiting: readonly (readonly [number, number, Json])[];
      readonly current: number;
      readonly faded: number;
      readonly covered: number;
      /** Absent in a state of 0.1.0. */
      readonly learned?: readonly [arrived: number, seen: number, beganAt: number | null];
    };
    this.#cells = cellsFromJson(cells);
    this.#waiting = waiting.map(([from, to, bucket]) => ({ from, to, cells: cellsFromJson(bucket) }));
    this.#current = this.#waiting[current];
    this.#fadedTo = faded;
    this.#covered = covered;
    const [arrived, seen, beganAt] = learned ?? this.#learnedBefore();
    this.#arrived = arrived;
    this.#seen = seen;
    this.#beganAt = beganAt ?? undefined;
  }

  /**
   * Reconstructs what 0.1.0 did not count from its fading sums: covered = most × (1 − exp(−history / memory)), where most
   * is what a sum of buckets that fade comes to.
   */
  #learnedBefore(): readonly [arrived: number, seen: number, beganAt: number | null] {
    const arrived = this.#cells.reduce((sum, cell) => sum + (cell?.[0] ?? 0), 0);
    const { memoryMs, bucketMs } = this.#settings;
    const most = bucketMs / -Math.expm1(-bucketMs / memoryMs);
    if (!(this.#covered > 0)) return [arrived, arrived, this.#waiting[0]?.from ?? null];
    const history = memoryMs * Math.min(MEMORIES_MAX, -Math.log(Math.max(0, 1 - this.#covered / most)));
    return [arrived, arrived * (history / this.#covered), this.#fadedTo - history];
  }

  #open(at: number): Bucket {
    const { bucketMs } = this.#settings;
    const from = Math.floor(at / bucketMs) * bucketMs;
    if (this.#waiting.length >= BUCKETS_MAX) this.#join();
    this.#beganAt ??= at;
    const bucket: Bucket = { from, to: from + bucketMs, cells: [] };
    this.#waiting.push(bucket);
    this.#current = bucket;
    return bucket;
  }

  /** The two neighbours that together are shortest become one. */
  #join(): void {
    let shortest = 0;
    let span = Number.POSITIVE_INFINITY;
    for (let index = 0; index + 1 < this.#waiting.length; index += 1) {
      const joined = (this.#waiting[index + 1] as Bucket).to - (this.#waiting[index] as Bucket).from;
      if (joined < span) {
        span = joined;
        shortest = index;
      }
    }
    const first = this.#waiting[shortest] as Bucket;
    const second = this.#waiting[shortest + 1] as Bucket;
    addCells(first.cells, second.cells, this.#columns);
    first.to = second.to;
    if (second === this.#current) this.#current = first;
    this.#waiting.splice(shortest + 1, 1);
  }

  #absorb(bucket: Bucket): void {
    if (this.#fadedTo === 0) this.#fadedTo = bucket.from;
    this.#fadeTo(bucket.to);
    addCells(this.#cells, bucket.cells, this.#columns);
    const count = bucket.cells.reduce((sum, cell) => sum + (cell?.[0] ?? 0), 0);
    this.#arrived += count;
    this.#seen += count;
  }

  #fadeTo(time: number): void {
    if (time <= this.#fadedTo) return;
    const passed = time - this.#fadedTo;
    const rest = Math.exp(-passed / this.#settings.memoryMs);
    this.#fadedTo = time;
    this.#covered = this.#covered * rest + passed;
    this.#arrived *= rest;
    for (const cell of this.#cells) {
      if (cell === undefined) continue;
      const kept = Math.min(1, Math.max(rest, KEPT_MIN / (cell[0] as number)));
      for (let column = 0; column < cell.length; column += 1) cell[column] = (cell[column] as number) * kept;
      cell[1] = (cell[1] as number) * kept;
    }
  }
}

export type Cells = (Float64Array | undefined)[];

export function cellsToJson(cells: Readonly<Cells>): Json {
  return cells.map((cell) => (cell === undefined ? null : [...cell]));
}

export function cellsFromJson(kept: Json): Cells {
  return (kept as readonly (readonly number[] | null)[]).map((cell) =>
    cell === null ? undefined : Float64Array.from(cell),
  );
}

export function cellOf(cells: Cells, segment: number, columns: number): Float64Array {
  const known = cells[segment];
  if (known !== undefined && known.length >= columns) return known;
  const cell = new Float64Array(columns);
  if (known !== undefined) cell.set(known);
  while (cells.length < segment) cells.push(undefined);
  cells[segment] = cell;
  return cell;
}

export function addCells(into: Cells, from: Readonly<Cells>, columns: number): void {
  for (let segment = 0; segment < from.length; segment += 1) {
    const source = from[segment];
    if (source === undefined) continue;
    const target = cellOf(into, segment, Math.max(columns, source.length));
    for (let column = 0; column < source.length; column += 1)
      target[column] = (target[column] as number) + (source[column] as number);
  }
}
