/**
 * Works out figures of the store now and then and shows them as gauges: how far judges can be trusted, how many
 * conversations went well. It reads the store and changes nothing. Among many instances, the one that has the first lane
 * exposes them, so that nothing is exposed twice.
 */
import type { MetricSource } from '../../report/metrics/exposition.ts';
import { MetricSet, type MetricTable } from '../../report/metrics/metric-set.ts';

interface RoundParts<Shown> {
  readonly everyMs: number;
  readonly metrics: MetricTable<readonly Shown[]>;
  /** Works them out, elsewhere. Undefined while there is no store to be read. */
  readonly read: () => Promise<readonly Shown[]> | undefined;
  readonly onProblem: (problem: string) => void;
  readonly isOwner: boolean;
}

export class ShownRounds<Shown> {
  readonly #parts: RoundParts<Shown>;
  #shown: readonly Shown[] = [];
  #isOwner: boolean;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  constructor(parts: RoundParts<Shown>) {
    this.#parts = parts;
    this.#isOwner = parts.isOwner;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.refresh(), this.#parts.everyMs);
    void this.refresh();
  }

  /** Whether it is this instance that shows it. */
  own(isOwner: boolean): void {
    this.#isOwner = isOwner;
    void this.refresh();
  }

  /** Figures of the last round; none where another instance has them. */
  get last(): { readonly isHere: boolean; readonly shown: readonly Shown[] } {
    return { isHere: this.#isOwner, shown: this.#shown };
  }

  sources(): readonly MetricSource[] {
    return new MetricSet(this.#parts.metrics).sources(() => this.#shown);
  }

  /** Never rejects. One that is under way is not begun twice. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Before the store is closed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
  }

  async #refresh(): Promise<void> {
    try {
      const shown = this.#isOwner ? await this.#parts.read() : undefined;
      // Ownership may have gone to another instance meanwhile.
      this.#shown = this.#isOwner ? (shown ?? []) : [];
    } catch (error) {
      // The last known figures stay.
      this.#parts.onProblem(error instanceof Error ? error.message : String(error));
    }
  }
}
