/**
 * A budget of false alarms for everything under watch: fifty agents with a level each give fifty times the false alarms
 * of one. It is shared evenly by the levels of all streams that had conversations lately; criteria are tested together
 * and count as one level, and so do segments, and so do versions.
 *
 * No level gets more than it needs where there is one agent: beyond that nothing is found sooner.
 */
import type { DetectionSettings } from './settings.ts';

/** TCR, hard failures, cost, steps; criteria; segments; versions. */
const LEVELS_OF_STREAM = 7;

export class AlarmBudget {
  readonly #perMonth: number;
  readonly #most: number;
  readonly #streams = new Map<object, number>();
  #perLevel: number;

  constructor({ falseAlarmsPerMonth, watch }: Pick<DetectionSettings, 'falseAlarmsPerMonth' | 'watch'>) {
    this.#perMonth = falseAlarmsPerMonth;
    this.#most = watch.falseAlarmsPerMonth;
    this.#perLevel = this.#share(1);
  }

  /** False alarms that one level may give in 30 days. */
  get perLevel(): number {
    return this.#perLevel;
  }

  /** Sets how many streams this part of detection watches. */
  count(part: object, streams: number): void {
    if (this.#streams.get(part) === streams) return;
    this.#streams.set(part, streams);
    let all = 0;
    for (const some of this.#streams.values()) all += some;
    this.#perLevel = this.#share(all);
  }

  /** Another takes its place: its streams are watched no more. */
  drop(part: object): void {
    this.count(part, 0);
    this.#streams.delete(part);
  }

  #share(streams: number): number {
    return Math.min(this.#most, this.#perMonth / (LEVELS_OF_STREAM * Math.max(1, streams)));
  }
}
