/**
 * Parts of an agent's traffic, each watched by itself: one customer, one language, one tool for which everything breaks
 * is the usual incident, and 2 % of the traffic do not move the score of all.
 *
 * A segment is what is configured (`metrics.segment`), or a value of what the spans say anyway: tool, model, prompt,
 * language, type of error, intent. The most frequent ones are watched; a value that nearly all conversations have says
 * nothing that the whole does not. Segments are tested together (step-up.ts), and not at all while the whole is in
 * doubt: then all of them look bad, and causes.ts says which one explains it.
 *
 * A conversation of a segment that has fallen says nothing of its other segments: there it counts as it usually would.
 * A suspected segment whose fall is that of another one is dismissed, so that one fall is one alarm.
 *
 * A segment is given the calendar and the users of the whole, of which it sees too little.
 */
import { CLEAR_FROM } from '../../model/detection.ts';
import type { Json } from '../../model/json.ts';
import { isErrorPart } from './error-part.ts';
import type { NamedCause } from './fall-sample.ts';
import { LevelWatch } from './level-watch.ts';
import type { WatchOptions } from './watch-options.ts';
import type { Change, WatchReading } from './watch-reading.ts';
import type { DetectionSettings } from './settings.ts';
import { DAY_MS } from './settings.ts';
import { stepUp } from './step-up.ts';
import type { Foreseen } from './usual-pattern.ts';

const COUNTED_MAX = 400;
const MEMORY_MS = 14 * DAY_MS;
/** Conversations within the memory. */
const WATCHED_FROM = 10;
const SHARE_MAX = 0.8;
/** How much more frequent than the rarest one a newcomer must be to take its place. */
const TAKES_PLACE = 2;

interface Counted {
  count: number;
  last: number;
  watch: LevelWatch | undefined;
}

interface Whole {
  readonly bad: number;
  readonly at: number;
  readonly foreseen: Foreseen;
  /** The score of all is suspected or has regressed. */
  readonly isDoubted: boolean;
  readonly causesOf: (onset: number, segment: string) => readonly NamedCause[];
}

export class SegmentWatches {
  readonly #settings: DetectionSettings;
  readonly #options: WatchOptions;
  readonly #counted = new Map<string, Counted>();
  #watched = 0;
  #all = 0;
  #last = 0;

  constructor(settings: DetectionSettings, budget: WatchOptions['budget'], hasUsers: () => boolean) {
    this.#settings = settings;
    this.#options = { together: true, isPart: true, hasUsers, ...(budget === undefined ? {} : { budget }) };
  }

  observe(segments: readonly string[], { bad, at, foreseen, isDoubted, causesOf }: Whole): void {
    this.#all = faded(this.#all, at - this.#last) + 1;
    this.#last = at;
    let isFound = false;
    const usual = this.#usualOfFallen(segments);
    for (const name of segments) {
      const watch = this.#count(name, at);
      if (watch === undefined) continue;
      const isOwn = usual === undefined || watch.phase === 'regressed';
      watch.observe(1, isOwn ? bad : Math.min(usual, watch.usualBad ?? usual), 1, at, foreseen);
      if (watch.phase === 'suspected' && watch.standing >= 1) isFound = true;
    }
    if (isFound && !isDoubted) this.#confirm(at, causesOf);
  }

