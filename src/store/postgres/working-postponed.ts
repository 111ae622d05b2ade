/** Parts of turns that are evaluated later in the same transaction, when everything that closes at their time is stored. */
import type { PostponedTurnStore, StoredTrace } from '../engine-store.ts';
import type { WorkingTraces } from './working-traces.ts';

export class WorkingPostponed implements PostponedTurnStore {
  readonly #traces: WorkingTraces;
  /** When each closed, by the row of its trace. */
  readonly #postponed = new Map<number, number>();

  constructor(traces: WorkingTraces) {
    this.#traces = traces;
  }

  clear(): void {
    this.#postponed.clear();
  }

  add(trace: number, closedAt: number): void {
    this.#postponed.set(trace, closedAt);
  }

  take(logTime: number): readonly StoredTrace[] {
    if (this.#postponed.size === 0) return [];
    const taken = [...this.#postponed].filter(([, closedAt]) => closedAt <= logTime);
    taken.sort(([a, aClosed], [b, bClosed]) => aClosed - bClosed || a - b);
    for (const [trace] of taken) this.#postponed.delete(trace);
    return taken.flatMap(([trace]) => this.#traces.at(trace) ?? []);
  }
}
