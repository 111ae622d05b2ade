/** Learns predictions each day, elsewhere, and hands them to the thread that scores. Every instance does: they are the same. */
import type { Log } from '../../report/log/log.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { Scorer } from '../scoring/scorer.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LOOK_EVERY_MS = 10 * 60 * 1000;

export class Learning {
  readonly #reading: Pick<StoreReading, 'own'>;
  readonly #scorer: Pick<Scorer, 'foretell'>;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #learnedOn: number | undefined;
  #learning: Promise<void> | undefined;

  constructor(parts: {
    readonly reading: Pick<StoreReading, 'own'>;
    readonly scorer: Pick<Scorer, 'foretell'>;
    readonly log: Log;
  }) {
    this.#reading = parts.reading;
    this.#scorer = parts.scorer;
    this.#log = parts.log;
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    void this.look();
  }

  /** Never rejects. */
  async look(now: number = Date.now()): Promise<void> {
    const day = Math.floor(now / DAY_MS);
    if (day !== this.#learnedOn)
      this.#learning ??= this.#learn(day).finally(() => {
        this.#learning = undefined;
      });
    await this.#learning;
  }

  /** Before the reading thread is stopped. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#learning;
  }

  async #learn(day: number): Promise<void> {
    try {
      this.#scorer.foretell(await this.#reading.own({ what: 'predictions' }));
      this.#learnedOn = day;
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      this.#log.line('warn', 'readings: no prediction could be learned from them, trying again later', { error: said });
    }
  }
}