  advance(time: number): void {
    for (const { watch } of this.#counted.values()) watch?.advance(time);
  }

  /** The whole is back: evidence from the time of its fall is none of a part. */
  dismiss(at: number): void {
    for (const [, watch] of this.watches()) if (watch.phase === 'suspected') watch.dismiss(at);
  }

  /** Readings of segments that are in doubt. */
  *readings(): Iterable<readonly [segment: string, reading: WatchReading]> {
    for (const [name, { watch }] of this.#counted)
      if (watch !== undefined && IN_DOUBT.has(watch.phase)) yield [name, watch.reading()];
  }

  *watches(): Iterable<readonly [segment: string, watch: LevelWatch]> {
    for (const [name, { watch }] of this.#counted) if (watch !== undefined) yield [name, watch];
  }

  *takeChanges(): Iterable<readonly [segment: string, change: Change, reading: WatchReading]> {
    for (const [name, watch] of this.watches())
      for (const change of watch.takeChanges()) if (isTold(change)) yield [name, change, watch.reading()];
  }

  snapshot(): Json {
    return [
      this.#all,
      this.#last,
      [...this.#counted].map(([name, { count, last, watch }]) => [name, count, last, watch?.snapshot() ?? null]),
    ];
  }

  restore(json: Json): void {
    const [all, last, counted] = json as readonly [
      number,
      number,
      readonly (readonly [string, number, number, Json])[],
    ];
    this.#all = all;
    this.#last = last;
    for (const [name, count, seen, state] of counted) {
      const one: Counted = { count, last: seen, watch: undefined };
      if (state !== null) {
        one.watch = this.#begin();
        one.watch.restore(state);
      }
      this.#counted.set(name, one);
    }
  }

  /** The watch over this segment, if there is one. */
  #count(name: string, at: number): LevelWatch | undefined {
    let one = this.#counted.get(name);
    if (one === undefined) {
      if (this.#counted.size >= COUNTED_MAX && !this.#forgetRarest(at)) return undefined;
      one = { count: 0, last: at, watch: undefined };
      this.#counted.set(name, one);
    }
    one.count = faded(one.count, at - one.last) + 1;
    one.last = at;
    if (one.watch === undefined && one.count >= WATCHED_FROM && this.#hasPlace(one)) one.watch = this.#begin();
    return one.watch;
  }

  #hasPlace({ count }: Counted): boolean {
    if (count > SHARE_MAX * this.#all) return false;
    if (this.#watched < this.#settings.limits.watchedSegments) return true;
    let rarest: Counted | undefined;
    let least = count / TAKES_PLACE;
    for (const other of this.#counted.values()) {
      const now = faded(other.count, this.#last - other.last);
      if (other.watch === undefined || IN_DOUBT.has(other.watch.phase) || now >= least) continue;
      least = now;
      rarest = other;
    }
    if (rarest === undefined) return false;
    rarest.watch = undefined;
    this.#watched -= 1;
    return true;
  }

  #forgetRarest(at: number): boolean {
    let rarest: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [name, { count, last, watch }] of this.#counted) {
      const now = faded(count, at - last);
      if (watch !== undefined || now >= least) continue;
      least = now;
      rarest = name;
    }
    return rarest !== undefined && this.#counted.delete(rarest);
  }

  #begin(): LevelWatch {
    this.#watched += 1;
    return new LevelWatch(this.#settings.watch, this.#settings.levels.segment, this.#options);
  }

  /** Lowest usual level of the segments of a conversation that have fallen. */
  #usualOfFallen(segments: readonly string[]): number | undefined {
    let least: number | undefined;
    for (const name of segments) {
      const watch = isErrorPart(name) ? undefined : this.#counted.get(name)?.watch;
      if (watch?.phase === 'regressed') least = Math.min(least ?? 1, watch.usualBad ?? 1);
    }
    return least;
  }

  /** The strongest evidence first, because it may explain the rest. */
  #confirm(at: number, causesOf: Whole['causesOf']): void {
    const watches = [...this.watches()].filter(([, { phase }]) => phase !== 'learning');
    const needed = stepUp(
      watches.map(([, { standing }]) => standing),
      watches.length,
    );
    const found = watches.filter(([, { phase, standing }]) => phase === 'suspected' && standing >= needed);
    for (const [name, watch] of found.toSorted(([, one], [, other]) => other.standing - one.standing))
      if (this.#isExplained(name, watch, causesOf)) watch.dismiss(at);
      else watch.confirm(at);
  }

  /** Another segment that has fallen is the cause. */
  #isExplained(name: string, watch: LevelWatch, causesOf: Whole['causesOf']): boolean {
    const fallen = [...this.watches()].filter(([, { phase }]) => phase === 'regressed');
    const onsets = [watch.reading().onset ?? this.#last, ...fallen.map(([, { onset }]) => onset)];
    const [cause] = fallen.length === 0 ? [] : causesOf(Math.min(...onsets), name);
    return (
      cause !== undefined &&
      cause.probability >= CLEAR_FROM &&
      !cause.segments.includes(name) &&
      fallen.some(([other]) => cause.segments.includes(other))
    );
  }
}

const IN_DOUBT: ReadonlySet<string> = new Set(['suspected', 'regressed', 'recovered']);

/** That a segment is learnt or falls silent is no news. */
function isTold({ from, to }: Change): boolean {
  return to === 'regressed' || from === 'regressed' || from === 'partly_back';
}

function faded(count: number, passedMs: number): number {
  return passedMs > 0 ? count * Math.exp(-passedMs / MEMORY_MS) : count;
}
